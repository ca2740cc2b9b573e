/* SPDX-License-Identifier: MIT */
/*
 * `reused PAIRS ROUNDS`: in each pair of threads, one reads from a descriptor.
 * While it waits, the other thread gives the descriptor's number to another
 * fifo. The program prints each such wait, with the fifo that the thread waits
 * for:
 *
 *	tid start_ns end_ns fifo
 *
 * No fifo gets the number a second time during one wait.
 */
#include "../system.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void read_one(int fd)
{
	char c;

	(void)!read(fd, &c, 1);
}

#define FIRST_NUMBER 100
#define MOST_PAIRS 64

static struct pair {
	int index, rounds, tid;
	pthread_t reader, changer;
	_Atomic int asked, about, done; /* the numbers of waits that were asked
					 * for, begun and done */
	int64_t *start_ns, *end_ns;     /* the times when each wait began and
					 * ended */
} pairs[MOST_PAIRS];

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void rest_ms(int ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

static void *read_each(void *data)
{
	struct pair *p = data;
	int i;

	p->tid = (int)syscall(SYS_gettid);
	for (i = 0; i < 2 * p->rounds; i++) {
		while (p->asked <= i)
			rest_ms(1);
		p->start_ns[i] = now_ns();
		p->about = i + 1;
		read_one(FIRST_NUMBER + p->index);
		p->end_ns[i] = now_ns();
		p->done = i + 1;
	}
	return NULL;
}

static bool is_asleep(int tid)
{
	char path[64], text[128] = "";
	const char *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	end = strrchr(text, ')');
	return end && end[2] == 'S';
}

static void set_fifo(const struct pair *p, int round, const char *kind,
		     char path[64])
{
	snprintf(path, 64, "%s-%d-%d-%d", kind, (int)getpid(), p->index, round);
	check(!mkfifo(path, 0600));
}

static int put_fifo(const struct pair *p, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	check(fd >= 0);
	check(dup2(fd, FIRST_NUMBER + p->index) == FIRST_NUMBER + p->index);
	return fd;
}

/* Wait once for the fifo; `again` gives its number to another fifo. */
static void change_once(struct pair *p, int i, int fd, unsigned int *seed,
			bool again)
{
	char path[64];
	int other = -1;

	check(dup2(fd, FIRST_NUMBER + p->index) >= 0);
	p->asked = i + 1;
	while (p->about <= i || !is_asleep(p->tid))
		rest_ms(1);
	rest_ms((int)(rand_r(seed) % 4 * 10));
	if (again) {
		set_fifo(p, i, "other", path);
		other = put_fifo(p, path);
	}
	rest_ms((int)(rand_r(seed) % 60));
	check(write(fd, "", 1) == 1);
	while (p->done <= i)
		rest_ms(1);
	if (again)
		check(!unlink(path) && !close(other));
}

static void *change_each(void *data)
{
	struct pair *p = data;
	unsigned int seed = (unsigned int)(getpid() * 64 + p->index);
	char path[64];
	int round, fd;

	for (round = 0; round < p->rounds; round++) {
		set_fifo(p, round, "fifo", path);
		fd = put_fifo(p, path);
		change_once(p, 2 * round, fd, &seed, rand_r(&seed) % 2);
		change_once(p, 2 * round + 1, fd, &seed, rand_r(&seed) % 2);
		check(!unlink(path) && !close(fd));
	}
	return NULL;
}

static void print_pair(const struct pair *p)
{
	int i;

	for (i = 0; i < 2 * p->rounds; i++)
		printf("%d %lld %lld fifo-%d-%d-%d\n", p->tid,
		       (long long)p->start_ns[i], (long long)p->end_ns[i],
		       (int)getpid(), p->index, i / 2);
	free(p->start_ns);
	free(p->end_ns);
}

int main(int argc, char **argv)
{
	int nr, rounds, i;

	check(argc == 3);
	nr = atoi(argv[1]);
	rounds = atoi(argv[2]);
	check(nr <= MOST_PAIRS);
	for (i = 0; i < nr; i++) {
		struct pair *p = &pairs[i];
		size_t waits = 2 * (size_t)rounds;

		p->index = i;
		p->rounds = rounds;
		p->start_ns = calloc(waits, sizeof(int64_t));
		p->end_ns = calloc(waits, sizeof(int64_t));
		check(p->start_ns && p->end_ns);
		check(!pthread_create(&p->reader, NULL, read_each, p));
		check(!pthread_create(&p->changer, NULL, change_each, p));
	}
	for (i = 0; i < nr; i++) {
		pthread_join(pairs[i].reader, NULL);
		pthread_join(pairs[i].changer, NULL);
		print_pair(&pairs[i]);
	}
	return 0;
}

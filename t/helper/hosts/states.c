/* SPDX-License-Identifier: MIT */
/*
 * `states [PHASE...]`: a program that knows in which states its threads are.
 * Each phase, or each one named, is a region `states`/PHASE of the main thread,
 * and prints lines of tab-separated columns:
 *
 *	phase tid start_ns end_ns cpu_ns stolen_ns kind cause other from_ns to_ns
 *
 * Thread `tid` was in the phase from start_ns to end_ns (CLOCK_MONOTONIC). It
 * had a CPU for cpu_ns, and perhaps for up to stolen_ns more: the kernel counts
 * time that the host of a virtual machine took as the thread's. `kind` says how
 * it spent the rest: `wait` for the cause, or `ready`. `other` is the thread
 * that woke it, between from_ns and to_ns, or that had its CPU; 0: the kernel.
 * from_ns is 0 if the time of the wake-up is unknown. A phase that this machine
 * or directory lacks prints `phase -`.
 */
#include "trace2.h"
#include "../system.h"

#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "../pseudo-terminal.h"

#define PAUSE_NS 20000000
#define BURN_NS 20000000
#define FILE_BYTES (8u << 20)
#define BLOCK_BYTES 4096u

/* The state of one thread in a phase. */
struct known {
	const char *phase;
	int tid;
	int64_t start_ns, end_ns, cpu_ns, stolen_ns;
	const char *kind, *cause;
	int other;
	int64_t from_ns, to_ns;
};

/* Data in memory that child processes share. */
static struct shared {
	_Atomic bool waits; /* the main thread is about to wait */
	_Atomic int chain_waits; /* number of links of the chain that wait, or
				  * are about to wait */
	_Atomic bool over;
	struct known known, chain[3];
} *shared;

static int ends[2];
static sem_t sem;
static int main_tid;

static void check(bool ok)
{
	if (!ok)
		abort();
}

static int64_t read_clock(clockid_t id)
{
	struct timespec ts;

	check(!clock_gettime(id, &ts));
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int64_t now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static void pause_ns(long ns)
{
	const struct timespec ts = { 0, ns };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static void burn(int64_t ns)
{
	int64_t end = read_clock(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (read_clock(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void print(const struct known *k)
{
	printf("%s\t%d\t%lld\t%lld\t%lld\t%lld\t%s\t%s\t%d\t%lld\t%lld\n",
	       k->phase, k->tid, (long long)k->start_ns, (long long)k->end_ns,
	       (long long)k->cpu_ns, (long long)k->stolen_ns, k->kind, k->cause,
	       k->other, (long long)k->from_ns, (long long)k->to_ns);
}

/* Return the time that the host of this virtual machine took from all CPUs. Its
 * unit is a tick of the kernel. */
static int64_t stolen_ns(void)
{
	long long ticks = 0;
	FILE *f = fopen("/proc/stat", "re");

	if (f && fscanf(f, "cpu %*s %*s %*s %*s %*s %*s %*s %lld", &ticks) != 1)
		ticks = 0;
	if (f)
		fclose(f);
	return ticks ? (ticks + 1) * (1000000000 / sysconf(_SC_CLK_TCK)) : 0;
}

static void begin(struct known *k)
{
	k->tid = gettid();
	k->stolen_ns = -stolen_ns();
	k->cpu_ns = -read_clock(CLOCK_THREAD_CPUTIME_ID);
	k->start_ns = now();
}

static void end(struct known *k)
{
	k->end_ns = now();
	k->cpu_ns += read_clock(CLOCK_THREAD_CPUTIME_ID);
	k->stolen_ns += stolen_ns();
	/* Add a tick, since the kernel shows only whole ticks. */
	if (stolen_ns())
		k->stolen_ns += 1000000000 / sysconf(_SC_CLK_TCK);
}

/* Return the state letter of a thread of process pid. */
static char state_of(int pid, int tid)
{
	char path[64], text[512];
	const char *after;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	check(fd >= 0);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	check(n > 0);
	text[n] = '\0';
	after = strrchr(text, ')');
	check(after);
	return after[2];
}

/* Wait until the main thread waits, and for some time more. */
static void await_waiting(int pid)
{
	while (!shared->waits || state_of(pid, main_tid) != 'S')
		pause_ns(1000000);
	pause_ns(PAUSE_NS);
}

/* A phase, in which a thread waits, and another thread ends the wait. */
struct phase {
	const char *name, *cause;
	void (*prepare)(void);
	void (*wait)(void);
	/* The function that wakes the thread; NULL: the kernel wakes it. */
	void (*wake)(void);
	bool by_kernel; /* wake() only lets the kernel wake the thread later */
};

static void *wake_later(void *arg)
{
	const struct phase *p = arg;

	trace2_thread_start("waker");
	await_waiting(getpid());
	shared->known.other = gettid();
	shared->known.from_ns = now();
	p->wake();
	shared->known.to_ns = now();
	trace2_thread_exit();
	return NULL;
}

static void run_phase(const struct phase *p)
{
	struct known *k = &shared->known;
	pthread_t waker;

	memset(k, 0, sizeof(*k));
	k->phase = p->name;
	k->kind = "wait";
	k->cause = p->cause;
	shared->waits = false;
	if (p->prepare)
		p->prepare();
	if (p->wake)
		check(!pthread_create(&waker, NULL, wake_later, (void *)p));
	trace2_region_enter("states", p->name, NULL);
	begin(k);
	shared->waits = true;
	p->wait();
	end(k);
	trace2_region_leave("states", p->name, NULL);
	if (p->wake)
		pthread_join(waker, NULL);
	if (p->by_kernel)
		k->other = 0, k->from_ns = k->to_ns = 0;
	print(k);
}

static void sleep_here(void)
{
	pause_ns(PAUSE_NS);
}

static void make_pipe(void)
{
	check(!pipe(ends));
}

static void make_sockets(void)
{
	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
}

static void read_one(void)
{
	char c;

	check(read(ends[0], &c, 1) == 1);
}

static void write_one(void)
{
	check(write(ends[1], "\n", 1) == 1);
}

static void make_semaphore(void)
{
	check(!sem_init(&sem, 0, 0));
}

static void wait_for_semaphore(void)
{
	check(!sem_wait(&sem));
}

static void post(void)
{
	check(!sem_post(&sem));
}

static void poll_one(void)
{
	struct pollfd fd = { .fd = ends[0], .events = POLLIN };

	check(poll(&fd, 1, -1) == 1);
}

static void poll_nothing(void)
{
	check(poll(NULL, 0, PAUSE_NS / 1000000) == 0);
}

static void select_one(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	check(select(ends[0] + 1, &set, NULL, NULL, NULL) == 1);
}

static void epoll_one(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = epoll_create1(EPOLL_CLOEXEC);

	check(fd >= 0 && !epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event));
	check(epoll_wait(fd, &event, 1, -1) == 1);
	close(fd);
}

static void make_terminal(void)
{
	ends[1] = pseudo_terminal_open(0, &ends[0]);
}

static void block_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	check(!pthread_sigmask(SIG_BLOCK, &set, NULL));
}

static void await_signal(void)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	check(!sigwait(&set, &got));
}

static void send_signal(void)
{
	check(!kill(getpid(), SIGUSR1));
}

static const struct phase phases[] = {
	{ "sleep", "sleep", NULL, sleep_here, NULL, false },
	{ "pipe", "pipe", make_pipe, read_one, write_one, false },
	{ "socket", "socket", make_sockets, read_one, write_one, false },
	{ "lock", "lock", make_semaphore, wait_for_semaphore, post, false },
	{ "poll", "poll", make_pipe, poll_one, write_one, false },
	{ "poll-timeout", "poll", NULL, poll_nothing, NULL, false },
	{ "select", "poll", make_pipe, select_one, write_one, false },
	{ "epoll", "poll", make_pipe, epoll_one, write_one, false },
	{ "tty", "tty", make_terminal, read_one, write_one, true },
	{ "signal", "signal", block_signal, await_signal, send_signal, false },
};

/* Wait for a child, which wakes its parent at some time during its exit. */
static void run_child(const char *name)
{
	struct known *k = &shared->known;
	pid_t parent = getpid(), pid;

	*k = (struct known){ .phase = name, .kind = "wait", .cause = "child" };
	shared->waits = false;
	fflush(stdout);
	pid = fork();
	check(pid >= 0);
	if (!pid) {
		await_waiting(parent);
		shared->known.from_ns = now();
		_exit(0);
	}
	k->other = pid;
	trace2_region_enter("states", name, NULL);
	begin(k);
	shared->waits = true;
	check(waitpid(pid, NULL, 0) == pid);
	end(k);
	trace2_region_leave("states", name, NULL);
	k->to_ns = k->end_ns;
	print(k);
}

static void run_cpu(const char *name)
{
	struct known *k = &shared->known;

	*k = (struct known){ .phase = name, .kind = "ready", .cause = "-" };
	trace2_region_enter("states", name, NULL);
	begin(k);
	burn(BURN_NS);
	end(k);
	trace2_region_leave("states", name, NULL);
	print(k);
}

/* Compete with a child for one CPU. */
static void run_ready(const char *name)
{
	struct known *k = &shared->known;
	cpu_set_t all, one;
	pid_t pid;
	int cpu = 0;

	*k = (struct known){ .phase = name, .kind = "ready", .cause = "-" };
	check(!sched_getaffinity(0, sizeof(all), &all));
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	check(!sched_setaffinity(0, sizeof(one), &one));
	shared->waits = shared->over = false;
	fflush(stdout);
	pid = fork();
	check(pid >= 0);
	if (!pid) {
		shared->waits = true;
		while (!shared->over)
			;
		_exit(0);
	}
	while (!shared->waits)
		pause_ns(1000000);
	k->other = pid;
	trace2_region_enter("states", name, NULL);
	begin(k);
	burn(BURN_NS);
	end(k);
	trace2_region_leave("states", name, NULL);
	shared->over = true;
	check(waitpid(pid, NULL, 0) == pid);
	check(!sched_setaffinity(0, sizeof(all), &all));
	print(k);
}

static int make_file(const char *path, int flags)
{
	static char block[BLOCK_BYTES];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	size_t i;

	check(fd >= 0);
	for (i = 0; i < FILE_BYTES / BLOCK_BYTES; i++)
		check(write(fd, block, sizeof(block)) == sizeof(block));
	check(!fsync(fd) && !posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
	close(fd);
	fd = open(path, O_RDWR | flags);
	unlink(path);
	return fd;
}

static void run_disk(const char *name)
{
	struct known *k = &shared->known;
	int fd = make_file("states.file", O_DIRECT);
	void *block;
	off_t at;

	*k = (struct known){ .phase = name, .kind = "wait", .cause = "disk" };
	check(!posix_memalign(&block, BLOCK_BYTES, BLOCK_BYTES));
	if (fd < 0 || pread(fd, block, BLOCK_BYTES, 0) < 0) {
		printf("%s\t-\n", name);
		free(block);
		return;
	}
	trace2_region_enter("states", name, NULL);
	begin(k);
	for (at = BLOCK_BYTES; at < (off_t)FILE_BYTES; at += 16 * BLOCK_BYTES)
		check(pread(fd, block, BLOCK_BYTES, at) == BLOCK_BYTES);
	end(k);
	trace2_region_leave("states", name, NULL);
	free(block);
	close(fd);
	print(k);
}

static long major_faults(void)
{
	struct rusage usage;

	check(!getrusage(RUSAGE_SELF, &usage));
	return usage.ru_majflt;
}

static void run_page(const char *name)
{
	struct known *k = &shared->known;
	int fd = make_file("states.file", 0);
	volatile char *p = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	long before = major_faults();
	size_t at;

	*k = (struct known){ .phase = name, .kind = "wait", .cause = "page" };
	check(p != MAP_FAILED);
	check(!madvise((void *)p, FILE_BYTES, MADV_RANDOM));
	trace2_region_enter("states", name, NULL);
	begin(k);
	for (at = 0; at < FILE_BYTES; at += 16 * BLOCK_BYTES)
		(void)p[at];
	end(k);
	trace2_region_leave("states", name, NULL);
	munmap((void *)p, FILE_BYTES);
	close(fd);
	if (major_faults() == before)
		printf("%s\t-\n", name);
	else
		print(k);
}

/* Link i of three waits for link i + 1; the last one sleeps first. `before` is
 * the process of link i - 1, which a busy machine may start later. */
static void run_link(const int (*pipes)[2], int i, int before)
{
	struct known *k = &shared->chain[i];
	char c;

	while (i && (shared->chain_waits < i ||
		     state_of(before, before) != 'S'))
		pause_ns(1000000);

	*k = (struct known){ .phase = "chain", .kind = "wait",
			     .cause = i < 2 ? "pipe" : "sleep" };
	begin(k);
	shared->chain_waits = i + 1;
	if (i < 2)
		check(read(pipes[i][0], &c, 1) == 1);
	else
		pause_ns(PAUSE_NS);
	end(k);
	burn(BURN_NS);
	if (!i)
		return;
	shared->chain[i - 1].from_ns = now();
	check(write(pipes[i - 1][1], "\n", 1) == 1);
	shared->chain[i - 1].to_ns = now();
}

static void run_chain(const char *name)
{
	int pipes[2][2], i;
	pid_t pid[3];

	check(!pipe(pipes[0]) && !pipe(pipes[1]));
	trace2_region_enter("states", name, NULL);
	fflush(stdout);
	for (i = 0; i < 3; i++) {
		pid[i] = fork();
		check(pid[i] >= 0);
		if (!pid[i]) {
			run_link((const int (*)[2])pipes, i,
				 i ? pid[i - 1] : 0);
			_exit(0);
		}
	}
	for (i = 0; i < 3; i++)
		check(waitpid(pid[i], NULL, 0) == pid[i]);
	trace2_region_leave("states", name, NULL);
	for (i = 0; i < 3; i++) {
		shared->chain[i].other = i < 2 ? pid[i + 1] : 0;
		print(&shared->chain[i]);
	}
}

static const struct {
	const char *name;
	void (*run)(const char *name);
} others[] = {
	{ "child", run_child }, { "cpu", run_cpu },   { "ready", run_ready },
	{ "disk", run_disk },   { "page", run_page }, { "chain", run_chain },
};

static bool is_wanted(char **names, const char *name)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	size_t i;

	trace2_initialize();
	trace2_cmd_start(argv);
	main_tid = gettid();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(shared != MAP_FAILED);
	for (i = 0; i < sizeof(phases) / sizeof(*phases); i++)
		if (is_wanted(argv + 1, phases[i].name))
			run_phase(&phases[i]);
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (is_wanted(argv + 1, others[i].name))
			others[i].run(others[i].name);
	return trace2_cmd_exit(0);
}

/* SPDX-License-Identifier: MIT */
/*
 * programs - programs whose critical path is known because they are made so:
 * each process has a name, computes for a given time and waits in a given way.
 * t/accuracy/run has the expected path of each.
 *
 *	programs CASE [MS [FILE]]
 */
#define _GNU_SOURCE
#include "../helper/host.h"

#include <arpa/inet.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <sys/eventfd.h>

static long ms = 60;
static const char *file;

static long long now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Compute for this CPU time of the thread. */
static void compute(long for_ms)
{
	long long end = now_ns(CLOCK_THREAD_CPUTIME_ID) + for_ms * 1000000LL;
	volatile int i;

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (i = 0; i < 10000; i++)
			;
}

static void pause_for(long for_ms)
{
	struct timespec t = { for_ms / 1000, for_ms % 1000 * 1000000 };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static void must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

/* Begin a process of this name; return true in it. */
static int child(const char *name)
{
	pid_t pid = fork();

	must(pid >= 0, "fork");
	if (!pid)
		prctl(PR_SET_NAME, name);
	return !pid;
}

/* Start processes that compute without an end, on all CPUs. */
static void hogs(pid_t *pids, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			prctl(PR_SET_NAME, "hog");
			for (;;)
				compute(1000);
		}
	}
}

static void end_all(const pid_t *pids, int nr)
{
	while (nr--)
		kill(pids[nr], SIGKILL);
}

static void move(int fd, long bytes, int out)
{
	static char buf[65536];
	ssize_t n;

	while (bytes > 0) {
		n = out ? write(fd, buf, sizeof(buf)) :
			  read(fd, buf, sizeof(buf));
		if (n <= 0)
			return;
		bytes -= n;
	}
}

static void slow_writer(void)
{
	int p[2], i;

	must(!pipe(p), "pipe");
	if (child("writer")) {
		for (i = 0; i < 10; i++) {
			compute(ms / 10);
			move(p[1], 65536, 1);
		}
		_exit(0);
	}
	close(p[1]);
	move(p[0], 10 * 65536, 0);
	wait(NULL);
}

static void slow_reader(void)
{
	int p[2], i;

	must(!pipe(p), "pipe");
	if (child("reader")) {
		close(p[1]);
		for (i = 0; i < 10; i++) {
			move(p[0], 65536, 0);
			compute(ms / 10);
		}
		_exit(0);
	}
	close(p[0]);
	move(p[1], 10 * 65536, 1);
	close(p[1]);
	wait(NULL);
}

/* A request, and an answer after some computing, ten times. */
static void ask(int client, int server)
{
	char c = 0;
	int i;

	if (child("server")) {
		while (read(server, &c, 1) == 1 && c != 'q') {
			compute(ms / 10);
			must(write(server, &c, 1) == 1, "answer");
		}
		pause_for(20);
		_exit(0);
	}
	for (i = 0; i < 10; i++) {
		must(write(client, "r", 1) == 1, "request");
		must(read(client, &c, 1) == 1, "answer");
	}
	must(write(client, "q", 1) == 1, "request");
}

static void unix_server(void)
{
	int s[2];

	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, s), "socketpair");
	ask(s[0], s[1]);
}

static void tcp_pair(int s[2])
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	int l = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	must(!bind(l, (void *)&at, len) && !listen(l, 1), "listen");
	must(!getsockname(l, (void *)&at, &len), "getsockname");
	s[0] = socket(AF_INET, SOCK_STREAM, 0);
	must(!connect(s[0], (void *)&at, len), "connect");
	s[1] = accept(l, NULL, NULL);
	must(s[1] >= 0, "accept");
}

static void tcp_server(void)
{
	int s[2];

	tcp_pair(s);
	ask(s[0], s[1]);
}

/* The other end is closed because its process ends. */
static void socket_end(void)
{
	int s[2];
	char c;

	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, s), "socketpair");
	if (child("ender")) {
		close(s[0]);
		compute(ms);
		_exit(0);
	}
	close(s[1]);
	must(!read(s[0], &c, 1), "read");
	compute(ms / 3);
}

static void pipe_end(void)
{
	int p[2];
	char c;

	must(!pipe(p), "pipe");
	if (child("early")) {
		compute(ms / 6);
		_exit(0);
	}
	if (child("late")) {
		compute(ms);
		_exit(0);
	}
	close(p[1]);
	must(!read(p[0], &c, 1), "read");
	compute(ms / 3);
}

/* The lock is released because its holder ends. */
static void lock_end(void)
{
	int fd = open(file, O_CREAT | O_RDWR, 0666), ready[2];
	char c;

	must(fd >= 0 && !pipe(ready), file);
	if (child("holder")) {
		int own = open(file, O_RDWR);

		must(!flock(own, LOCK_EX), "flock");
		must(write(ready[1], "r", 1) == 1, "write");
		compute(ms);
		_exit(0);
	}
	must(read(ready[0], &c, 1) == 1, "read");
	must(!flock(fd, LOCK_EX), "flock");
	compute(ms / 3);
	_exit(0);
}

static void record_lock_end(void)
{
	int fd = open(file, O_CREAT | O_RDWR, 0666), ready[2];
	struct flock l = { .l_type = F_WRLCK };
	char c;

	must(fd >= 0 && !pipe(ready), file);
	if (child("holder")) {
		must(!fcntl(fd, F_SETLKW, &l), "fcntl");
		must(write(ready[1], "r", 1) == 1, "write");
		compute(ms);
		_exit(0);
	}
	must(read(ready[0], &c, 1) == 1, "read");
	must(!fcntl(fd, F_SETLKW, &l), "fcntl");
	compute(ms / 3);
	_exit(0);
}

static sem_t *semaphores(int nr)
{
	sem_t *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	must(s != MAP_FAILED, "mmap");
	while (nr--)
		sem_init(s + nr, 1, 0);
	return s;
}

static void futex_chain(void)
{
	sem_t *s = semaphores(2);

	if (child("first")) {
		compute(ms);
		sem_post(s);
		pause_for(30);
		_exit(0);
	}
	if (child("second")) {
		sem_wait(s);
		compute(ms);
		sem_post(s + 1);
		pause_for(30);
		_exit(0);
	}
	sem_wait(s + 1);
	compute(ms / 2);
	_exit(0);
}

static void children(void)
{
	int i;

	for (i = 0; i < 5; i++) {
		if (child("worker")) {
			compute(ms / 5);
			_exit(0);
		}
		wait(NULL);
	}
}

static void receive_timeout(void)
{
	struct timeval tv = { 0, 40000 };
	pid_t pids[2];
	int s[2], i;
	char c;

	tcp_pair(s);
	setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	hogs(pids, 2);
	for (i = 0; i < 8; i++)
		must(recv(s[0], &c, 1, 0) < 0, "recv");
	end_all(pids, 2);
	_exit(0);
}

static void poll_timeout(void)
{
	pid_t pids[2];
	int i;

	hogs(pids, 2);
	for (i = 0; i < 8; i++)
		poll(NULL, 0, 40);
	end_all(pids, 2);
	_exit(0);
}

static void condition_timeout(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	long long at;
	struct timespec t;
	int i;

	for (i = 0; i < 5; i++) {
		at = now_ns(CLOCK_REALTIME) + 60 * 1000000LL;
		t = (struct timespec){ at / 1000000000, at % 1000000000 };
		pthread_mutex_lock(&m);
		pthread_cond_timedwait(&c, &m, &t);
		pthread_mutex_unlock(&m);
	}
}

/* A process outside writes into the FIFO while short processes end. */
static void outside(void)
{
	pid_t loop = fork();
	int fd;
	char c;

	if (!loop) {
		prctl(PR_SET_NAME, "loop");
		for (;;) {
			if (child("short")) {
				compute(1);
				_exit(0);
			}
			wait(NULL);
		}
	}
	fd = open(file, O_RDONLY);
	must(fd >= 0 && read(fd, &c, 1) == 1, file);
	kill(loop, SIGKILL);
	_exit(0);
}

static void look_again(void)
{
	volatile int *flag = (volatile int *)semaphores(1);

	flag[100] = 0;
	if (child("maker")) {
		compute(ms);
		flag[100] = 1;
		_exit(0);
	}
	while (!flag[100])
		pause_for(10);
}

static void event_fd(void)
{
	int fd = eventfd(0, 0);
	uint64_t n = 1;

	if (child("sender")) {
		compute(ms);
		must(write(fd, &n, sizeof(n)) == sizeof(n), "write");
		pause_for(20);
		_exit(0);
	}
	must(read(fd, &n, sizeof(n)) == sizeof(n), "read");
	compute(ms / 2);
	_exit(0);
}

static void signal_wait(void)
{
	pid_t parent = getpid();
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (child("sender")) {
		compute(ms);
		kill(parent, SIGUSR1);
		pause_for(20);
		_exit(0);
	}
	sigwait(&set, &sig);
	compute(ms / 2);
	_exit(0);
}

static void stopped(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, "stopped");
		raise(SIGSTOP);
		compute(ms);
		_exit(0);
	}
	waitpid(pid, NULL, WUNTRACED);
	compute(ms);
	kill(pid, SIGCONT);
	waitpid(pid, NULL, 0);
}

/* Two workers at a time, six pieces of work. */
static void pool(void)
{
	int i;

	for (i = 0; i < 6; i++) {
		if (i >= 2)
			wait(NULL);
		if (child(i == 4 ? "long" : "worker")) {
			compute(i == 4 ? ms : ms / 3);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

/* The child ends first; the parent computes and then asks for it. */
static void late_wait(void)
{
	if (child("worker")) {
		compute(ms / 6);
		_exit(0);
	}
	compute(ms);
	wait(NULL);
}

/* A parent that polls a pipe until its child ends. */
static void poll_end(void)
{
	struct pollfd fd = { .events = POLLIN };
	int p[2];

	must(!pipe(p), "pipe");
	if (child("worker")) {
		compute(ms);
		_exit(0);
	}
	close(p[1]);
	fd.fd = p[0];
	while (poll(&fd, 1, -1) != 1)
		;
	wait(NULL);
}

static void *wait_for_ever(void *arg)
{
	prctl(PR_SET_NAME, "idle");
	for (;;)
		pause();
	return arg;
}

static void *end_process(void *arg)
{
	prctl(PR_SET_NAME, "worker");
	compute(ms);
	exit(0);
	return arg;
}

static void *end_thread(void *arg)
{
	prctl(PR_SET_NAME, "worker");
	compute(ms);
	return arg;
}

/* A child with threads of which one works; main waits for that one. */
static void with_threads(void *(*work)(void *))
{
	pthread_t thread;
	int i;

	if (child("first")) {
		for (i = 0; i < 4; i++)
			pthread_create(&thread, NULL, wait_for_ever, NULL);
		host_in_thread(work, NULL);
		exit(0);
	}
	wait(NULL);
}

/* The process ends by a thread that is not its first. */
static void last_thread(void)
{
	with_threads(end_process);
}

static void joined(void)
{
	with_threads(end_thread);
}

/* Submit one operation to an io_uring, and wait until it is done. */
static void submit(const struct io_uring_sqe *operation)
{
	struct io_uring_params p = { 0 };
	int fd = (int)syscall(SYS_io_uring_setup, 4, &p);
	struct io_uring_sqe *sqe;
	char *ring;

	must(fd >= 0, "io_uring_setup");
	ring = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(unsigned int),
		    PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	sqe = mmap(NULL, p.sq_entries * sizeof(*sqe), PROT_READ | PROT_WRITE,
		   MAP_SHARED, fd, IORING_OFF_SQES);
	must(ring != MAP_FAILED && sqe != MAP_FAILED, "mmap");
	*sqe = *operation;
	*(unsigned int *)(void *)(ring + p.sq_off.array) = 0;
	__atomic_store_n((unsigned int *)(void *)(ring + p.sq_off.tail), 1,
			 __ATOMIC_RELEASE);
	must(syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL,
		     0) == 1, "io_uring_enter");
}

static void uring_read(void)
{
	char c;
	struct io_uring_sqe operation = { .opcode = IORING_OP_READ, .len = 1,
					  .addr = (uintptr_t)&c };
	int p[2];

	must(!pipe(p), "pipe");
	if (child("writer")) {
		compute(ms);
		must(write(p[1], "w", 1) == 1, "write");
		pause_for(20);
		_exit(0);
	}
	operation.fd = p[0];
	submit(&operation);
	compute(ms / 2);
	_exit(0);
}

static void uring_timeout(void)
{
	struct __kernel_timespec t = { .tv_nsec = 300000000 };

	submit(&(struct io_uring_sqe){ .opcode = IORING_OP_TIMEOUT, .len = 1,
				       .addr = (uintptr_t)&t });
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "slow-writer", slow_writer },
	{ "slow-reader", slow_reader },
	{ "unix-server", unix_server },
	{ "tcp-server", tcp_server },
	{ "socket-end", socket_end },
	{ "pipe-end", pipe_end },
	{ "lock-end", lock_end },
	{ "record-lock-end", record_lock_end },
	{ "futex-chain", futex_chain },
	{ "children", children },
	{ "receive-timeout", receive_timeout },
	{ "poll-timeout", poll_timeout },
	{ "condition-timeout", condition_timeout },
	{ "outside", outside },
	{ "look-again", look_again },
	{ "event-fd", event_fd },
	{ "signal-wait", signal_wait },
	{ "stopped", stopped },
	{ "pool", pool },
	{ "late-wait", late_wait },
	{ "poll-end", poll_end },
	{ "last-thread", last_thread },
	{ "joined", joined },
	{ "uring-read", uring_read },
	{ "uring-timeout", uring_timeout },
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc > 2)
		ms = atol(argv[2]);
	file = argc > 3 ? argv[3] : "accuracy.lock";
	signal(SIGPIPE, SIG_IGN);
	for (i = 0; argc > 1 && i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(argv[1], cases[i].name))
			continue;
		prctl(PR_SET_NAME, "main");
		cases[i].run();
		return 0;
	}
	fprintf(stderr, "usage: programs CASE [MS [FILE]]\n");
	return 2;
}

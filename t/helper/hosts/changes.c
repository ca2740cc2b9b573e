/* SPDX-License-Identifier: MIT */
/*
 * `changes VERB`: a program that changes its environment after the library has
 * started.
 */
#include "trace2.h"

#include "arena/layout.h"
#include "ring/layout.h"
#include "../host.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <ucontext.h>

#define TRACE_FD 9
#define NR_COUNTED 10

TRACE2_COUNTER(counted, "changes", "counted", 0);
TRACE2_TIMER(timed, "changes", "timed", TRACE2_PER_THREAD);

static void say_something(void)
{
	int i;

	for (i = 0; i < NR_COUNTED; i++) {
		trace2_data_intmax("changes", NULL, "nr", i);
		trace2_counter_add(counted, 1);
	}
}

/* Limit the address space to many times the amount that this program needs. */
static void limit_memory(void)
{
	struct rlimit limit = { 48 << 20, 48 << 20 };

	say_something();
	if (setrlimit(RLIMIT_AS, &limit))
		abort();
	puts(malloc(16 << 20) ? "memory" : "no memory");
}

static void limit(int resource, int column)
{
	struct rlimit limit;
	long pages[7] = { 0 };
	FILE *statm = fopen("/proc/self/statm", "r");
	unsigned int i;

	for (i = 0; statm && i < 7; i++)
		if (fscanf(statm, "%ld", &pages[i]) != 1)
			abort();
	if (!statm || fclose(statm))
		abort();
	limit.rlim_cur = limit.rlim_max =
		(rlim_t)pages[column] * (rlim_t)sysconf(_SC_PAGESIZE) +
		(4 << 20);
	if (setrlimit(resource, &limit))
		abort();
}

static pthread_barrier_t spoken;

static void *speak_and_stay(void *arg)
{
	say_something();
	pthread_barrier_wait(&spoken);
	pause();
	return arg;
}

/* Limit the memory of children, each of which forks the next one. */
static void limit_memory_of_children(void)
{
	const unsigned int nr_threads = 20;
	pthread_t thread;
	int status = 0;
	unsigned int i;
	void *memory;

	pthread_barrier_init(&spoken, NULL, nr_threads + 1);
	for (i = 0; i < nr_threads; i++)
		if (pthread_create(&thread, NULL, speak_and_stay, NULL))
			abort();
	pthread_barrier_wait(&spoken);
	limit(RLIMIT_AS, 0);
	limit(RLIMIT_DATA, 5);
	fflush(stdout);
	for (i = 0; i < 30 && !fork(); i++) {
		say_something();
		memory = malloc(1 << 20);
		if (!memory)
			_exit(7);
		free(memory);
	}
	if (i == 30)
		exit(0);
	wait(&status);
	if (i)
		exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
	puts(status ? "no memory" : "memory");
}

/* Limit files to 4,095 bytes, which is below a page, then fork. */
static void limit_files(void)
{
	struct rlimit limit = { 4095, RLIM_INFINITY };
	int status;

	say_something();
	if (setrlimit(RLIMIT_FSIZE, &limit))
		abort();
	if (!fork()) {
		say_something();
		_exit(7);
	}
	wait(&status);
	printf("status %x\n", (unsigned int)status);
}

/* Forbid the process to write files, as a sandbox does. */
static void forbid_files(void)
{
	struct rlimit limit = { 0, 0 };

	say_something();
	if (setrlimit(RLIMIT_FSIZE, &limit))
		abort();
	say_something();
	puts("alive");
}

/* Replace the trace's descriptor by a file of the host under the same number,
 * at once. */
static void replace(int number)
{
	static const char own[] = "of the host\n";
	int fd;

	say_something();
	close(number);
	fd = open("host.db", O_CREAT | O_TRUNC | O_WRONLY, 0666);
	if (fd < 0 || (fd != number && dup2(fd, number) < 0) ||
	    write(number, own, strlen(own)) < 0)
		abort();
	say_something();
}

static void replace_stderr(void)
{
	replace(STDERR_FILENO);
}

static void replace_nine(void)
{
	replace(TRACE_FD);
}

static void count(int signo)
{
	trace2_counter_add(counted, 1);
}

/* Run a handler on a stack of the former SIGSTKSZ, with unmapped memory
 * below. */
static void small_signal_stack(void)
{
	const size_t size = 8192, below = 1 << 20;
	struct sigaction action = { .sa_handler = count,
				    .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_size = size };
	char *p = mmap(NULL, below + size, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	if (p == MAP_FAILED ||
	    mprotect(p + below, size, PROT_READ | PROT_WRITE))
		abort();
	stack.ss_sp = p + below;
	if (sigaltstack(&stack, NULL)) {
		puts("too small for this machine");
		return;
	}
	sigaction(SIGUSR1, &action, NULL);
	for (i = 0; i < NR_COUNTED; i++)
		raise(SIGUSR1);
	trace2_counter_add(counted, 1);
	puts("alive");
}

/* Open the first file of the ring directory. */
static int open_ring(void)
{
	const char *name = getenv("GIT_TRACE2_RING");
	struct dirent **found;
	char path[4096];
	int nr;

	if (!name)
		return -1;
	nr = scandir(name, &found, NULL, alphasort);
	if (nr < 3)
		abort();
	snprintf(path, sizeof(path), "%s/%s", name, found[2]->d_name);
	while (nr)
		free(found[--nr]);
	free(found);
	return open(path, O_RDWR);
}

/* Overwrite the ring of the main thread with records of the smallest size, and
 * set its positions to more records than can be counted. */
static void scribble(int fd)
{
	const struct tr2_record smallest = { TR2_RECORD_FILLER, 0, 16 };
	struct tr2_arena_header header;
	struct tr2_control control;
	off_t slot, at;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		abort();
	slot = (off_t)(header.slots_offset + header.slot_size);
	for (at = 0; at < (off_t)header.data_size; at += 16)
		if (pwrite(fd, &smallest, sizeof(smallest),
			   slot + (off_t)header.data_offset + at) < 0)
			abort();
	if (pread(fd, &control, sizeof(control), slot) != sizeof(control))
		abort();
	control.data_tail = 0;
	control.data_head = control.reserved = UINT64_C(1) << 62;
	if (pwrite(fd, &control, sizeof(control), slot) < 0)
		abort();
}

static void scribbled_ring(void)
{
	int fd;

	say_something();
	fd = open_ring();
	if (fd >= 0)
		scribble(fd);
	say_something();
	puts("alive");
}

static void *work(void *arg)
{
	say_something();
	trace2_region_enter("changes", "work", NULL);
	trace2_timer_start(timed);
	trace2_timer_stop(timed);
	trace2_region_leave("changes", "work", NULL);
	return arg;
}

static void say(const char *who)
{
	trace2_data_string("changes", NULL, "who", who);
}

/* Mark the place in a trace of system calls, then call the library, also in a
 * new thread. System calls after the mark that a run without tracing does not
 * make are the library's. */
static void from_now_on(void)
{
	syscall(SYS_getsid, 0);
	work(NULL);
	host_in_thread(work, NULL);
	trace2_cmd_error("an error of the %s", "host");
	trace2_session_id();
}

static void reopen_from_now_on(void)
{
	from_now_on();
	trace2_reopen();
	say("again");
}

static void info_from_now_on(void)
{
	from_now_on();
	trace2_collect_process_info(TRACE2_PROCESS_INFO_STARTUP);
	trace2_collect_process_info(TRACE2_PROCESS_INFO_EXIT);
}

/* Give the calling thread a table of descriptors of its own, in which only the
 * standard ones are open. */
static void keep_three_descriptors(void)
{
	struct rlimit limit;
	int fd;

	if (unshare(CLONE_FILES) || getrlimit(RLIMIT_NOFILE, &limit))
		abort();
	for (fd = 3; fd < 1024 && (rlim_t)fd < limit.rlim_cur; fd++)
		close(fd);
}

static void *be_apart(void *reopens)
{
	keep_three_descriptors();
	say("apart");
	if (reopens)
		trace2_reopen();
	say("apart again");
	return NULL;
}

static void thread_with_own_descriptors(void)
{
	static char yes[] = "yes";

	say("before");
	host_in_thread(be_apart, NULL);
	say("after");
	host_in_thread(be_apart, yes);
	say("later");
	trace2_reopen();
	say("at last");
}

static pthread_barrier_t apart;

static void *say_before_and_after(void *unused)
{
	say("before");
	pthread_barrier_wait(&apart);
	pthread_barrier_wait(&apart);
	say("after");
	return unused;
}

static void main_with_own_descriptors(void)
{
	pthread_t thread;

	pthread_barrier_init(&apart, NULL, 2);
	thread = host_start(say_before_and_after, NULL);
	pthread_barrier_wait(&apart);
	be_apart(NULL);
	pthread_barrier_wait(&apart);
	pthread_join(thread, NULL);
}

static void close_all(void)
{
	int fd;

	for (fd = STDERR_FILENO + 1; fd < 4096; fd++)
		close(fd);
}

/* Close all descriptors in a table of the thread's own, and then emit an
 * event. */
static void *close_own(void *arg)
{
	int i;

	if (unshare(CLONE_FILES))
		abort();
	for (i = 0; i < 3; i++) {
		close_all();
		say_something();
	}
	return arg;
}

/* Close all descriptors again and again, as daemons do. */
static void close_often(void)
{
	int i;

	for (i = 0; i < 20; i++) {
		close_all();
		say_something();
	}
	printf("%d descriptors\n",
	       host_count_descriptors() - STDERR_FILENO - 1);
	for (i = 0; i < 20; i++) {
		host_in_thread(close_own, NULL);
		say_something();
	}
	printf("%d descriptors\n",
	       host_count_descriptors() - STDERR_FILENO - 1);
}

/* From here on, let the kernel answer the system call `call` with `answer`. */
static void answer_call(unsigned int call, unsigned int answer)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(*filter), .filter = filter
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		abort();
}

/* Let the kernel kill the process when it opens a file. */
static void close_in_sandbox(void)
{
	say_something();
	close_all();
	answer_call(SYS_openat, SECCOMP_RET_KILL_PROCESS);
	say_something();
	puts("in a sandbox");
}

#ifdef __x86_64__
static void refuse_trapped(int signo, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	(void)signo;
	(void)info;
	c->uc_mcontext.gregs[REG_RAX] = -EPERM;
}

/* Refuse to open files in a handler of SIGSYS, as sandboxes of browsers do. */
static void trap_opens(void)
{
	struct sigaction action = { .sa_sigaction = refuse_trapped,
				    .sa_flags = SA_SIGINFO };
	int status;

	if (sigaction(SIGSYS, &action, NULL))
		abort();
	answer_call(SYS_openat, SECCOMP_RET_TRAP);
	trace2_collect_process_info(TRACE2_PROCESS_INFO_STARTUP);
	if (!fork()) {
		say_something();
		_exit(7);
	}
	wait(&status);
	trace2_reopen();
	printf("status %x\n", (unsigned int)status);
}
#endif

/* Let the kernel refuse gettid(), as a sandbox may do. */
static void refuse_gettid(void)
{
	struct trace2_span span;

	answer_call(SYS_gettid, SECCOMP_RET_ERRNO | ENOSYS);
	errno = 4242;
	span = trace2_span_start("changes", "refused", TRACE2_SPAN_NONE);
	trace2_span_end(span);
	printf("errno %d\n", errno);
}

/* Close the trace, and give its name to another file. */
static void close_renamed(void)
{
	say_something();
	close_all();
	if (rename("e", "e.old") ||
	    close(open("e", O_CREAT | O_WRONLY | O_CLOEXEC, 0666)))
		abort();
	say_something();
}

/* Print the C library's zone, then local time after a change of TZ:
 * localtime_r() reads TZ at its first call, and need not read it again. */
static void change_zone(void)
{
	const time_t when = 0;
	struct tm tm;

	say_something();
	printf("%ld %s\n", timezone, tzname[0]);
	setenv("TZ", "BBB-9", 1);
	localtime_r(&when, &tm);
	printf("%d %s\n", tm.tm_hour, tm.tm_zone);
}

static const struct host_verb verbs[] = {
	{ "thread-with-own-descriptors", thread_with_own_descriptors },
	{ "main-with-own-descriptors", main_with_own_descriptors },
	{ "close-often", close_often },
	{ "close-in-sandbox", close_in_sandbox },
#ifdef __x86_64__
	{ "trap-opens", trap_opens },
#endif
	{ "refuse-gettid", refuse_gettid },
	{ "close-renamed", close_renamed },
	{ "limit-memory", limit_memory },
	{ "limit-memory-of-children", limit_memory_of_children },
	{ "limit-files", limit_files },
	{ "forbid-files", forbid_files },
	{ "change-zone", change_zone },
	{ "replace-stderr", replace_stderr },
	{ "replace-nine", replace_nine },
	{ "small-signal-stack", small_signal_stack },
	{ "scribbled-ring", scribbled_ring },
	{ "from-now-on", from_now_on },
	{ "reopen-from-now-on", reopen_from_now_on },
	{ "info-from-now-on", info_from_now_on },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	const struct host_verb *verb = host_verb(verbs, argc, argv);

	trace2_initialize();
	trace2_cmd_start((const char *const *)argv);
	verb->run();
	return trace2_cmd_exit(0);
}

/* SPDX-License-Identifier: MIT */
/*
 * `test-tool ring wait FILE SLOT HOW RECORDS`: a reader in another process that
 * sleeps as described in Documentation/technical/ring-format.adoc, and reports
 * why it woke. It prints `waits` before it sleeps, and then one of
 *
 *	woken N	N new records are in the ring
 *	ended	the writer ended, without a new record
 */
#include "base/sanitize.h"
#include "cmd-ring.h"

#include <linux/futex.h>

static struct tr2_control *ring;

static int open_pipe(const struct tool_arena *arena)
{
	const struct tr2_arena_header *h = arena->header;
	struct stat st;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/fd/%d", h->pid, h->wake_fd);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !S_ISFIFO(st.st_mode) ||
	    st.st_ino != h->wake_inode)
		tool_die("'%s' is not the pipe of the ring", path);
	return fd;
}

static void say_waits(void)
{
	puts("waits");
	fflush(stdout);
}

static uint64_t head_now(void)
{
	return __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
}

static void sleep_on_futex(uint64_t head)
{
	uint32_t seen = __atomic_load_n(&ring->wake, __ATOMIC_ACQUIRE);

	__atomic_fetch_or(&ring->sleepers, TR2_SLEEPS_FUTEX, __ATOMIC_SEQ_CST);
	tr2_fence(__ATOMIC_SEQ_CST);
	say_waits();
	while (head_now() == head &&
	       __atomic_load_n(&ring->wake, __ATOMIC_ACQUIRE) == seen)
		if (syscall(SYS_futex, &ring->wake, FUTEX_WAIT, seen, NULL,
			    NULL, 0) < 0 && errno != EAGAIN && errno != EINTR)
			tool_die("futex: %s", strerror(errno));
}

static void ask_the_pipe(void)
{
	__atomic_fetch_or(&ring->sleepers, TR2_SLEEPS_POLL, __ATOMIC_SEQ_CST);
	tr2_fence(__ATOMIC_SEQ_CST);
}

static void sleep_in_poll(const struct tool_arena *arena)
{
	struct pollfd p = { .fd = open_pipe(arena), .events = POLLIN };

	ask_the_pipe();
	say_waits();
	if (poll(&p, 1, -1) < 0)
		tool_die("poll: %s", strerror(errno));
	printf("%s%s ", p.revents & POLLIN ? "POLLIN" : "",
	       p.revents & POLLHUP ? "POLLHUP" : "");
	close(p.fd);
}

static void sleep_for_signal(const struct tool_arena *arena)
{
	int fd = open_pipe(arena), signo = SIGRTMIN + 1;
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signo);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (fcntl(fd, F_SETOWN, getpid()) || fcntl(fd, F_SETSIG, signo) ||
	    fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC))
		tool_die("fcntl: %s", strerror(errno));
	ask_the_pipe();
	say_waits();
	if (sigwaitinfo(&set, &info) != signo)
		tool_die("sigwaitinfo: %s", strerror(errno));
	printf("%s ", info.si_fd == fd && info.si_band & POLLIN ?
			      "signal POLLIN" : "signal");
	close(fd);
}

/* Count the records from a position on. */
static unsigned int count_records(const struct tr2_slot *slot, uint64_t from)
{
	uint64_t head = head_now();
	const struct tr2_record *record;
	unsigned int nr = 0;

	while (from < head) {
		record = tool_ring_record(slot, from, head);
		nr += record->type != TR2_RECORD_FILLER;
		from += record->size;
	}
	return nr;
}

static int ring_wait(int argc, const char **argv)
{
	struct tool_arena arena;
	struct tr2_slot *slot;
	unsigned int nr;
	uint64_t head;

	tool_arena_open(&arena, argv[0], true);
	slot = tool_arena_slot(&arena, (unsigned int)tool_unsigned(argv[1]));
	ring = &slot->control;
	__atomic_store_n(&ring->wakeup_events,
			 (uint32_t)tool_unsigned(argv[3]), __ATOMIC_RELAXED);
	head = head_now();
	if (!strcmp(argv[2], "futex"))
		sleep_on_futex(head);
	else if (!strcmp(argv[2], "poll"))
		sleep_in_poll(&arena);
	else if (!strcmp(argv[2], "signal"))
		sleep_for_signal(&arena);
	else
		tool_usage_error("'%s' is no way to sleep", argv[2]);
	nr = count_records(slot, head);
	if (nr)
		printf("woken %u\n", nr);
	else
		puts("ended");
	return 0;
}

const struct tool_verb tool_verbs_ring_wait[] = {
	{ "wait", "<file> <slot> futex|poll|signal <records>", 4, 4,
	  ring_wait },
	{ NULL, NULL, 0, 0, NULL },
};

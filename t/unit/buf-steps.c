/* SPDX-License-Identifier: MIT */
/*
 * A signal handler that jumps out of a thread's buffer while that grows, moves
 * and moves back, at each single instruction: the buffer stays usable. Not
 * possible on processors other than x86-64, nor under valgrind.
 */
#include <setjmp.h>

#include "../helper/breakpoint.h"
#include "base/buf.h"
#include "base/sanitize.h"
#include "tap.h"

static char home[64];
static struct tr2_buf buf;
static struct path *path;
static sigjmp_buf back;
static volatile bool is_running, is_masked, has_jumped;

/* Replaces libc's function for the buffer: a stop after an instruction while
 * SIGTRAP is blocked would end the program. */
__attribute__((visibility("default"))) int
pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	if (before)
		sigemptyset(before);
	is_masked = how == SIG_BLOCK;
	return 0;
}

static void on_step(int signo, siginfo_t *info, void *context)
{
	if (!breakpoint_is_hit(path, context, is_running && !is_masked))
		return;
	has_jumped = true;
	siglongjmp(back, 1);
}

static __attribute__((noinline)) void grow_and_shrink(void)
{
	static const char text[100];

	tr2_buf_reset(&buf);
	tr2_buf_add(&buf, text, 10);
	tr2_buf_add(&buf, text, sizeof(text));
	tr2_buf_room(&buf, 1000000);
	tr2_buf_release(&buf);
}

static bool is_mapped(const char *p, size_t bytes)
{
	static unsigned char pages[1024];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return bytes / page <= sizeof(pages) &&
	       !((uintptr_t)p % page) &&
	       !mincore((void *)(uintptr_t)p, bytes, pages);
}

static bool is_usable(void)
{
	if (buf.p == home)
		return buf.alloc == sizeof(home);
	return buf.alloc > sizeof(home) && is_mapped(buf.p, buf.alloc);
}

/* Run the same instructions, recorded or not. */
static __attribute__((noinline)) void run_interrupted(void)
{
	is_running = true;
	grow_and_shrink();
	is_running = false;
}

/* Record the path, without a jump. */
#define NEVER -1

static void run_once(long at)
{
	has_jumped = false;
	if (!sigsetjmp(back, 1)) {
		if (at == NEVER)
			breakpoint_record(path, true);
		else
			breakpoint_set(path, at);
		run_interrupted();
		if (at == NEVER)
			breakpoint_record(path, false);
	}
	is_running = false;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_step,
				    .sa_flags = SA_SIGINFO };
	unsigned int nr_wrong = 0;
	char what[128];
	long at, nr = 0;

	if (TR2_TSAN) {
		puts("1..0 # SKIP ThreadSanitizer watches writes to the code");
		return 0;
	}
	path = path_new();
	sigaction(SIGTRAP, &action, NULL);
	tr2_buf_init_home(&buf, home, sizeof(home));
	grow_and_shrink();
	path_begin(path);
	do
		run_once(NEVER);
	while (!path->is_whole);
	if (!path->nr) {
		puts("1..0 # SKIP nothing stops behind each instruction here");
		return 0;
	}
	for (at = 0; at < path->nr && !nr_wrong; at++) {
		if (!path->counts[at])
			continue;
		nr++;
		run_once(at);
		nr_wrong += !has_jumped || !is_usable();
		if (nr_wrong)
			printf("# behind %ld: %p, %zu bytes\n", at,
			       (void *)buf.p, buf.alloc);
		/* The next call finds the buffer in this state. */
		is_masked = false;
		grow_and_shrink();
		nr_wrong += buf.p != home;
	}
	snprintf(what, sizeof(what), "a jump behind each of %ld instructions",
		 nr);
	ok(!nr_wrong && nr > 100, what);
	return done_testing();
}

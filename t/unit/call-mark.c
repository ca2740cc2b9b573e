/* SPDX-License-Identifier: MIT */
/* Marks in stack frames that exist, and that have been left. */
#include "base/call_mark.h"
#include "base/sanitize.h"
#include "tap.h"

#define STACK_BYTES 65536u

/* A mark that is not in the caller's frame. */
static struct tr2_call_mark *far;
static struct tr2_call_mark now;

static bool is_over(const struct tr2_call_mark *in)
{
	return tr2_call_mark_is_over((uintptr_t)in, &now);
}

static void test_marks(void)
{
	tr2_call_mark_begin(far);
	ok(!is_over(far), "one that is inside");
	tr2_call_mark_end(far);
	ok(is_over(far), "one that has ended");
	tr2_call_mark_begin(far);
	far->mark++;
	ok(is_over(far), "one that was overwritten");
	far[1].mark = tr2_call_mark_value((uintptr_t)far);
	ok(is_over(far + 1), "a mark that was copied");
	tr2_call_mark_begin(far);
	mprotect(far, STACK_BYTES, PROT_NONE);
	ok(is_over(far), "on a stack that is out of reach");
	munmap(far, STACK_BYTES);
	ok(is_over(far), "on a stack that was unmapped");
}

static void test_errno(void)
{
	errno = EDOM;
	is_over(far);
	ok(errno == EDOM, "errno is kept");
}

/* Requires local variables on the real stack. */
static void test_own_frame(void)
{
	struct tr2_call_mark in[2];

	tr2_call_mark_begin(&in[0]);
	ok(tr2_call_mark_is_over((uintptr_t)&in[0], &in[1]),
	   "a mark in the frame of the caller is over");
}

static volatile bool was_interrupted;
static struct tr2_call_mark *asked_for;

static void ask(int signo)
{
	struct tr2_call_mark in;

	tr2_call_mark_begin(&in);
	was_interrupted =
		tr2_call_mark_is_interrupted((uintptr_t)asked_for, &in);
}

static void raise_on(const char *what, char *stack)
{
	struct sigaction action = { .sa_handler = ask };
	struct tr2_call_mark in;
	stack_t alternate = { .ss_sp = stack, .ss_size = STACK_BYTES };

	if (stack) {
		action.sa_flags = SA_ONSTACK;
		sigaltstack(&alternate, NULL);
	}
	sigaction(SIGUSR1, &action, NULL);
	asked_for = &in;
	was_interrupted = false;
	raise(SIGUSR1);
	ok(was_interrupted, what);
}

static __attribute__((noinline)) void test_handlers(char *above)
{
	static char below[STACK_BYTES];

	raise_on("a handler on the same stack", NULL);
	raise_on("on an alternate stack that is further down", below);
	raise_on("on one that is further up", above);
	ok(!tr2_call_mark_is_interrupted((uintptr_t)above - STACK_BYTES,
				      (const void *)above),
	   "none");
}

int main(void)
{
	char above[STACK_BYTES] __attribute__((aligned(64)));

	far = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (far == MAP_FAILED)
		return 1;
	test_marks();
	test_errno();
	if (!TR2_ASAN && !TR2_TSAN)
		test_own_frame();
	if (!TR2_ASAN)
		test_handlers(above);
	return done_testing();
}

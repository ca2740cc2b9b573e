/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a destination: for its lock, with signal handlers that jump out
 * at each instruction of taking and releasing it; and for a reader that stalls,
 * with handlers that jump out of the wait; and the accounts of that time.
 */
#include <setjmp.h>

#include "../helper/host.h"
#include "../helper/single-step.h"
#include "base/sanitize.h"
#include "tap.h"
#include "target/wait.h"

#if defined(__SANITIZE_ADDRESS__)
#define TOO_SLOW true /* a hundred instructions become thousands */
#else
#define TOO_SLOW TR2_TSAN
#endif

#define WAITERS 0x80000000u
#define BEFORE_LAST(ns) ((ns) - (ns) / 4)
#define NR_TURNS 60 /* milliseconds, more than the timeout */

static struct tr2_dest dest;
static sigjmp_buf back;
static volatile long steps, leave_behind;
static uint32_t me;

static uint32_t tid_of_thread(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static enum tr2_locking lock_as(uint32_t tid)
{
	return tr2_wait_lock(&dest, &tid);
}

static void start(void)
{
	dest = (struct tr2_dest){ .kind = TR2_DEST_PIPE };
	tr2_wait_init(&dest, false);
}

static void give_time_back(void)
{
	tr2_wait_note_progress(&dest, TR2_STALL_NS);
}

/* Another thread and this one advance in lockstep. */
static pthread_t other;
static atomic_int other_stage;
static atomic_bool over;

static void start_other(void *(*run)(void *))
{
	atomic_store(&other_stage, 0);
	atomic_store(&over, false);
	if (pthread_create(&other, NULL, run, NULL))
		abort();
}

static void wait_for_stage(int stage)
{
	while (atomic_load(&other_stage) < stage)
		sched_yield();
}

static bool nobody_has_it(void)
{
	return !atomic_load(&dest.lock);
}

static bool somebody_sleeps(void)
{
	return atomic_load(&dest.lock) & WAITERS;
}

static void on_step(int signo)
{
	if (steps++ == leave_behind)
		siglongjmp(back, 1);
}

/* An operation that is interrupted at an instruction, with the actions before
 * and after it. */
struct operation {
	void (*before)(void);
	void (*run)(void);
	bool (*is_well)(void);
};

static __attribute__((noinline)) bool leave(const struct operation *operation,
					    long behind)
{
	if (operation->before)
		operation->before();
	steps = 0;
	leave_behind = behind;
	if (!sigsetjmp(back, 1)) {
		stop_after_each(true);
		operation->run();
		stop_after_each(false);
	}
	tr2_dest_abandon(&dest, me);
	return operation->is_well();
}

static void leave_at_each(const struct operation *operation, const char *what)
{
	bool well;
	long i = 0;

	start();
	do {
		well = leave(operation, i++);
	} while (well && steps == i);
	if (!ok(well && i > 10, what))
		printf("# behind instruction %ld\n", i);
}

static void take_and_give(void)
{
	uint32_t tid = me;

	tr2_wait_lock(&dest, &tid);
	tr2_wait_unlock(&dest, tid);
}

static void give(void)
{
	tr2_wait_unlock(&dest, me);
}

static const struct timespec moment = { 0, 1000000 };

/*
 * Wait for the lock's owner, which may get no CPU on a busy machine. Once the
 * patience is used up, nobody waits for the owner: ten seconds are enough.
 */
static void *wait_for_it(void *arg)
{
	uint32_t tid = tid_of_thread();
	int tries = 10000;

	while (lock_as(tid) != TR2_LOCKED) {
		if (!tries--)
			return arg;
		give_time_back();
		nanosleep(&moment, NULL);
	}
	atomic_store(&other_stage, 1);
	tr2_wait_unlock(&dest, tid);
	return arg;
}

static void have_a_waiter(void)
{
	lock_as(me);
	start_other(wait_for_it);
	while (!somebody_sleeps())
		sched_yield();
}

static bool waiter_had_it(void)
{
	pthread_join(other, NULL);
	return atomic_load(&other_stage) == 1 && nobody_has_it();
}

/* Release the lock when another thread waits for it. */
static void *have_it(void *arg)
{
	uint32_t tid = tid_of_thread();

	lock_as(tid);
	atomic_store(&other_stage, 1);
	while (!somebody_sleeps() && !atomic_load(&over))
		sched_yield();
	tr2_wait_unlock(&dest, tid);
	return arg;
}

static void have_an_owner(void)
{
	start_other(have_it);
	wait_for_stage(1);
}

static bool owner_gave_it(void)
{
	atomic_store(&over, true);
	pthread_join(other, NULL);
	return nobody_has_it();
}

static void test_each_instruction(void)
{
	static const struct operation quick = { NULL, take_and_give,
						nobody_has_it };
	static const struct operation giving = { have_a_waiter, give,
						 waiter_had_it };
	static const struct operation waiting = { have_an_owner, take_and_give,
						  owner_gave_it };

	leave_at_each(&quick, "a jump out of taking and giving it");
	leave_at_each(&giving, "a jump out of giving it to one that waits");
	leave_at_each(&waiting, "a jump out of waiting for it");
}

static atomic_bool works;

/* Hold the lock until the test is over. If `works` is set, work once more. */
static void *keep_it(void *arg)
{
	uint32_t tid = tid_of_thread();

	lock_as(tid);
	atomic_store(&other_stage, 1);
	while (!atomic_load(&over)) {
		if (atomic_exchange(&works, false)) {
			tr2_wait_beat(&dest);
			atomic_store(&other_stage, 2);
		}
		sched_yield();
	}
	tr2_wait_unlock(&dest, tid);
	return arg;
}

static void test_owner_that_does_nothing(void)
{
	start();
	start_other(keep_it);
	wait_for_stage(1);
	ok(lock_as(me) == TR2_LOCK_LOST, "it is not waited for without end");
	ok(lock_as(me) == TR2_LOCK_LOST, "nor again");
	atomic_store(&over, true);
	pthread_join(other, NULL);
	ok(lock_as(me) == TR2_LOCKED, "when it is free it is taken");
	ok(!dest.cut, "no line was cut");
	give_time_back();
	is_u64(atomic_load(&dest.silence_ns) + atomic_load(&dest.kept_ns), 0,
	       "lines give the time back");
	tr2_wait_unlock(&dest, me);
}

/* The owner has no CPU for a time, and works again later. The time that others
 * waited for the lock counts for the whole process. */
static void test_owner_that_works_again(void)
{
	const uint64_t most = BEFORE_LAST(TR2_STALL_NS);
	uint64_t kept;

	start();
	start_other(keep_it);
	wait_for_stage(1);
	ok(lock_as(me) == TR2_LOCK_LOST, "its silence costs a line");
	is_u64(atomic_load(&dest.silence_ns), most,
	       "and all the time there is");
	atomic_store(&works, true);
	wait_for_stage(2);
	ok(lock_as(me) == TR2_LOCK_LOST, "it is waited for again");
	kept = atomic_load(&dest.kept_ns);
	is_u64(kept, most / 8, "with the time that was given back, but a part");
	is_u64(atomic_load(&dest.silence_ns), most - kept,
	       "which is not spent");
	atomic_store(&over, true);
	pthread_join(other, NULL);
	ok(lock_as(me) == TR2_LOCKED, "others take it later");
	tr2_wait_unlock(&dest, me);
	start_other(keep_it);
	wait_for_stage(1);
	tr2_wait_note_progress(&dest, TR2_STALL_NS / TR2_STALL_BACK_NS);
	is_u64(atomic_load(&dest.kept_ns), 0, "lines give that part back");
	ok(lock_as(me) == TR2_LOCK_LOST, "the next one that does not work");
	is_u64(atomic_load(&dest.silence_ns) + atomic_load(&dest.kept_ns), most,
	       "has all the time again");
	atomic_store(&over, true);
	pthread_join(other, NULL);
	give_time_back();
}

/* Release the lock now and then, shortly after another thread began to wait.
 * Take it without a wait, which would change the other thread's time. */
static _Atomic uint64_t turn_ns; /* when the last turn began */

static void *have_it_often(void *arg)
{
	uint32_t tid = tid_of_thread();
	int i;

	for (i = 0; i < NR_TURNS && !atomic_load(&over); i++) {
		atomic_store(&turn_ns, host_now_ns());
		while (!nobody_has_it())
			sched_yield();
		while (lock_as(tid) != TR2_LOCKED)
			give_time_back();
		atomic_store(&other_stage, 1);
		while (!somebody_sleeps() && !atomic_load(&over))
			sched_yield();
		nanosleep(&moment, NULL);
		tr2_wait_unlock(&dest, tid);
		atomic_store(&other_stage, 0);
	}
	atomic_store(&over, true);
	return arg;
}

static void test_owners_that_go_on(void)
{
	unsigned int nr_early = 0;
	uint64_t from;

	start();
	start_other(have_it_often);
	while (!atomic_load(&over)) {
		if (!atomic_load(&other_stage)) {
			sched_yield();
			continue;
		}
		/* On a busy machine one turn may take as long as all. The next
		 * one may begin before this wait is over. */
		from = atomic_load(&turn_ns);
		if (lock_as(me) == TR2_LOCKED) {
			tr2_wait_unlock(&dest, me);
		} else if (host_now_ns() - from < BEFORE_LAST(TR2_STALL_NS)) {
			nr_early++;
			atomic_store(&over, true);
		}
		give_time_back();
	}
	pthread_join(other, NULL);
	is_u64(nr_early, 0, "a lock that changes owners is waited for");
	is_u64(atomic_load(&dest.charged_ns), 0, "and the reader's time stays");
}

static void *take_it_and_end(void *arg)
{
	lock_as(tid_of_thread());
	return arg;
}

static void test_owner_that_ended(void)
{
	start();
	start_other(take_it_and_end);
	pthread_join(other, NULL);
	ok(lock_as(me) == TR2_LOCKED,
	   "a thread that ended leaves it to others");
	ok(dest.cut, "its line may be cut");
	dest.cut = false;
	ok(lock_as(me) == TR2_LOCKED, "a thread that left it behind takes it");
	ok(dest.cut, "that line, too");
	tr2_wait_unlock(&dest, me);
	ok(nobody_has_it(), "it is free");
}

static void jump_back(int signo)
{
	siglongjmp(back, 1);
}

static void alarm_in(long us)
{
	struct itimerval once = { { 0, 0 }, { 0, us } };

	setitimer(ITIMER_REAL, &once, NULL);
}

static int full_pipe(void)
{
	static const char zeros[4096];
	int ends[2];

	if (pipe2(ends, O_NONBLOCK))
		abort();
	while (write(ends[1], zeros, sizeof(zeros)) > 0)
		;
	return ends[1];
}

/* A handler that jumps out of a wait is charged the rest of the time. */
static void test_jumps_out_of_waiting(void)
{
	struct sigaction action = { .sa_handler = jump_back };
	volatile unsigned int jumps = 0;
	int fd = full_pipe();

	start();
	sigaction(SIGALRM, &action, NULL);
	if (sigsetjmp(back, 1))
		jumps++;
	alarm_in(500);
	if (jumps < 1000 && tr2_wait_for_reader(&dest, fd))
		abort();
	alarm_in(0);
	ok(jumps < 1000, "the reader is waited for no longer, jumps or not");
	is_u64(atomic_load(&dest.charged_ns), BEFORE_LAST(TR2_STALL_NS),
	       "all the time is used up, but that of the last line");
	tr2_wait_note_progress(&dest, 10);
	is_u64(atomic_load(&dest.charged_ns),
	       BEFORE_LAST(TR2_STALL_NS) - 10 * TR2_STALL_BACK_NS,
	       "what the reader takes gives some back");
	tr2_wait_note_progress(&dest, TR2_STALL_NS);
	close(fd);
}

#define PATIENCE_NS UINT64_C(1000000000)

/* A patient destination does not change for how long others are waited for. */
static void test_patience(void)
{
	int fd = full_pipe();

	tr2_dest_set_patience(1);
	start();
	dest.patient = true;
	ok(!tr2_wait_for_reader(&dest, fd), "patience ends");
	is_u64(atomic_load(&dest.charged_ns), BEFORE_LAST(PATIENCE_NS),
	       "when all of it is used up, but that of the last line");
	tr2_wait_init(&dest, true);
	is_u64(atomic_load(&dest.charged_ns), BEFORE_LAST(PATIENCE_NS),
	       "a forked child has no more of it");
	start();
	ok(!tr2_wait_for_reader(&dest, fd), "others wait, too");
	is_u64(atomic_load(&dest.charged_ns), BEFORE_LAST(TR2_STALL_NS),
	       "and not for longer");
	tr2_dest_expect_last();
	ok(!tr2_wait_for_reader(&dest, fd), "and again for the last line");
	is_u64(atomic_load(&dest.charged_ns), TR2_STALL_NS,
	       "with the rest of the time");
	tr2_wait_note_progress(&dest, TR2_STALL_NS);
	start();
	dest.patient = true;
	ok(!tr2_wait_for_reader(&dest, fd), "so does the patient one");
	is_u64(atomic_load(&dest.charged_ns),
	       PATIENCE_NS - BEFORE_LAST(PATIENCE_NS),
	       "with the rest of its own");
	dest.fd = fd;
	tr2_wait_note_progress(&dest, 1);
	is_u64(atomic_load(&dest.charged_ns),
	       PATIENCE_NS - BEFORE_LAST(PATIENCE_NS),
	       "room that was left gives nothing back");
	dest.fd = open("/dev/null", O_WRONLY);
	tr2_wait_note_progress(&dest, 1);
	is_u64(atomic_load(&dest.charged_ns), 0,
	       "a reader that takes something gives all back");
	close(dest.fd);
	close(fd);
}

/* Can a signal follow each instruction? Valgrind and some processors cannot. */
static bool stops_behind_each(void)
{
	struct sigaction action = { .sa_handler = on_step };

	steps = 0;
	leave_behind = -1;
	sigaction(SIGTRAP, &action, NULL);
	stop_after_each(true);
	stop_after_each(false);
	return steps && !TOO_SLOW;
}

int main(void)
{
	me = tid_of_thread();
	test_owner_that_does_nothing();
	test_owner_that_works_again();
	test_owners_that_go_on();
	test_owner_that_ended();
	test_jumps_out_of_waiting();
	if (stops_behind_each())
		test_each_instruction();
	/* This is the last test: it announces the process's last line. */
	test_patience();
	return done_testing();
}

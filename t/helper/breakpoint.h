/* SPDX-License-Identifier: MIT */
/*
 * breakpoint - stop at any instruction of a run. The run is recorded once, with
 * a stop after each instruction; further runs go at full speed to a breakpoint
 * at one of them, and pass it as often as the recorded run did before. x86-64
 * only.
 *
 *	the handler of SIGTRAP:
 *		if (breakpoint_is_hit(path, context, counts))
 *			...
 *	path->nr = 0;
 *	breakpoint_record(path, true);
 *	run();
 *	breakpoint_record(path, false);
 *	for (i = 0; i < path->nr; i++) {
 *		breakpoint_set(path, i);
 *		run();
 *		breakpoint_clear();
 *	}
 */
#ifndef BREAKPOINT_H
#define BREAKPOINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "single-step.h"

#define PATH_LENGTH (1 << 17)
#define TRAP_FLAG 0x100
#define INT3 0xcc

/* Shared with forked children. */
struct path {
	volatile bool is_recording;
	volatile long nr;
	uintptr_t at[PATH_LENGTH];
};

/* An instruction replaced by a breakpoint. */
struct patch {
	volatile unsigned char *at; /* NULL: none */
	unsigned char instead; /* the byte that was replaced */
};

/*
 * To pass the place before its time, a second breakpoint is set at the next
 * instruction: single-stepping is slow in virtual machines.
 */
static struct {
	bool is_set;
	struct patch place, behind;
	/* indexes in the path: the next pass, and the one to stop at */
	volatile long next, last;
	/* number of instructions to single-step from there */
	volatile long steps;
} breakpoint;

static inline struct path *path_new(void)
{
	void *p = mmap(NULL, sizeof(struct path), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

/* Count how often the path passes the place before. */
static inline long path_passes(const struct path *path, long nr)
{
	long i, passes = 0;

	for (i = 0; i < nr; i++)
		passes += path->at[i] == path->at[nr];
	return passes;
}

/* Find the first pass of a place, from a point of the path on. */
static inline long path_find(const struct path *path, uintptr_t at, long from)
{
	while (from < path->nr && path->at[from] != at)
		from++;
	return from;
}

/* The kernel's code for reading the clock is not writable. */
static inline bool path_is_writable(const struct path *path, long nr)
{
	void *page = (void *)(path->at[nr] & ~(uintptr_t)4095);

	return !mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
}

static inline void patch_set(struct patch *patch, uintptr_t at)
{
	patch->at = (volatile unsigned char *)at;
	patch->instead = *patch->at;
	*patch->at = INT3;
}

static inline void patch_clear(struct patch *patch)
{
	if (patch->at)
		*patch->at = patch->instead;
	patch->at = NULL;
}

static inline void breakpoint_record(struct path *path, bool on)
{
	path->is_recording = on;
	stop_behind_each(on);
}

static inline void breakpoint_clear(void)
{
	patch_clear(&breakpoint.place);
	patch_clear(&breakpoint.behind);
	breakpoint.is_set = false;
}

static inline void breakpoint_set(const struct path *path, long nr)
{
	long last = nr;

	while (!path_is_writable(path, last))
		if (!last--)
			abort();
	breakpoint.steps = nr - last;
	breakpoint.last = last;
	breakpoint.next = path_find(path, path->at[last], 0);
	breakpoint.is_set = true;
	patch_set(&breakpoint.place, path->at[last]);
}

#if defined(__x86_64__)
static inline bool breakpoint_step(greg_t *regs)
{
	regs[REG_EFL] |= TRAP_FLAG;
	return false;
}

static inline bool breakpoint_reached(greg_t *regs, long steps)
{
	if (steps)
		return breakpoint_step(regs);
	regs[REG_EFL] &= ~TRAP_FLAG;
	breakpoint_clear();
	return true;
}

/* Handle the breakpoint at the place, which has been cleared. */
static inline bool breakpoint_pass(const struct path *path, greg_t *regs,
				   bool counts)
{
	long nr = breakpoint.next;
	uintptr_t at = (uintptr_t)regs[REG_RIP];

	if (!counts)
		return breakpoint_step(regs);
	if (nr == breakpoint.last) {
		breakpoint.next = path->nr;
		return breakpoint_reached(regs, breakpoint.steps);
	}
	breakpoint.next = path_find(path, at, nr + 1);
	if (path->at[nr + 1] == at || !path_is_writable(path, nr + 1))
		return breakpoint_step(regs);
	patch_set(&breakpoint.behind, path->at[nr + 1]);
	return false;
}

/*
 * counts: this is a place to stop at. true: the run has reached it, and the
 * breakpoint is cleared.
 */
static inline bool breakpoint_is_hit(struct path *path, void *context,
				     bool counts)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	bool is_step = regs[REG_EFL] & TRAP_FLAG;
	uintptr_t at;

	if (path->is_recording) {
		if (counts && path->nr < PATH_LENGTH)
			path->at[path->nr++] = (uintptr_t)regs[REG_RIP];
		return false;
	}
	regs[REG_EFL] &= ~TRAP_FLAG;
	if (!breakpoint.is_set)
		return false;
	if (is_step && breakpoint.next == path->nr)
		return breakpoint_reached(regs, breakpoint.steps -= counts);
	if (!is_step) {
		at = (uintptr_t)--regs[REG_RIP];
		if (breakpoint.place.at == (volatile unsigned char *)at) {
			patch_clear(&breakpoint.place);
			return breakpoint_pass(path, regs, counts);
		}
		patch_clear(&breakpoint.behind);
	}
	patch_set(&breakpoint.place, path->at[breakpoint.last]);
	return false;
}
#else
static inline bool breakpoint_is_hit(struct path *path, void *context,
				     bool counts)
{
	(void)path;
	(void)context;
	(void)counts;
	return false;
}
#endif

#endif

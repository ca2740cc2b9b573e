/* SPDX-License-Identifier: MIT */
/*
 * breakpoint - stop at any instruction of a run. Runs are recorded first, with
 * a stop after each instruction; further runs go at full speed to a breakpoint
 * at one of them, and pass it as often as the recorded runs did before. x86-64
 * only.
 *
 *	the handler of SIGTRAP:
 *		if (breakpoint_is_hit(path, context, counts))
 *			...
 *	path_begin(path);
 *	do {
 *		breakpoint_record(path, true);
 *		run();
 *		breakpoint_record(path, false);
 *	} while (!path->is_whole);
 *	for (i = 0; i < path->nr; i++) {
 *		if (!path->counts[i])
 *			continue;
 *		breakpoint_set(path, i);
 *		run();
 *		breakpoint_clear();
 *	}
 */
#pragma once

#include "system.h"

#include <ucontext.h>

#include "single-step.h"

#define PATH_LENGTH (1 << 17)
#define TRAP_FLAG 0x100
#define INT3 0xcc

/* Record a path in pieces: single-stepping a whole run is slow, and the time
 * that it takes changes the path. Each run goes at full speed to the end of the
 * recorded path, and adds PIECE_LENGTH instructions. If the next run does not
 * reach a piece, record it again, at most PATIENCE times. */
#define PIECE_LENGTH 100
#define PATIENCE 50

/* A recorded path, in memory that is shared with forked children. */
struct path {
	volatile bool is_recording, is_whole;
	volatile long nr, piece_end;
	volatile int nr_repeated;
	uintptr_t at[PATH_LENGTH];
	bool counts[PATH_LENGTH]; /* further runs may stop at this place */
};

/* An instruction that a breakpoint replaces. */
struct patch {
	volatile unsigned char *at; /* NULL: none */
	unsigned char instead; /* the byte that was replaced */
};

/*
 * The present stop. A run may pass the place of the stop earlier, too. A second
 * breakpoint, at the next instruction, then sets the first one again:
 * single-stepping would be slow in virtual machines.
 */
static struct {
	bool is_set;
	struct patch place, behind;
	/* indexes in the path: the next pass of the place, and the pass to stop
	 * at */
	volatile long next, last;
	/* number of instructions to single-step from the pass `last` */
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

static inline void path_begin(struct path *path)
{
	path->nr = 0;
	path->nr_repeated = 0;
	path->is_whole = false;
}

static inline long path_stops(const struct path *path)
{
	long i, nr = 0;

	for (i = 0; i < path->nr; i++)
		nr += path->counts[i];
	return nr;
}

/* Count how often the path passes the place of instruction nr before nr. */
static inline long path_passes(const struct path *path, long nr)
{
	long i, passes = 0;

	for (i = 0; i < nr; i++)
		passes += path->at[i] == path->at[nr];
	return passes;
}

/* Find the first pass of a place, from a given point of the path. */
static inline long path_find(const struct path *path, uintptr_t at, long from)
{
	while (from < path->nr && path->at[from] != at)
		from++;
	return from;
}

/* Return whether a breakpoint can be set: the kernel's code for reading the
 * clock is not writable. */
static inline bool path_is_writable(const struct path *path, long nr)
{
	static struct {
		uintptr_t page;
		bool is_writable;
	} known[256];
	uintptr_t page = path->at[nr] & ~(uintptr_t)4095;
	size_t i = page / 4096 % 256;

	if (known[i].page != page) {
		known[i].is_writable =
			!mprotect((void *)page, 4096,
				  PROT_READ | PROT_WRITE | PROT_EXEC);
		known[i].page = page;
	}
	return known[i].is_writable;
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

static inline void breakpoint_begin_piece(struct path *path)
{
	/* Let a piece that is recorded again end at another place. */
	path->piece_end = path->nr + PIECE_LENGTH + path->nr_repeated;
	path->is_recording = true;
	if (path->nr)
		breakpoint_set(path, path->nr - 1);
	else
		stop_after_each(true);
}

static inline void breakpoint_end_piece(struct path *path)
{
	bool was_missed = breakpoint.is_set;

	stop_after_each(false);
	breakpoint_clear();
	if (was_missed && path->nr_repeated++ < PATIENCE)
		path->nr = path->nr > PIECE_LENGTH ? path->nr - PIECE_LENGTH :
						     0;
	else
		path->is_whole = path->is_recording || was_missed;
	path->is_recording = false;
}

static inline void breakpoint_record(struct path *path, bool on)
{
	if (on)
		breakpoint_begin_piece(path);
	else
		breakpoint_end_piece(path);
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

/* Handle a hit of the first breakpoint, which has been cleared. */
static inline bool breakpoint_pass(const struct path *path, greg_t *regs,
				   bool counts)
{
	long nr = breakpoint.next;
	uintptr_t at = (uintptr_t)regs[REG_RIP];

	if (nr == breakpoint.last) {
		if (!counts) /* the run took another way than the recorded
			      * path */
			return breakpoint_step(regs);
		breakpoint.next = path->nr;
		return breakpoint_reached(regs, breakpoint.steps);
	}
	breakpoint.next = path_find(path, at, nr + 1);
	if (path->at[nr + 1] == at || !path_is_writable(path, nr + 1))
		return breakpoint_step(regs);
	patch_set(&breakpoint.behind, path->at[nr + 1]);
	return false;
}

/* Record an instruction; end the piece where a breakpoint can be set. */
static inline void breakpoint_add(struct path *path, greg_t *regs, bool counts)
{
	long nr = path->nr;

	path->at[nr] = (uintptr_t)regs[REG_RIP];
	path->counts[nr] = counts;
	path->nr = nr + 1;
	if (path->nr == PATH_LENGTH ||
	    (path->nr >= path->piece_end && path_is_writable(path, nr))) {
		path->is_recording = path->nr == PATH_LENGTH;
		regs[REG_EFL] &= ~TRAP_FLAG;
	}
}

static inline bool breakpoint_is_reached(const struct path *path, greg_t *regs,
					 bool counts)
{
	bool is_step = regs[REG_EFL] & TRAP_FLAG;
	uintptr_t at;

	regs[REG_EFL] &= ~TRAP_FLAG;
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

/*
 * Handle a SIGTRAP. counts: runs may stop at the present instruction. Return
 * true if the run has reached its stop; the breakpoint is then cleared.
 */
static inline bool breakpoint_is_hit(struct path *path, void *context,
				     bool counts)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	if (path->is_recording && !breakpoint.is_set) {
		breakpoint_add(path, regs, counts);
		return false;
	}
	if (!breakpoint.is_set) {
		regs[REG_EFL] &= ~TRAP_FLAG;
		return false;
	}
	if (!breakpoint_is_reached(path, regs, counts || path->is_recording))
		return false;
	if (path->is_recording)
		return breakpoint_step(regs);
	return true;
}
#else
static inline bool breakpoint_is_hit(struct path *path, void *context,
				     bool counts)
{
	return false;
}
#endif

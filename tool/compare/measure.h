/* SPDX-License-Identifier: MIT */
/*
 * measure - collect the measures of a command's runs. A measure has one value
 * for each run. Measures are numbers of the run as a whole, the kernel's
 * counters, and times or counts by the name of a process, region, timer or
 * counter. A recording with the states of threads has further measures for each
 * kind of process (model/kind.h): CPU time, waits, time without a CPU, and the
 * time in which a process ran and none of its children did.
 *
 * If a name does not occur in a run, its time and count in that run are 0. A
 * value that was not measured in a run is NAN: a counter of the kernel that was
 * not opened, system calls that were not counted, or states that were not
 * recorded.
 */
#pragma once

#include "common/map.h"
#include "compare/run_meta.h"
#include "model/model.h"

enum tr2_measure_kind {
#define TR2_MEASURE(kind, name, plural, heading) TR2_MEASURE_##kind,
#include "compare/measures.def"
	TR2_MEASURE_NR
};

/* Texts for kinds of measures. names, in options and data: "run", "event" …;
 * plurals, in sentences: "numbers of the run", "events" …; headings: "RUN",
 * "EVENT" …. */
extern const char *const tr2_measure_names[TR2_MEASURE_NR];
extern const char *const tr2_measure_plurals[TR2_MEASURE_NR];
extern const char *const tr2_measure_headings[TR2_MEASURE_NR];

static inline bool tr2_measure_is_of_states(enum tr2_measure_kind kind)
{
	return kind >= TR2_MEASURE_CPU && kind <= TR2_MEASURE_SELF;
}

/* Does the measure depend on the machine more than on the command? */
bool tr2_measure_is_of_machine(enum tr2_measure_kind kind, const char *name);

/* Does the measure depend on random addresses? Such a measure is not exact,
 * even if a few runs have the same value. */
bool tr2_measure_is_random(enum tr2_measure_kind kind, const char *name);

enum tr2_measure_unit { TR2_UNIT_COUNT, TR2_UNIT_NS, TR2_UNIT_BYTES };
extern const char *const tr2_measure_units[]; /* names of units: "", "ns",
					       * "bytes" */

enum tr2_measure_unit tr2_measure_unit_of(const char *name);

struct tr2_measure {
	enum tr2_measure_kind kind;
	enum tr2_measure_unit unit;
	char *name;
	double *values; /* one per run */
	/* by run: number of processes, regions or intervals with the name */
	double *calls;
	char *note;     /* reason why the value was not measured; NULL: it was
			 * measured */
	bool at_least;  /* a lower bound: the end of a process is unknown in
			 * some run */
};

struct tr2_measures {
	struct tr2_measure *item;
	uint32_t nr, alloc;
	uint32_t nr_runs, alloc_runs;
	bool *has_states; /* of each run */
	bool any_states;
	struct tr2_map map;
	uint64_t lost; /* number of events that the recordings report as lost */
	/* number of runs in which the command's exit code was not 0 */
	uint32_t nr_failed;
	/* number of runs that could not be read completely */
	uint32_t nr_incomplete;
	struct tr2_origin origin;
	bool failed;   /* a run could not be read, so its measures are
			* missing */
};

void tr2_measures_release(struct tr2_measures *ms);

/* Add one more run from its recording. */
void tr2_measures_take(struct tr2_measures *ms, const struct tr2_model *m);

/* Begin a run that has no measures yet. */
void tr2_measures_begin_run(struct tr2_measures *ms);
/* Return the measure of that kind and name; add it if it is new. A new measure
 * has no unit, and no value in any run. */
struct tr2_measure *tr2_measures_get(struct tr2_measures *ms,
				     enum tr2_measure_kind kind,
				     const char *name);

/* Were system calls counted in the run? */
bool tr2_measures_have_syscalls(const struct tr2_measures *ms, uint32_t run);

/* Return the measure of that kind and name; NULL: no run has it. */
const struct tr2_measure *tr2_measures_find(const struct tr2_measures *ms,
					    enum tr2_measure_kind kind,
					    const char *name);

/* Add the runs of `path`. Return 0, or the exit code after an error message. If
 * `path` has no run, warn and return 0. quiet: print no warnings about problems
 * in a recording. */
int tr2_set_read(struct tr2_measures *ms, const char *path, bool quiet);

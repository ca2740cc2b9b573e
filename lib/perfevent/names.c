/* SPDX-License-Identifier: MIT */
/* The names of events, and their numbers for perf_event_open(). */
#include <linux/perf_event.h>
#include <string.h>

#include "base/macros.h"
#include "perfevent/perfevent.h"

#define ROW(name, alias, pmu, config, unit, about)                            \
	{                                                                     \
		name, TR2_IN_PLACE(alias), about, unit, TR2_PMU_##pmu, config \
	}
#define HW(name, alias, config, about) \
	ROW(name, alias, HARDWARE, PERF_COUNT_HW_##config, "", about)
#define SW(name, alias, config, unit, about) \
	ROW(name, alias, SOFTWARE, PERF_COUNT_SW_##config, unit, about)
#define POWER(name, config, about) ROW(name, NULL, POWER, config, "uJ", about)
#define PROCESS(name, config, unit, about) \
	ROW(name, NULL, PROCESS, config, unit, about)

const struct tr2_perfevent_name tr2_perfevent_names[] = {
	HW("cpu-cycles", "cycles", CPU_CYCLES, "cycles of the CPU"),
	HW("instructions", NULL, INSTRUCTIONS,
	   "instructions that were retired"),
	HW("cache-references", NULL, CACHE_REFERENCES,
	   "accesses of the last level cache"),
	HW("cache-misses", NULL, CACHE_MISSES, "of them, misses"),
	HW("branch-instructions", "branches", BRANCH_INSTRUCTIONS, "branches"),
	HW("branch-misses", NULL, BRANCH_MISSES,
	   "branches that were mispredicted"),
	HW("bus-cycles", NULL, BUS_CYCLES, "cycles of the bus"),
	HW("stalled-cycles-frontend", "idle-cycles-frontend",
	   STALLED_CYCLES_FRONTEND, "cycles that waited for instructions"),
	HW("stalled-cycles-backend", "idle-cycles-backend",
	   STALLED_CYCLES_BACKEND, "cycles that waited for resources"),
	HW("ref-cycles", NULL, REF_CPU_CYCLES,
	   "cycles at the nominal frequency"),
	SW("cpu-clock", NULL, CPU_CLOCK, "ns", "time on the CPU's clock"),
	SW("task-clock", NULL, TASK_CLOCK, "ns", "time that the task ran"),
	SW("page-faults", "faults", PAGE_FAULTS, "", "page faults"),
	SW("context-switches", "cs", CONTEXT_SWITCHES, "",
	   "times the CPU went to another task"),
	SW("cpu-migrations", "migrations", CPU_MIGRATIONS, "",
	   "times the task went to another CPU"),
	SW("minor-faults", NULL, PAGE_FAULTS_MIN, "",
	   "page faults without reading a disk"),
	SW("major-faults", NULL, PAGE_FAULTS_MAJ, "",
	   "page faults that read a disk"),
	SW("alignment-faults", NULL, ALIGNMENT_FAULTS, "",
	   "unaligned accesses that the kernel mended"),
	SW("emulation-faults", NULL, EMULATION_FAULTS, "",
	   "instructions that the kernel emulated"),
	SW("dummy", NULL, DUMMY, "", "nothing; carries task records"),
	SW("bpf-output", NULL, BPF_OUTPUT, "", "what BPF programs write"),
	SW("cgroup-switches", NULL, CGROUP_SWITCHES, "",
	   "times the CPU went to a task of another cgroup"),
	POWER("energy-pkg", 0, "energy of the packages"),
	POWER("energy-cores", 1, "energy of their cores"),
	POWER("energy-gpu", 2, "energy of their graphics"),
	POWER("energy-ram", 3, "energy of the memory"),
	POWER("energy-psys", 4, "energy of the whole platform"),
	PROCESS("maxrss", 0, "bytes", "largest resident size so far"),
	PROCESS("io-read", 1, "bytes", "read by system calls"),
	PROCESS("io-write", 2, "bytes", "written by system calls"),
	PROCESS("ctx-switches", 3, "", "context switches of all threads"),
	PROCESS("open-fds", 4, "", "open descriptors now"),
	PROCESS("threads", 5, "", "threads now"),
	{ "", "", "", "", TR2_PMU_NR, 0 },
};

static bool is_name(const char *text, const char *name, size_t len)
{
	return *text && strlen(text) == len && !memcmp(text, name, len);
}

const struct tr2_perfevent_name *
tr2_perfevent_find(enum tr2_perfevent_pmu pmu, const char *name, size_t len)
{
	const struct tr2_perfevent_name *row;

	for (row = tr2_perfevent_names; *row->name; row++)
		if (row->pmu == pmu && (is_name(row->name, name, len) ||
					is_name(row->alias, name, len)))
			return row;
	return NULL;
}

/* Names of a cache event's three parts, each with perf's aliases. */
#define MAX_ALIASES 4
#define ALIAS_BYTES 18
typedef char part_aliases[MAX_ALIASES][ALIAS_BYTES];
static const part_aliases caches[] = {
	{ "L1-dcache", "l1-d", "l1d", "L1-data" },
	{ "L1-icache", "l1-i", "l1i", "L1-instruction" },
	{ "LLC", "L2" },
	{ "dTLB", "d-tlb", "Data-TLB" },
	{ "iTLB", "i-tlb", "Instruction-TLB" },
	{ "branch", "bpu", "btb", "bpc" },
	{ "node" },
	{ "" },
};
static const part_aliases operations[] = {
	{ "loads", "load", "read" },
	{ "stores", "store", "write" },
	{ "prefetches", "prefetch", "speculative-read", "speculative-load" },
	{ "" },
};
static const part_aliases results[] = {
	{ "refs", "Reference", "ops", "access" },
	{ "misses", "miss" },
	{ "" },
};

/*
 * Take a part, and the '-' before it, off the front of *name. Return its
 * number; -1: there is no match, and nothing was taken.
 */
static int parse_part(const part_aliases *parts, const char **name, size_t *len,
		      bool is_first)
{
	size_t skip = is_first ? 0 : 1, n;
	int i, alias;

	if (!is_first && (!*len || **name != '-'))
		return -1;
	for (i = 0; *parts[i][0]; i++) {
		for (alias = 0; alias < MAX_ALIASES && *parts[i][alias];
		     alias++) {
			n = strlen(parts[i][alias]);
			if (n > *len - skip ||
			    memcmp(*name + skip, parts[i][alias], n) ||
			    (n + skip < *len && (*name)[n + skip] != '-'))
				continue;
			*name += n + skip;
			*len -= n + skip;
			return i;
		}
	}
	return -1;
}

bool tr2_perfevent_cache(const char *name, size_t len, uint64_t *config)
{
	int cache = parse_part(caches, &name, &len, true), operation, result;

	if (cache < 0)
		return false;
	operation = parse_part(operations, &name, &len, false);
	result = parse_part(results, &name, &len, false);
	if (len)
		return false;
	*config = (uint64_t)cache |
		  (uint64_t)(operation < 0 ? 0 : operation) << 8 |
		  (uint64_t)(result < 0 ? 0 : result) << 16;
	return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * perfevent - perf's event lists: "page-faults:u,{r1a8,cycles}:S,
 * sched:sched_switch,power/energy-pkg/,app/odb/unzip/:1000".
 *
 * An event is one of
 *
 *	NAME[:MODIFIERS]           page-faults, L1-dcache-load-misses, r1a8
 *	SUBSYSTEM:EVENT[:MODIFIERS]   a tracepoint
 *	DEVICE/TERMS/[MODIFIERS]   a PMU of the kernel, by sysfs
 *	app/CATEGORY/NAME/         a counter of the program itself,
 *	app/CATEGORY/NAME:ns/      or a timer, in nanoseconds
 *	power/energy-pkg/          energy of packages
 *	process/maxrss/            resources of the process
 *
 * For sampling, each of them has :PERIOD. Events in braces are a group, whose
 * first event is the leader; modifiers after the braces apply to all of them.
 * The name of a counter may contain any character. A '/' in the name must not
 * stand at its end or before a ',', ':' or '}'. The category must not contain a
 * '/'.
 *
 * The parser reads only the text; tr2_perfevent_resolve() asks the kernel for
 * the numbers of tracepoints and devices. No memory is allocated.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tr2_perfevent_pmu {
	/* PMUs of the kernel, opened by perf_event_open(). */
	TR2_PMU_HARDWARE,
	TR2_PMU_SOFTWARE,
	TR2_PMU_CACHE,
	TR2_PMU_RAW,
	TR2_PMU_TRACEPOINT,
	TR2_PMU_DEVICE,
	/* PMUs of the library. */
	TR2_PMU_APP,
	TR2_PMU_POWER,
	TR2_PMU_PROCESS,
	TR2_PMU_NR
};

/* Return whether perf_event_open() opens events of this PMU. */
static inline bool tr2_perfevent_is_kernel(enum tr2_perfevent_pmu pmu)
{
	return pmu <= TR2_PMU_DEVICE;
}

/* Flags of the modes in which the event does not count. */
#define TR2_EXCLUDE_USER (1u << 0)
#define TR2_EXCLUDE_KERNEL (1u << 1)
#define TR2_EXCLUDE_HV (1u << 2)
#define TR2_EXCLUDE_IDLE (1u << 3)
#define TR2_EXCLUDE_HOST (1u << 4)
#define TR2_EXCLUDE_GUEST (1u << 5)

/* The longest text of one event, with the NUL. */
#define TR2_PERFEVENT_BYTES 256

struct tr2_perfevent {
	enum tr2_perfevent_pmu pmu;
	char text[TR2_PERFEVENT_BYTES]; /* as given */
	/* Subsystem, device, or category; else "". */
	char scope[TR2_PERFEVENT_BYTES];
	/* Event, terms of a device, or name of a counter. */
	char name[TR2_PERFEVENT_BYTES];
	bool is_timer; /* for app: the event is a timer, in nanoseconds */
	uint32_t type; /* for devices: set by tr2_perfevent_resolve() */
	uint64_t config, config1, config2;
	unsigned int exclude; /* TR2_EXCLUDE_* */
	unsigned int precise; /* 0 to 3 */
	bool pinned, exclusive, sample_read, weak;
	uint64_t period, freq; /* 0: the text gives no such number */
	/* Events with the same number, from 1, are a group; 0: no group. */
	unsigned int group;
	bool is_leader; /* the event leads its group, or is in no group */
	const char *unit; /* "ns", "bytes", "uJ", or "" */
};

/* Set the fields of an attr, the kernel's or the library's struct. In a group,
 * the modifiers `pinned` and `exclusive` apply only to the leader. */
#define tr2_perfevent_set_attr(attr, ev)                                 \
	do {                                                             \
		(attr)->type = (ev)->type;                               \
		(attr)->config = (ev)->config;                           \
		(attr)->config1 = (ev)->config1;                         \
		(attr)->config2 = (ev)->config2;                         \
		(attr)->exclude_user = !!((ev)->exclude & TR2_EXCLUDE_USER); \
		(attr)->exclude_kernel =                                 \
			!!((ev)->exclude & TR2_EXCLUDE_KERNEL);          \
		(attr)->exclude_hv = !!((ev)->exclude & TR2_EXCLUDE_HV); \
		(attr)->exclude_idle = !!((ev)->exclude & TR2_EXCLUDE_IDLE); \
		(attr)->exclude_host = !!((ev)->exclude & TR2_EXCLUDE_HOST); \
		(attr)->exclude_guest =                                  \
			!!((ev)->exclude & TR2_EXCLUDE_GUEST);           \
		(attr)->precise_ip = (ev)->precise & 3;                  \
		(attr)->pinned = (ev)->pinned && (ev)->is_leader;        \
		(attr)->exclusive = (ev)->exclusive && (ev)->is_leader;  \
	} while (0)

/* The state of the parser. */
struct tr2_perfevents {
	const char *at;
	const char *modifiers; /* the modifiers after the group's braces; NULL:
				* none */
	size_t modifiers_len;
	unsigned int group, nr_groups;
	bool leads; /* the next event is the first of its group */
	bool unclosed; /* a '{' without '}' was found */
	char known[TR2_PERFEVENT_BYTES]; /* names of events that an error
					  * lists */
	char error[2 * TR2_PERFEVENT_BYTES];
};

enum tr2_perfevent_result {
	TR2_PERFEVENT_END,
	TR2_PERFEVENT_OK,
	/* `error` has the reason, in printable text; the parser can
	 * continue. */
	TR2_PERFEVENT_BAD
};

/*
 * Begin to read a list. Do not change text until the list is read. NULL is
 * empty.
 */
void tr2_perfevents_init(struct tr2_perfevents *list, const char *text);

enum tr2_perfevent_result tr2_perfevents_next(struct tr2_perfevents *list,
					      struct tr2_perfevent *ev);

/* Write "event 'TEXT': WHY", printable, into text[size_bytes]. Return
 * `error`. */
int tr2_perfevent_fail(int error, char *text, size_t size_bytes,
		       const struct tr2_perfevent *ev, const char *why);

/*
 * Look up type and config in tracefs or sysfs, if only these know them. Return
 * 0, or a negative errno with more details in *why. Opens and closes files.
 */
int tr2_perfevent_resolve(struct tr2_perfevent *ev, const char **why);

/* Explain to the user why an event cannot be opened; error: an errno. */
void tr2_perfevent_explain(const struct tr2_perfevent *ev, int error,
			   char *text, size_t size_bytes);

/* The events that have names. The last row has the name "". */
struct tr2_perfevent_name {
	char name[24], alias[24]; /* alias "": no alias */
	char about[48], unit[8];
	uint8_t pmu; /* enum tr2_perfevent_pmu */
	uint8_t config;
};

extern const struct tr2_perfevent_name tr2_perfevent_names[];

/* Return the row with this name or alias; NULL: no row has it. */
const struct tr2_perfevent_name *
tr2_perfevent_find(enum tr2_perfevent_pmu pmu, const char *name, size_t len);

/* Parse the name of a cache event, such as "L1-dcache-load-misses"; false: the
 * name is no cache event. */
bool tr2_perfevent_cache(const char *name, size_t len, uint64_t *config);

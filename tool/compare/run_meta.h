/* SPDX-License-Identifier: MIT */
/*
 * run_meta - read the values of a run as a whole from its meta.json
 * (Documentation/technical/recording-format.adoc).
 */
#pragma once

#include "model/model.h"

/* The values that describe the machine on which runs were made. */
enum tr2_origin_key {
	TR2_ORIGIN_HOST,
	TR2_ORIGIN_MACHINE,
	TR2_ORIGIN_CPUS,
	TR2_ORIGIN_KERNEL,
	TR2_ORIGIN_TRACE2,
	TR2_ORIGIN_NR
};

/* Names of these values in meta.json, and in its member `programs`: "host"
 * …. */
extern const char *const tr2_origin_keys[TR2_ORIGIN_NR];

/* The machine on which one run, or all runs of a side, were made. */
struct tr2_origin {
	char *text[TR2_ORIGIN_NR]; /* texts of the values; NULL: unknown */
	bool mixed[TR2_ORIGIN_NR]; /* the runs have different values */
};

void tr2_origin_release(struct tr2_origin *o);

/* Add the value of one more run to the origin of a side. */
void tr2_origin_take(struct tr2_origin *o, enum tr2_origin_key key,
		     const char *text, size_t len);

/* Return the value as text; NULL: unknown. */
const char *tr2_origin_text(const struct tr2_origin *o,
			    enum tr2_origin_key key);
/* Are both values known, and do they differ? */
bool tr2_origin_differs(const struct tr2_origin *a, const struct tr2_origin *b,
			enum tr2_origin_key key);

/* Numbers in meta.json; -1: missing. */
struct tr2_run_meta {
	int64_t wall_ns;
#define TR2_META_USAGE(key, value, name, unit) int64_t key;
#include "format/recording/meta.def"
#define TR2_META_IO(key, field, name, unit) int64_t key;
#include "format/recording/meta.def"
	int64_t syscalls; /* number of system calls of all kinds */
	/* the command ended with an exit code other than 0, or by a signal */
	bool failed;
};

/* An event of the kernel, or a kind of system calls, with its count in the
 * run. */
struct tr2_run_counter {
	const char *name;
	bool is_syscall;
	const char *unit; /* unit of the value: "ns", "bytes", "" */
	const char *note; /* reason why the event was not counted; NULL: it was
			   * counted */
	double value;     /* count, scaled up to the whole run if the counter
			   * ran only for a part of the run */
};

typedef void tr2_run_counter_fn(void *data, const struct tr2_run_counter *c);

/* Read meta.json. Add the machine's description to `origin`, unless that is
 * NULL. */
void tr2_run_meta_read(struct tr2_run_meta *meta, const struct tr2_model *m,
		       struct tr2_origin *origin, tr2_run_counter_fn *fn,
		       void *data);

/* SPDX-License-Identifier: MIT */
/*
 * report - what the views of `trace2 report` share.
 */
#ifndef TR2_CMD_REPORT_H
#define TR2_CMD_REPORT_H

#include "model/model.h"
#include "out/table.h"

struct tr2_report_options {
	const char *sort, *group;
	int64_t limit; /* -1: all */
	bool per_thread;
};
extern struct tr2_report_options tr2_report;

/* What a session belongs to by -g; NULL without -g. */
const char *tr2_report_group(const struct tr2_model *m, uint32_t session);

/* Sorts by -s (or by `sort`), cuts by -n. false: there is no such column,
 * which was said. */
bool tr2_report_finish(struct tr2_table *t, const char *sort);

/* The views: each prints a table. false: a usage error, which was said. */
bool tr2_report_groups(const struct tr2_model *m);
bool tr2_report_regions(const struct tr2_model *m);
bool tr2_report_threads(const struct tr2_model *m);
bool tr2_report_timers(const struct tr2_model *m);
bool tr2_report_counters(const struct tr2_model *m);
bool tr2_report_errors(const struct tr2_model *m);
bool tr2_report_samples(struct tr2_model *m); /* gives it names */

#endif

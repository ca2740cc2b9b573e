/* SPDX-License-Identifier: MIT */
/* report - shared by the views of `trace2 report`. */
#pragma once

#include "common/options.h"
#include "model/filter.h"
#include "model/model.h"
#include "out/table.h"

/* The model, its filter, and the options of the tables. */
struct tr2_report {
	struct tr2_model *m;
	const struct tr2_filter *filter;
	struct tr2_output *out;
	const char *sort, *group; /* NULL: not given */
	int64_t limit;            /* lines; -1: all */
	bool per_thread, brief; /* brief: --summary */
	bool all;  /* text has every process and step */
	bool wide; /* and whole command lines */
	/* The changes of --what-if; NULL: not given. */
	const struct tr2_list *what_if;
};

/* Where it is no terminal, lines of tables with long names are cut to this
 * width. */
#define TR2_REPORT_WIDTH 100

/* -g target: a row has the jobs of a build for one file; "-": all others. */
#define TR2_GROUP_TARGET "target"
/* -g region: only for --functions. */
#define TR2_GROUP_REGION "region"
/* -g attr:KEY: only for --spans. */
#define TR2_GROUP_ATTRIBUTE "attr:"

/* Are there samples? false: in text, a warning says how to record some. */
bool tr2_report_has_samples(const struct tr2_report *r);

/* The CPU time of the chosen processes, and how much of it the samples of record
 * --profile stand for. false: there is no such recording, or it is unknown. */
struct tr2_coverage {
	int64_t sampled_ns, cpu_ns, period_ns;
	bool without_kernel;
};
bool tr2_report_coverage(const struct tr2_report *r, struct tr2_coverage *c);
/* Print two lines about it if that is far less than all. */
void tr2_report_print_coverage(const struct tr2_report *r);

/* Return what would permit more to the recorder, of tr2_next_text(). */
const char *tr2_report_remedy(const struct tr2_model *m);

/* Print a line of text about what is above it. */
void tr2_report_print_note(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* Return the session's group by -g; NULL without -g. */
const char *tr2_report_group(const struct tr2_report *r, uint32_t session);
/* The same of a process. */
const char *tr2_report_node_group(const struct tr2_report *r, uint32_t node);

/* Return KEY of -g attr:KEY; NULL: another -g, or none. */
const char *tr2_report_attribute(const struct tr2_report *r);

/* Sort by -s (or by `sort`), and cut by -n. false: no such column, and an error
 * was printed. */
bool tr2_report_sort(const struct tr2_report *r, struct tr2_table *t,
		     const char *sort);

/* The end of a view: the same, then print and release the table. */
bool tr2_report_table(const struct tr2_report *r, struct tr2_table *t,
		      const char *sort);
/* The same, but text has no table without rows: a warning says that there are
 * none. */
bool tr2_report_table_if_any(const struct tr2_report *r, struct tr2_table *t,
			     const char *sort);

/* report/report_span_parts.c: where the time of the program's spans went. */
void tr2_report_span_parts(const struct tr2_report *r);

/* Each session that the filter chooses. */
#define tr2_report_for_each_session(r, i)  \
	tr2_for_each_session((r)->m, (i))  \
		if (tr2_filter_session((r)->filter, (r)->m, (i)))

static inline bool tr2_report_is_text(const struct tr2_report *r)
{
	return r->out->format == TR2_FORMAT_TEXT;
}

/* Return 100% of the shares: the time of all processes that no other process in
 * the recording started. */
int64_t tr2_report_whole_ns(const struct tr2_model *m);

static inline double tr2_report_share(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* Find the peak of memory, and its time after the first start. false: it was not
 * observed; then they are 0 and TR2_NO_TIME. */
bool tr2_report_peak(const struct tr2_model *m, uint64_t *bytes, int64_t *at_ns);
/* Return "peak memory 1.9 GiB at 34.200 s". */
const char *tr2_report_peak_text(uint64_t bytes, int64_t at_ns);
/* Append "; cc1 killed (OOM)" if the kernel ended processes because memory was
 * short. */
void tr2_report_add_oom(struct tr2_buf *b, const struct tr2_model *m);
/* Without a view: print the totals. */
void tr2_report_summary(const struct tr2_report *r);
/* For the page: print the critical path by kind, if it has many steps. */
void tr2_report_path_by_kind(const struct tr2_report *r);
/* Print so many of the largest parts of the path, and all others as one. */
void tr2_report_parts(const struct tr2_report *r, size_t most);
/* Were records of states lost? */
bool tr2_report_states_lost(const struct tr2_model *m);
/* --summary: print the command, the totals, and the largest parts. */
void tr2_report_brief(const struct tr2_report *r);
/* Without a view: print the processes, by -g or as a tree. false: a usage error
 * was printed. */
bool tr2_report_processes(const struct tr2_report *r);
/* For the page: print the processes folded by kind, if they are many. */
void tr2_report_processes_by_kind(const struct tr2_report *r);
bool tr2_report_groups(const struct tr2_report *r);

/* --what-if: print what its changes would gain, or which would gain most. false:
 * an error was printed. */
bool tr2_report_what_if(const struct tr2_report *r);
/* For the page: print which changes would gain most, if states are known. */
void tr2_report_gains(const struct tr2_report *r);
struct tr2_change;
struct tr2_job_changes {
	const char *name; /* of all changes */
	const struct tr2_change *jobs; /* a number of jobs */
	struct tr2_change *change; /* all of them, and room for one more */
	size_t nr;
};
bool tr2_report_jobs(const struct tr2_report *r, uint32_t root,
		     const struct tr2_job_changes *c);

/* The views: each prints one or more tables. */
#define TR2_REPORT_VIEW(name, help) \
	bool tr2_report_##name(const struct tr2_report *r);
#include "report/report_views.def"
#undef TR2_REPORT_VIEW

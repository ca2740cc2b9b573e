/* SPDX-License-Identifier: MIT */
/* report - declarations that the views of `trace2 report` share. */
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
	const char *sort, *group; /* the values of -s and -g; NULL: not given */
	int64_t limit;            /* the value of -n: number of lines; -1:
				   * all */
	bool per_thread, brief; /* per_thread: --threads; brief: --summary */
	bool all;  /* text shows every process and step */
	bool wide; /* text shows whole command lines */
	/* The changes of --what-if; NULL: not given. */
	const struct tr2_list *what_if;
};

/* Cut lines with long names to this width if the output is not a terminal. */
#define TR2_REPORT_WIDTH 100

/* -g target: a row sums up all jobs of a build that made one file; the row "-"
 * sums up all other processes. */
#define TR2_GROUP_TARGET "target"
/* -g region: only for --functions. */
#define TR2_GROUP_REGION "region"
/* -g attr:KEY: only for --spans. */
#define TR2_GROUP_ATTRIBUTE "attr:"

/* Return whether there are samples. If not, warn in text, and say how to record
 * some. */
bool tr2_report_has_samples(const struct tr2_report *r);

/* Find the CPU time of the chosen processes, and the part of it for which the
 * samples of `record --profile` stand. Return false if there is no recording
 * with such samples, or if the CPU time is unknown. */
struct tr2_coverage {
	int64_t sampled_ns, cpu_ns, period_ns;
	bool without_kernel;
};
bool tr2_report_coverage(const struct tr2_report *r, struct tr2_coverage *c);
/* Print two lines about the coverage if it is far from complete. */
void tr2_report_print_coverage(const struct tr2_report *r);

/* Return a text of tr2_next_text() that says how to permit the recorder to
 * record more. */
const char *tr2_report_remedy(const struct tr2_model *m);

/* Print a line of text about the output above it. */
void tr2_report_print_note(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* Return the name of the group to which a session belongs by -g; NULL without
 * -g. */
const char *tr2_report_group(const struct tr2_report *r, uint32_t session);
/* Return the name of the group to which a process belongs by -g; NULL without
 * -g. */
const char *tr2_report_node_group(const struct tr2_report *r, uint32_t node);

/* Return KEY of -g attr:KEY; NULL: -g has another value, or was not given. */
const char *tr2_report_attribute(const struct tr2_report *r);

/* Sort the table by -s, or else by `sort`, and cut it by -n. Return false,
 * after an error message, if there is no such column. */
bool tr2_report_sort(const struct tr2_report *r, struct tr2_table *t,
		     const char *sort);

/* End a view: sort and cut the table as tr2_report_sort() does, then print and
 * release it. */
bool tr2_report_table(const struct tr2_report *r, struct tr2_table *t,
		      const char *sort);
/* Do the same as tr2_report_table(), but print a warning instead of an empty
 * table in text. */
bool tr2_report_table_if_any(const struct tr2_report *r, struct tr2_table *t,
			     const char *sort);

/* In report_span_parts.c: print where the time of the program's spans went. */
void tr2_report_span_parts(const struct tr2_report *r);

/* Loop over the sessions that the filter chooses. */
#define tr2_report_for_each_session(r, i)  \
	tr2_for_each_session((r)->m, (i))  \
		if (tr2_filter_session((r)->filter, (r)->m, (i)))

static inline bool tr2_report_is_text(const struct tr2_report *r)
{
	return r->out->format == TR2_FORMAT_TEXT;
}

/* Return the time that counts as 100 % in shares: the total time of the roots.
 * A root is a process whose parent is not in the recording. */
int64_t tr2_report_whole_ns(const struct tr2_model *m);

static inline double tr2_report_share(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* Find the peak of memory, and its time since the first start. If memory was
 * not observed, return false, and set *bytes to 0 and *at_ns to TR2_NO_TIME. */
bool tr2_report_peak(const struct tr2_model *m, uint64_t *bytes,
		     int64_t *at_ns);
/* Return "peak memory 1.9 GiB at 34.200 s". */
const char *tr2_report_peak_text(uint64_t bytes, int64_t at_ns);
/* Append "; cc1 killed (OOM)" if the kernel ended processes because memory was
 * short. */
void tr2_report_add_oom(struct tr2_buf *b, const struct tr2_model *m);
/* Print the totals, above everything else. */
void tr2_report_summary(const struct tr2_report *r);
/* For the page: print the critical path by kind, if it has many steps. */
void tr2_report_path_by_kind(const struct tr2_report *r);
/* Print the `most` largest parts of the path, and all other parts as one. */
void tr2_report_parts(const struct tr2_report *r, size_t most);
/* Return whether records of states were lost. */
bool tr2_report_states_lost(const struct tr2_model *m);
/* --summary: print the command, the totals, and the largest parts. */
void tr2_report_brief(const struct tr2_report *r);
/* Print the processes, by -g or as a tree. Return false after a usage error. */
bool tr2_report_processes(const struct tr2_report *r);
/* For the page: print the processes folded by kind, if there are many. */
void tr2_report_processes_by_kind(const struct tr2_report *r);
bool tr2_report_groups(const struct tr2_report *r);

/* --what-if: print what the given changes would gain or, without changes, which
 * changes would gain most. Return false after an error message. */
bool tr2_report_what_if(const struct tr2_report *r);
/* For the page: print which changes would gain most, if states are known. */
void tr2_report_gains(const struct tr2_report *r);
struct tr2_change;
struct tr2_job_changes {
	const char *name; /* all changes, as text */
	const struct tr2_change *jobs; /* the change of the number of jobs */
	struct tr2_change *change; /* all changes, and room for one more */
	size_t nr;
};
bool tr2_report_jobs(const struct tr2_report *r, uint32_t root,
		     const struct tr2_job_changes *c);

/* The views: each prints one or more tables. */
#define TR2_REPORT_VIEW(name, help) \
	bool tr2_report_##name(const struct tr2_report *r);
#include "report/report_views.def"
#undef TR2_REPORT_VIEW

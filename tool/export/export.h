/* SPDX-License-Identifier: MIT */
/*
 * export - write a model in another program's format.
 *
 * A format is one file with one struct tr2_export_format: a table of
 * operations, each of which may be NULL. walk.c has the walk over the selected
 * processes, once for all formats.
 *
 * Every string is written by tr2_export_text() or a function that calls it, so
 * that --redact works for all formats.
 */
#pragma once

#include "base/text.h"
#include "common/options.h"
#include "export/sampling.h"
#include "export/sink.h"
#include "model/model.h"

/* Types of the members, by the option kinds of common/options.h. */
#define TR2_EXPORT_IS_LIST struct tr2_list
#define TR2_EXPORT_IS_STRING const char *
#define TR2_EXPORT_IS_FLAG bool
#define TR2_EXPORT_IS_DURATION int64_t
struct tr2_export_options {
#define TR2_EXPORT_OPTION(kind, member, usual, name, arg, formats, help, choices) \
	TR2_EXPORT_IS_##kind member;
#include "export/export_options.def"
#undef TR2_EXPORT_OPTION
};

struct tr2_output;
struct tr2_stacks;

struct tr2_export {
	struct tr2_model *m;
	const struct tr2_export_options *opt;
	const struct tr2_filter *filter;
	const char *output; /* for TR2_EXPORT_OWN_FILE: the path */
	/* for the page: prints the tables of the report */
	void (*print_tables)(struct tr2_model *m, struct tr2_output *out);
	struct tr2_export_sink sink;
	struct tr2_buf scratch; /* the last redacted text */
	struct tr2_buf text;    /* for composing text */
	struct tr2_buf recording_key; /* key of keyed_input; 0: none yet */
	uint32_t keyed_input;
	struct tr2_stacks *stacks; /* lookups for samples; NULL: not created
				    * yet */
	uint32_t task_thread; /* the thread whose states are being walked
			       * over */
	/* Samples of processes without a session, chained by process. */
	uint32_t *first_sample, *next_sample;
	/* Points of memory, chained by task; task 0 stands for all processes.
	 * memory_node: the process of the current point; for a point of all
	 * processes, the first process. */
	uint32_t *first_memory, *next_memory;
	uint32_t memory_node;
	struct tr2_tree_sampling *sampling; /* for otlp: the choice of trees;
					     * NULL: keep all */
	/* for otlp: takes a request in place of the sink; NULL: none */
	void (*deliver)(struct tr2_export *x, const char *request, size_t len,
			uint32_t nr_spans, uint32_t nr_trees);
	void *deliver_to;
	void *state;            /* owned by the format */
	bool failed;            /* an error was printed: stop */
};

#define TR2_EXPORT_URL (1u << 0)   /* can be sent to --url */
#define TR2_EXPORT_OWN_FILE (1u << 1) /* requires -o, and opens the file
				       * itself */
#define TR2_EXPORT_LINES (1u << 2) /* needs the input's lines in the model */
#define TR2_EXPORT_TABLE (1u << 3) /* accepts --table */
#define TR2_EXPORT_DATABASE (1u << 4) /* writes to a database, not to a file */
#define TR2_EXPORT_BINARY (1u << 5) /* not suited for a terminal */

/* The tables of exports. */
enum tr2_table_id {
#define TR2_TABLE(name, of, columns) TR2_TABLE_##name,
#include "export/tables.def"
#undef TR2_TABLE
	TR2_TABLE_NR
};

struct tr2_export_format {
	unsigned int flags; /* TR2_EXPORT_… */
	/* The library that the format needs, if this program was built without
	 * it. */
	const char *missing_library, *missing_package;
	/* begin and end are called once; end is called after a failure, too, to
	 * free memory. They return false after an error message. */
	bool (*begin)(struct tr2_export *x);
	bool (*end)(struct tr2_export *x);
	/* Called for a topmost process, before all processes below it. Returns
	 * false to leave out the tree of that process. */
	bool (*tree)(struct tr2_export *x, uint32_t node);
	/* Called for each selected process, before its sessions. Parents come
	 * before children. */
	void (*node)(struct tr2_export *x, uint32_t node);
	void (*session)(struct tr2_export *x, uint32_t session);
	void (*thread)(struct tr2_export *x, uint32_t thread);
	void (*span)(struct tr2_export *x, uint32_t span);
	void (*point)(struct tr2_export *x, uint32_t point);
	/* Called after the threads of the span's session. */
	void (*trace_span)(struct tr2_export *x, uint32_t trace_span);
	void (*metric)(struct tr2_export *x, uint32_t metric);
	void (*session_end)(struct tr2_export *x, uint32_t session);
	/* Called after the sessions of a process, and all its rows. */
	void (*node_end)(struct tr2_export *x, uint32_t node);
	/* Called for an object that is a row of a table, with its index, after
	 * the calls above. Rows of recordings come first; rows of a process
	 * come after those of its sessions. */
	void (*row)(struct tr2_export *x, enum tr2_table_id table, uint32_t i);
};

#define TR2_EXPORT_FORMAT(symbol, name, about) \
	extern const struct tr2_export_format tr2_export_##symbol;
#include "export/formats.def"
#undef TR2_EXPORT_FORMAT

/* Write the whole model to the open sink. Return false after an error
 * message. */
bool tr2_export_run(struct tr2_export *x, const struct tr2_export_format *f);

/* Return the string, redacted if requested; NULL for NULL. The result is valid
 * until the next call. */
const char *tr2_export_text(struct tr2_export *x, const char *s);
/* Must a value with this name be hidden? */
bool tr2_export_is_secret(const struct tr2_export *x, const char *name);
/* Return the value with this name, hidden if the name shows that it is
 * secret. */
const char *tr2_export_value(struct tr2_export *x, const char *name,
			     const char *s);

/* Append `,"key":` and the value; append nothing for NULL, "" or no words. */
void tr2_export_json_str(struct tr2_export *x, struct tr2_buf *b,
			 const char *key, const char *s);
void tr2_export_json_words(struct tr2_export *x, struct tr2_buf *b,
			   const char *key, const struct tr2_words *words);
void tr2_export_json_int(struct tr2_buf *b, const char *key, int64_t value);

/* Append a JSON string; an array of strings; JSON text, as a string if it is
 * not valid JSON. */
void tr2_export_add_str(struct tr2_export *x, struct tr2_buf *b, const char *s);
void tr2_export_add_words(struct tr2_export *x, struct tr2_buf *b,
			  const struct tr2_words *words);
void tr2_export_add_json(struct tr2_export *x, struct tr2_buf *b,
			 const char *json);

/* Append category and name, redacted: "a/b", or only one of them if the other
 * one is 0. */
void tr2_export_pair(struct tr2_export *x, struct tr2_buf *b, tr2_str category,
		     tr2_str name);
void tr2_export_trace_span_name(struct tr2_export *x, struct tr2_buf *b,
				uint32_t trace_span);
/* Append the name of a region in the same way, or of a child as "child
 * NAME". */
void tr2_export_span_name(struct tr2_export *x, struct tr2_buf *b,
			  uint32_t span);
void tr2_export_metric_name(struct tr2_export *x, struct tr2_buf *b,
			    const struct tr2_metric *metric);
/* Append the name of a process, redacted, without its directory and "git-". If
 * its command line is for a shell, append the first word of that. */
void tr2_export_node_name(struct tr2_export *x, struct tr2_buf *b,
			  uint32_t node);
/* Return a name, such as a process's, in x->text. */
typedef void tr2_export_name_fn(struct tr2_export *x, struct tr2_buf *b,
				uint32_t i);
const char *tr2_export_name(struct tr2_export *x, tr2_export_name_fn *add,
			    uint32_t i);
/* Append the command line of a process, shell-quoted and redacted. */
void tr2_export_add_command(struct tr2_export *x, struct tr2_buf *b,
			    const struct tr2_words *words);

/* Is the process known from other data than its parent's child span? */
bool tr2_export_is_process(const struct tr2_export *x, uint32_t node);
/* Return the host of a recording; *len is 0 if it is unknown. */
const char *tr2_export_host(const char *meta_json, size_t *len);
/* Return a name like SIGKILL, in x->text. */
const char *tr2_export_signal(struct tr2_export *x, int signo);
/* Return the previous session of the process, whose program an exec replaced;
 * 0: there is none. */
uint32_t tr2_session_before(const struct tr2_export *x, uint32_t session);

static inline const struct tr2_model_session *
tr2_export_session_of(const struct tr2_export *x, uint32_t thread)
{
	return &x->m->sessions[x->m->threads[thread].session];
}

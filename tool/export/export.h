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

/* The type of a member of struct tr2_export_options, for each kind of option in
 * common/options.h. */
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
	const char *output; /* for formats with TR2_EXPORT_OWN_FILE: path of the
			     * output */
	/* for the HTML page: prints the tables of the report */
	void (*print_tables)(struct tr2_model *m, struct tr2_output *out);
	struct tr2_export_sink sink;
	struct tr2_buf scratch; /* the last redacted text */
	struct tr2_buf text;    /* text that is being composed */
	struct tr2_buf recording_key; /* key of the recording with the index
				       * keyed_input; keyed_input 0: no key
				       * yet */
	uint32_t keyed_input;
	struct tr2_stacks *stacks; /* lookups for samples; NULL: not created
				    * yet */
	uint32_t task_thread; /* the thread over whose states the walk goes */
	/* Lists of the samples of each process without a session. */
	uint32_t *first_sample, *next_sample;
	/* Lists of the points of memory of each task; task 0 stands for all
	 * processes. memory_node: the process of the current point; the first
	 * process if the point is about all processes. */
	uint32_t *first_memory, *next_memory;
	uint32_t memory_node;
	struct tr2_tree_sampling *sampling; /* for otlp: the choice of trees;
					     * NULL: keep all trees */
	/* for otlp: called with each request; NULL: requests go to the sink */
	void (*deliver)(struct tr2_export *x, const char *request, size_t len,
			uint32_t nr_spans, uint32_t nr_trees);
	void *deliver_to;
	void *state;            /* data of the format, which owns it */
	bool failed;            /* an error was printed: stop */
};

#define TR2_EXPORT_URL (1u << 0)   /* the format can be sent to --url */
#define TR2_EXPORT_OWN_FILE (1u << 1) /* the format requires -o, and opens the
				       * file itself */
#define TR2_EXPORT_LINES (1u << 2) /* the format needs the lines of the input in
				    * the model */
#define TR2_EXPORT_TABLE (1u << 3) /* the format accepts --table */
#define TR2_EXPORT_DATABASE (1u << 4) /* the format writes to a database instead
				       * of a file */
#define TR2_EXPORT_BINARY (1u << 5) /* the output is not suited for a
				     * terminal */

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
	/* begin() and end() are called once. end() is called after a failure,
	 * too, in order to free memory. Both return false after an error
	 * message. */
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
	/* Called after the sessions and rows of a process. */
	void (*node_end)(struct tr2_export *x, uint32_t node);
	/* Called with the index of an object that is a row of a table, after
	 * the calls above for this object. Rows of recordings come first. Rows
	 * of a process come after the rows of its sessions. */
	void (*row)(struct tr2_export *x, enum tr2_table_id table, uint32_t i);
};

#define TR2_EXPORT_FORMAT(symbol, name, about) \
	extern const struct tr2_export_format tr2_export_##symbol;
#include "export/formats.def"
#undef TR2_EXPORT_FORMAT

/* Write the whole model to the open sink. Return false after an error
 * message. */
bool tr2_export_run(struct tr2_export *x, const struct tr2_export_format *f);

/* Return the string, redacted if --redact is given; NULL for NULL. The result
 * is valid until the next call. */
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

/* Append a JSON string (_str), an array of strings (_words), or JSON text
 * (_json), which becomes a string if it is not valid JSON. */
void tr2_export_add_str(struct tr2_export *x, struct tr2_buf *b, const char *s);
void tr2_export_add_words(struct tr2_export *x, struct tr2_buf *b,
			  const struct tr2_words *words);
void tr2_export_add_json(struct tr2_export *x, struct tr2_buf *b,
			 const char *json);

/* Append category and name, redacted: "a/b". If one of the two is 0, append
 * only the other. */
void tr2_export_pair(struct tr2_export *x, struct tr2_buf *b, tr2_str category,
		     tr2_str name);
void tr2_export_trace_span_name(struct tr2_export *x, struct tr2_buf *b,
				uint32_t trace_span);
/* Append the name of a region as tr2_export_pair() does, or the name of a child
 * as "child NAME". */
void tr2_export_span_name(struct tr2_export *x, struct tr2_buf *b,
			  uint32_t span);
void tr2_export_metric_name(struct tr2_export *x, struct tr2_buf *b,
			    const struct tr2_metric *metric);
/* Append the redacted name of a process, without the directory and "git-". If a
 * shell interprets its command line, append the first word of that line. */
void tr2_export_node_name(struct tr2_export *x, struct tr2_buf *b,
			  uint32_t node);
/* A function that appends the name of an object, such as a process, to
 * x->text. */
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
/* Return the previous session of the same process, whose program an exec
 * replaced; 0: none. */
uint32_t tr2_session_before(const struct tr2_export *x, uint32_t session);

static inline const struct tr2_model_session *
tr2_export_session_of(const struct tr2_export *x, uint32_t thread)
{
	return &x->m->sessions[x->m->threads[thread].session];
}

/* SPDX-License-Identifier: MIT */
/*
 * export - a model in another program's format. A format is one file with one
 * struct tr2_export_format, a table of operations of which each may be NULL;
 * the walk over what the common filters choose is here, once.
 *
 * Every string that leaves goes through tr2_export_text() or a function made
 * of it: --redact holds for all formats alike.
 */
#ifndef TR2_EXPORT_EXPORT_H
#define TR2_EXPORT_EXPORT_H

#include "base/text.h"
#include "export/sink.h"
#include "model/model.h"
#include "common/options.h"

struct tr2_export_options {
	struct tr2_list urls; /* none: a file */
	const char *database, *cluster; /* of --to=clickhouse; NULL: none */
	const char *table; /* of --to=csv */
	bool redact;
	bool trace2receiver; /* --compat */
};

struct tr2_stacks;

struct tr2_export {
	struct tr2_model *m;
	const struct tr2_export_options *opt;
	const struct tr2_filter *filter;
	const char *output; /* of TR2_EXPORT_OWN_FILE: where to */
	struct tr2_export_sink sink;
	struct tr2_buf scratch; /* the last redacted text */
	struct tr2_buf text;    /* for what is put together first */
	struct tr2_stacks *stacks; /* of samples; NULL: not needed yet */
	void *state;            /* the format's own */
	bool failed;            /* an error was printed: stop */
};

#define TR2_EXPORT_URL (1u << 0)   /* may be sent to --url */
#define TR2_EXPORT_OWN_FILE (1u << 1) /* opens -o itself, and needs it */
#define TR2_EXPORT_LINES (1u << 2) /* wants the lines as they were read */
#define TR2_EXPORT_TABLE (1u << 3) /* takes --table */
#define TR2_EXPORT_DATABASE (1u << 4) /* is sent to a database, and no file */

struct tr2_export_format {
	unsigned int flags; /* TR2_EXPORT_… */
	/* Set: this program was built without what the format needs. */
	const char *missing_library, *missing_package;
	/* begin and end come once; end also after a failure, to release.
	 * false: an error was printed. */
	bool (*begin)(struct tr2_export *x);
	bool (*end)(struct tr2_export *x);
	/* A chosen process, before what is in it; parents before children. */
	void (*node)(struct tr2_export *x, uint32_t node);
	void (*session)(struct tr2_export *x, uint32_t session);
	void (*thread)(struct tr2_export *x, uint32_t thread);
	void (*span)(struct tr2_export *x, uint32_t span);
	void (*point)(struct tr2_export *x, uint32_t point);
	void (*metric)(struct tr2_export *x, uint32_t metric);
	void (*sample)(struct tr2_export *x, uint32_t sample);
	void (*session_end)(struct tr2_export *x, uint32_t session);
	void (*task)(struct tr2_export *x, uint32_t task);
};

#define TR2_EXPORT_FORMAT(symbol, name, about) \
	extern const struct tr2_export_format tr2_export_##symbol;
#include "export/formats.def"
#undef TR2_EXPORT_FORMAT

/* Writes it all to the sink, which is open. false: an error was printed. */
bool tr2_export_run(struct tr2_export *x, const struct tr2_export_format *f);

/* ---- strings ------------------------------------------------------------ */

/* A string as it may leave; valid until the next call. NULL stays NULL. */
const char *tr2_export_text(struct tr2_export *x, const char *s);
/* Whether what is called so is to be hidden altogether. */
bool tr2_export_is_secret(const struct tr2_export *x, const char *name);
/* The value of something called `name`, which may tell that it is secret. */
const char *tr2_export_value(struct tr2_export *x, const char *name,
			     const char *s);

/* `,"key":` and a value; nothing at all for NULL, "" or no words. */
void tr2_export_json_str(struct tr2_export *x, struct tr2_buf *b,
			 const char *key, const char *s);
void tr2_export_json_words(struct tr2_export *x, struct tr2_buf *b,
			   const char *key, const struct tr2_words *words);
void tr2_export_json_int(struct tr2_buf *b, const char *key, int64_t value);

/* A JSON string, array of strings; JSON text that is valid or becomes a
 * string. */
void tr2_export_add_str(struct tr2_export *x, struct tr2_buf *b, const char *s);
void tr2_export_add_words(struct tr2_export *x, struct tr2_buf *b,
			  const struct tr2_words *words);
void tr2_export_add_json(struct tr2_export *x, struct tr2_buf *b,
			 const char *json);

/* ---- what all formats agree on ------------------------------------------- */

/* Category and name, "a/b"; of children "child NAME". Appended, redacted. */
void tr2_export_span_name(struct tr2_export *x, struct tr2_buf *b,
			  uint32_t span);
void tr2_export_metric_name(struct tr2_export *x, struct tr2_buf *b,
			    const struct tr2_metric *metric);
/* What a process is called: without directory and "git-", and of a command
 * line for a shell its first word. Appended, redacted. */
void tr2_export_node_name(struct tr2_export *x, struct tr2_buf *b,
			  uint32_t node);
/* The command line of a process, shell-quoted. Appended, redacted. */
void tr2_export_add_command(struct tr2_export *x, struct tr2_buf *b,
			    const struct tr2_words *words);

/* Whether more than its parent's child span is known of a process. */
bool tr2_export_is_process(const struct tr2_export *x, uint32_t node);
/* SIGKILL: in x->text. */
const char *tr2_export_signal(struct tr2_export *x, int signo);
/* Ended badly: a code other than 0, or a signal. */
bool tr2_export_failed(const struct tr2_node *n);
/* Of a process that became another program by exec: the session before. 0:
 * none. */
uint32_t tr2_session_before(const struct tr2_export *x, uint32_t session);

static inline const struct tr2_model_session *
tr2_export_session_of(const struct tr2_export *x, uint32_t thread)
{
	return &x->m->sessions[x->m->threads[thread].session];
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * script - the parts of `trace2 script`: print one event as a line, and follow
 * inputs that still grow.
 */
#pragma once

#include "export/git_event.h"
#include "format/events/parsed_render.h"
#include "format/read.h"
#include "read/reread.h"

/*
 * The columns, for -F and its help: COLUMN(key, width); the first is FIRST(…).
 * A negative width means: align to the right. script_print.c has a function
 * add_KEY() for each column.
 */
#define TR2_SCRIPT_COLUMNS(FIRST, COLUMN)                                    \
	FIRST(time, 15)                                                      \
	COLUMN(t_abs, -10)                                                   \
	COLUMN(t_rel, -10)                                                   \
	COLUMN(sid, 45)                                                      \
	COLUMN(pid, -7)                                                      \
	COLUMN(depth, -2)                                                    \
	COLUMN(cmd, 12)                                                      \
	COLUMN(thread, 4)                                                    \
	COLUMN(event, 12)                                                    \
	COLUMN(repo, -2)                                                     \
	COLUMN(nesting, -2)                                                  \
	COLUMN(category, 12)                                                 \
	COLUMN(message, 0)                                                   \
	COLUMN(file, 28)

enum tr2_print_form {
	TR2_PRINT_TEXT, /* columns */
	TR2_PRINT_CSV,  /* the same */
	TR2_PRINT_JSON, /* one JSON object: {"events":[…]} */
	TR2_PRINT_NORMAL,
	TR2_PRINT_PERF,
	TR2_PRINT_EVENT
};

#define TR2_MAX_PRINT_COLUMNS 20

struct tr2_script_column;

struct tr2_printer {
	enum tr2_print_form form;
	const struct tr2_script_column *column[TR2_MAX_PRINT_COLUMNS];
	int nr_columns;
	struct tr2_model *m;
	struct tr2_reread *reread;
	struct tr2_parsed_render render;
	struct tr2_export export; /* the state of the export, for JSON */
	struct tr2_git_event *git_event;
	struct tr2_buf line, text;
	uint64_t nr_printed;
};

/* Initialise a printer. Return false, after an error message, for an unknown
 * column. */
bool tr2_printer_init(struct tr2_printer *p, struct tr2_model *m,
		      enum tr2_print_form form, const char *columns);
void tr2_print_line(struct tr2_printer *p, const struct tr2_line *line);
void tr2_printer_end(struct tr2_printer *p);
void tr2_printer_release(struct tr2_printer *p);

/* Read all events and wait for new ones, until SIGINT, SIGTERM, or the end of
 * the program that reads the output. Return an exit code. */
struct tr2_list;
int tr2_follow(struct tr2_model *m, const struct tr2_list *paths,
	       tr2_event_fn *fn, void *data);

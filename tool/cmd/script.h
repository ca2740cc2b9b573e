/* SPDX-License-Identifier: MIT */
/*
 * script - the parts of `trace2 script`: one event as a line, and inputs that
 * still grow.
 */
#ifndef TR2_CMD_SCRIPT_H
#define TR2_CMD_SCRIPT_H

#include "read/parsed_render.h"
#include "read/read.h"

enum tr2_print_form {
	TR2_PRINT_FIELDS, /* text or CSV, by tr2_common.format */
	TR2_PRINT_JSON,   /* {"events":[…]} */
	TR2_PRINT_NORMAL,
	TR2_PRINT_PERF,
	TR2_PRINT_EVENT
};

#define TR2_MAX_PRINT_FIELDS 20

struct tr2_printer {
	enum tr2_print_form form;
	int field[TR2_MAX_PRINT_FIELDS];
	int nr_fields;
	struct tr2_parsed_render render;
	struct tr2_buf line, text;
	uint64_t nr_printed;
};

/* false: a field is unknown, which was said. */
bool tr2_printer_init(struct tr2_printer *p, enum tr2_print_form form,
		      const char *fields);
void tr2_print_event(struct tr2_printer *p, const struct tr2_model *m,
		     const struct tr2_parsed_event *ev, unsigned int nesting);
void tr2_printer_end(struct tr2_printer *p);
void tr2_printer_release(struct tr2_printer *p);

/* Reads what is there and what comes, until SIGINT, SIGTERM or a reader that
 * has gone. Returns an exit code. */
int tr2_follow(struct tr2_model *m, int nr_paths, char **paths,
	       tr2_event_fn *fn, void *data);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * load_private - declarations that the files of the loader share: the state of
 * a load of all inputs, and the function that reads one input.
 */
#pragma once

#include "common/lines.h"
#include "format/events/event_json.h"
#include "format/events/perf_text.h"
#include "format/read.h"
#include "format/ring/ring.h"
#include "out/progress.h"

struct tr2_loader {
	struct tr2_model *m;
	const struct tr2_load *load;
	struct tr2_event_reader *events;
	struct tr2_perf_reader *perf;
	struct tr2_ring_reader *rings;
	struct tr2_lines lines;
	struct tr2_buf begun; /* the lines so far of an event in perf text; the
			       * next line may continue the event */
	enum tr2_perf_more more;
	uint64_t begun_number; /* number of the first line in `begun` */
	struct tr2_progress progress;
	/* The members below are about the directory that is being read. */
	uint64_t nr_empty; /* number of empty files */
	bool was_full;     /* the directory has a file TR2_DISCARD */
	/* reason why the last ring was not read; NULL: it was read */
	const char *refused;
};

enum tr2_input_form {
	TR2_FORM_EMPTY,
	TR2_FORM_EVENT,
	TR2_FORM_PERF,
	TR2_FORM_RING,
	TR2_FORM_NORMAL, /* inputs of this form, and of the forms below, are not
			  * read */
	TR2_FORM_UTF16,
	TR2_FORM_PIPED_RING,
	TR2_FORM_OTHER
};

/* load_stream.c: read an open file, if it has events, perf text or a ring. Set
 * *form to the file's format. */
void tr2_loader_read(struct tr2_loader *l, int fd, const char *name,
		     enum tr2_input_form *form);
/* Return the reason why an input of this form is not read. */
const char *tr2_loader_why_not(enum tr2_input_form form);
/* Keep the event's line if the load asks for lines, and pass the event on. */
void tr2_loader_event(void *data, struct tr2_model *m,
		      const struct tr2_parsed_event *ev);

/* load_directory.c: load a recording, or a directory of streams. */
enum tr2_load_result tr2_loader_directory(struct tr2_loader *l,
					  const char *path);

#define TR2_WHY_EMPTY \
	"No program wrote its events there ('trace2 check --env' shows where " \
	"they go)"

/* SPDX-License-Identifier: MIT */
/*
 * render - one event as one line of a text target, from its row in the table.
 *
 * A line holds no raw control character but the newline at its end, and a line
 * of the event target is valid JSON in valid UTF-8, whatever the strings hold.
 * Nothing here allocates but the growing buffers; all of it is signal-safe.
 */
#ifndef TR2_EVENT_RENDER_H
#define TR2_EVENT_RENDER_H

#include "base/buf.h"
#include "event/event.h"

/* What one writer needs; a thread has its own. Zeroed is initialised. */
struct tr2_render {
	struct tr2_buf line;
	struct tr2_buf redacted;
	bool redact;
	/* Of the seconds whose texts are kept: their ends in us; 0: none. */
	uint64_t local_end_us, utc_end_us;
	char local[8]; /* HH:MM:SS */
	char utc[20]; /* YYYY-MM-DDTHH:MM:SS. */
};

/* Once, before the first tr2_render_normal or _perf: reads the templates. */
void tr2_render_prepare(void);

/*
 * Puts the line into r->line. Look at r->line.failed. Only for events whose
 * row has a template for that target; _event takes any.
 */
typedef void (*tr2_render_fn)(struct tr2_render *r, const struct tr2_event *ev,
			      bool brief);
void tr2_render_normal(struct tr2_render *r, const struct tr2_event *ev,
		       bool brief);
void tr2_render_perf(struct tr2_render *r, const struct tr2_event *ev,
		     bool brief);
void tr2_render_event(struct tr2_render *r, const struct tr2_event *ev,
		      bool brief);

/* What a struct tr2_who holds ready: `,"sid":"…","thread":"…"`, and
 * `dN | thread | `. */
void tr2_render_json_head(struct tr2_buf *b, const char *sid,
			  const char *thread_name);
void tr2_render_perf_head(struct tr2_buf *b, unsigned int depth,
			  const char *thread_name);

/* YYYYMMDDThhmmss.uuuuuuZ and YYYY-MM-DDThh:mm:ss.uuuuuuZ. */
void tr2_render_time_compact(struct tr2_buf *b, uint64_t wall_us);
void tr2_render_time_utc(struct tr2_buf *b, uint64_t wall_us);

void tr2_render_release(struct tr2_render *r);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * render - one event as one line of a text target, from its row in the table.
 *
 * A line contains no raw control character except the newline at its end. A
 * line of the event target is valid JSON in valid UTF-8, with any strings. Only
 * the growing buffers allocate memory; all functions are signal-safe.
 */
#pragma once

#include "base/buf.h"
#include "event/event.h"

/* The buffers of one writer; each thread has its own. Zeroed memory is
 * initialised. */
struct tr2_render {
	struct tr2_buf line;
	/* The ends, in us of wall time, of the seconds that `utc` and `local`
	 * show; 0: not rendered yet. */
	uint64_t utc_end_us, local_end_us;
	char utc[20]; /* YYYY-MM-DDTHH:MM:SS. */
	bool redact;
	/* true: JSON text comes from the library, so it is valid, and contains
	 * no white space and no secrets. */
	bool own_json;
	char local[8]; /* HH:MM:SS */
	struct tr2_buf redacted;
};

/* Compile the templates of these targets. Call it once for each target, before
 * tr2_render_normal() or tr2_render_perf(). */
void tr2_render_prepare(bool normal, bool perf);

/*
 * Render the line into r->line; if memory runs out, set r->line.failed. For
 * normal and perf, the event's row must have a template of that target;
 * tr2_render_event() takes any event.
 */
typedef void (*tr2_render_fn)(struct tr2_render *r, const struct tr2_event *ev,
			      bool brief);
void tr2_render_normal(struct tr2_render *r, const struct tr2_event *ev,
		       bool brief);
void tr2_render_perf(struct tr2_render *r, const struct tr2_event *ev,
		     bool brief);
void tr2_render_event(struct tr2_render *r, const struct tr2_event *ev,
		      bool brief);

/* Put only the last column of a line of the perf target into r->line, without a
 * newline. */
void tr2_render_perf_message(struct tr2_render *r, const struct tr2_event *ev);

/* Render the heads of a struct tr2_emitter: `,"sid":"…","thread":"…"`, and
 * `dN | thread | `. */
void tr2_render_json_head(struct tr2_buf *b, const char *sid,
			  const char *thread_name);
void tr2_render_perf_head(struct tr2_buf *b, unsigned int depth,
			  const char *thread_name);

/* Append YYYYMMDDThhmmss.uuuuuuZ, or YYYY-MM-DDThh:mm:ss.uuuuuuZ. */
void tr2_render_time_compact(struct tr2_buf *b, uint64_t wall_us);
void tr2_render_time_utc(struct tr2_buf *b, uint64_t wall_us);

void tr2_render_release(struct tr2_render *r);

/* The following functions are for kept.h and kept_lines.h. */
struct tr2_kept;
/* Render the parts of a line that the thread keeps for its next line. false:
 * there is no room. */
bool tr2_kept_json_prepare(struct tr2_kept *kept, struct tr2_render *r,
			   const struct tr2_event *ev, bool brief);
bool tr2_kept_perf_prepare(struct tr2_kept *kept, struct tr2_render *r,
			   const struct tr2_event *ev, bool brief);
/* Append a string that is redacted or escaped. NULL: there is no room. */
char *tr2_kept_json_slow(const struct tr2_kept *kept, struct tr2_render *r,
			 char *p, const char *s);
char *tr2_kept_text_slow(const struct tr2_kept *kept, struct tr2_render *r,
			 char *p, const char *s);

/* SPDX-License-Identifier: MIT */
/*
 * event_json_private - what the two ways to read a line of JSON share.
 */
#ifndef TR2_READ_EVENT_JSON_PRIVATE_H
#define TR2_READ_EVENT_JSON_PRIVATE_H

#include "base/buf.h"
#include "model/build.h"
#include "model/parsed_event.h"
#include "read/event_json.h"
#include "read/json.h"

/* The first bytes of an event's name and what follows it, and what it is. */
struct tr2_seen_kind {
	char text[16];
	size_t len; /* of the name; 0: not used */
	int kind;
};

#define TR2_SEEN_BITS 6

/* Processes that run at the same time take turns. */
#define TR2_SEEN_SESSIONS 4

struct tr2_seen_session {
	const char *sid; /* of the model */
	size_t len;
	uint32_t session; /* 0: not used */
};

struct tr2_event_reader {
	struct tr2_model *m;
	struct tr2_json *json;
	tr2_event_fn *fn;
	void *data;
	tr2_str source;
	bool only_simdjson;
	struct tr2_buf scratch, repaired;
	struct tr2_parsed_event ev;
	/* sid and thread of the line at hand. */
	struct tr2_view sid_seen, thread_seen;
	/* Those of the line before: texts of the model. */
	const char *sid, *thread_name;
	size_t sid_len, thread_len;
	uint32_t session, thread;
	/* `YYYY-MM-DDTHH:MM:` of a line before, and its microseconds. */
	char minute[17];
	int64_t minute_us;
	/* ,"sid":"…","thread":"…","time":" and the minute, of the line before,
	 * and where they are in it; head_len 0: it was none that has them. */
	char head[256];
	size_t head_len, head_sid_len, head_thread_len;
	/* `session` and `thread` are those of the head. */
	bool head_is_known;
	struct tr2_seen_kind seen[1u << TR2_SEEN_BITS];
	struct tr2_seen_session seen_sessions[TR2_SEEN_SESSIONS];
	unsigned int next_seen;
};

/* From the head's start to the sid; from the end of each value to the next. */
#define TR2_SID_AT (sizeof(",\"sid\":\"") - 1)
#define TR2_THREAD_AT (sizeof("\",\"thread\":\"") - 1)
#define TR2_TIME_AT (sizeof("\",\"time\":\"") - 1)

static inline void tr2_forget_head(struct tr2_event_reader *r)
{
	r->head_len = 0;
	r->head_is_known = false;
}

/* No event is shorter, and so much of one may be looked at freely. */
#define TR2_SHORTEST_LINE 32

/*
 * The line that begins here, if it is exactly as the table of events has it:
 * its length without the newline, and `ev`, sid_seen and thread_seen are what
 * the general way would make of it. 0: ask that; `ev` is of no use then.
 * end[-1] is a newline, this line's or another's, and TR2_JSON_PADDING more
 * bytes are readable.
 */
size_t tr2_event_json_fast(struct tr2_event_reader *r, const char *line,
			   const char *end, struct tr2_parsed_event *ev);

#endif

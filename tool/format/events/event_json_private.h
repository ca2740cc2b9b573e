/* SPDX-License-Identifier: MIT */
/*
 * event_json_private - the state that both readers of JSON lines share.
 */
#pragma once

#include "base/buf.h"
#include "format/events/event_json.h"
#include "format/events/json.h"
#include "model/build/build.h"
#include "model/parsed_event.h"

/* The beginning of an event's name with the text after the name, and the
 * event's kind. */
struct tr2_seen_kind {
	char text[16];
	size_t len; /* length of the name; 0: the entry is unused */
	int kind;
};

#define TR2_SEEN_BITS 6

/* Remember several sessions: processes that run at the same time alternate in a
 * stream. */
#define TR2_SEEN_SESSIONS 4

struct tr2_seen_session {
	const char *sid; /* the SID, owned by the model */
	size_t len;
	uint32_t session; /* 0: the entry is unused */
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
	/* Sid and thread of the current line. */
	struct tr2_view sid_seen, thread_seen;
	/* Sid and thread of the previous line; the model owns these texts. */
	const char *sid, *thread_name;
	size_t sid_len, thread_len;
	uint32_t session, thread;
	/* `YYYY-MM-DDTHH:MM:` of an earlier line, and its time in
	 * microseconds. */
	char minute[17];
	int64_t minute_us;
	/* The head of the previous line: ,"sid":"…","thread":"…","time":" and
	 * the minute; and the lengths of the head, sid and thread. head_len 0:
	 * that line lacked a part of the head. */
	char head[256];
	size_t head_len, head_sid_len, head_thread_len;
	/* `session` and `thread` belong to the head. */
	bool head_is_known;
	struct tr2_seen_kind seen[1u << TR2_SEEN_BITS];
	struct tr2_seen_session seen_sessions[TR2_SEEN_SESSIONS];
	unsigned int next_seen;
};

/* The offset of the sid from the start of the head, and the offset of each
 * later value from the end of the previous value. */
#define TR2_SID_AT (sizeof(",\"sid\":\"") - 1)
#define TR2_THREAD_AT (sizeof("\",\"thread\":\"") - 1)
#define TR2_TIME_AT (sizeof("\",\"time\":\"") - 1)

static inline void tr2_forget_head(struct tr2_event_reader *r)
{
	r->head_len = 0;
	r->head_is_known = false;
}

/* No event is shorter than this, so that this number of bytes can be read
 * without a check. */
#define TR2_SHORTEST_LINE 32

/*
 * Parse the line that begins here, if it has exactly the form of the table of
 * events. Return its length without the newline, and set `ev`, sid_seen and
 * thread_seen as the general parser does. Return 0 if the general parser must
 * parse the line; `ev` is then undefined. end[-1] is a newline, of this line or
 * of a later one, and TR2_JSON_PADDING more bytes are readable.
 */
size_t tr2_event_json_fast(struct tr2_event_reader *r, const char *line,
			   const char *end, struct tr2_parsed_event *ev);

/* SPDX-License-Identifier: MIT */
/*
 * event_private - what the two ways to read a line of JSON share.
 */
#ifndef TR2_READ_EVENT_PRIVATE_H
#define TR2_READ_EVENT_PRIVATE_H

#include "read/event_json.h"
#include "read/json.h"

struct tr2_event_reader {
	struct tr2_model *m;
	struct tr2_json *json;
	tr2_event_fn *fn;
	void *data;
	tr2_str source;
	bool only_simdjson;
	struct tr2_buf scratch, repaired;
	struct tr2_in in;
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

/*
 * true: the line is exactly as the table of events has it, and `in`, sid_seen
 * and thread_seen are what the general way would make of it. false: ask that.
 */
bool tr2_recognise(struct tr2_event_reader *r, const char *line, size_t len,
		   struct tr2_in *in);

#endif

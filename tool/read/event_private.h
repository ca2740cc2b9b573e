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
	/* `in` is clean but for the fields of this kind; -1: not at all. */
	int cleared_kind;
	/* sid and thread of the line at hand. */
	struct tr2_view sid_seen, thread_seen;
	/* Those of the line before: texts of the model. */
	const char *sid, *thread_name;
	size_t sid_len, thread_len;
	uint32_t session, thread;
	/* `YYYY-MM-DDTHH:MM:` of the line before, and its seconds. */
	char minute[17];
	int64_t minute_us;
};

/*
 * true: the line is exactly as the table of events has it, and `in`, sid_seen
 * and thread_seen are what the general way would make of it. false: ask that.
 */
bool tr2_recognise(struct tr2_event_reader *r, const char *line, size_t len,
		   struct tr2_in *in);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * json - parse one line with one JSON object, and pass on the object's members
 * one by one. The parser is simdjson (format/events/json_simd.cc, the only C++
 * of the project) or, without simdjson, json_scalar.c.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "common/time.h"
#include "model/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* This number of bytes must be readable after a text, whatever their values. */
#define TR2_JSON_PADDING 64

enum tr2_json_type {
	TR2_JSON_STRING,  /* text: the decoded string, with NUL as U+FFFD */
	TR2_JSON_INT,     /* i */
	TR2_JSON_UINT,    /* u: a value that does not fit into i */
	TR2_JSON_DECIMAL, /* ns */
	TR2_JSON_BOOL,    /* i */
	TR2_JSON_NULL,
	TR2_JSON_WORDS,   /* an array that has only strings. text: nr decoded
			   * words, each ended by a NUL */
	TR2_JSON_RAW      /* any other array, or an object. text: its JSON */
};

struct tr2_json_value {
	enum tr2_json_type type;
	struct tr2_view text;
	uint32_t nr;
	int64_t i;
	uint64_t u;
	int64_t ns; /* for DECIMAL: the number of seconds, in ns */
	struct tr2_json *json;
};

enum tr2_json_result {
	TR2_JSON_OK,
	TR2_JSON_BAD,       /* the text is not a JSON object */
	TR2_JSON_UTF8       /* not UTF-8 */
};

struct tr2_json;

struct tr2_json *tr2_json_new(void);
void tr2_json_free(struct tr2_json *json);

/* Called for each member, in order. The views are valid until the next call of
 * tr2_json_object(). */
typedef void tr2_json_member_fn(void *data, const char *key, size_t key_len,
				const struct tr2_json_value *value);

/* If the whole text is one valid JSON object, call `member` for each member of
 * it. A number that does not fit into a 64-bit type is passed as a string. */
enum tr2_json_result tr2_json_object(struct tr2_json *json, const char *text,
				     size_t len, tr2_json_member_fn *member,
				     void *data);

/* Return the value as JSON without white space; numbers keep their digits. Only
 * the member function may call this, and only for its own value. */
struct tr2_view tr2_json_source(const struct tr2_json_value *v);

/* Durations above this, such as totals of many timers, become INT64_MAX ns. */
#define TR2_JSON_MAX_SECONDS (INT64_MAX / 1000000000)

/* Convert seconds and nanoseconds of the same sign to nanoseconds. */
static inline int64_t tr2_json_ns(int64_t seconds, int64_t ns)
{
	return seconds >= TR2_JSON_MAX_SECONDS	? INT64_MAX :
	       seconds <= -TR2_JSON_MAX_SECONDS ? -INT64_MAX :
						  seconds * 1000000000 + ns;
}

/* Is this a valid time (common/time.h)? Times have a smaller range than
 * durations. */
static inline bool tr2_json_is_time(int64_t ns)
{
	return ns > -TR2_MAX_AT_NS && ns < TR2_MAX_AT_NS;
}

#ifdef __cplusplus
}
#endif

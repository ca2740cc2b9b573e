/* SPDX-License-Identifier: MIT */
/*
 * otlp - declarations that the files of the OTLP export share: ids, attributes,
 * and sending to a collector.
 */
#pragma once

#include "export/export.h"
#include "model/view.h"

struct tr2_trace_id {
	char hex[33];
};
/* The ids of a span and its trace. */
struct tr2_span_id {
	char hex[17];
	struct tr2_trace_id trace;
};

void tr2_otlp_set_id(struct tr2_span_id *id, uint64_t number);
void tr2_otlp_set_trace_id(struct tr2_trace_id *id,
			   const struct tr2_context *context);

/* Set the trace id of a tree, from the first component of its SID. */
void tr2_otlp_trace_id(struct tr2_context *id, const char *sid);
/* Set the span id of a process, from the last component of its SID. */
void tr2_otlp_process_id(struct tr2_span_id *id, const char *sid);
/* Set the span id of a part of a process, from the process's whole SID, a kind,
 * a name, and a number. */
void tr2_otlp_inner_id(struct tr2_span_id *id, struct tr2_buf *scratch,
		       const char *sid, const char *kind, const char *name,
		       uint64_t number);

/* The JSON member `"attributes":[…]`, to which attributes are added one by
 * one. */
struct tr2_attributes {
	struct tr2_export *x;
	struct tr2_buf *b;
	bool any;
};

void tr2_attributes_open(struct tr2_attributes *a, struct tr2_export *x,
			 struct tr2_buf *b);
void tr2_attributes_close(struct tr2_attributes *a);
/* Add a text; add nothing for NULL and "". */
void tr2_attribute_str(struct tr2_attributes *a, const char *key,
		       const char *value);
void tr2_attribute_int(struct tr2_attributes *a, const char *key,
		       int64_t value);
/* Add a number or a boolean in JSON. quoted: put it in quotes, as OTLP requires
 * for 64-bit integers. */
void tr2_attribute_json(struct tr2_attributes *a, const char *key,
			const char *type, const struct tr2_view *value,
			bool quoted);
void tr2_attribute_true(struct tr2_attributes *a, const char *key);
/* Add words; add nothing if there are none. */
void tr2_attribute_words(struct tr2_attributes *a, const char *key,
			 const struct tr2_words *words);
/* Add the text as an integer; add nothing if it is not an integer. */
void tr2_attribute_number(struct tr2_attributes *a, const char *key,
			  const char *text);

/* A list of the points of a span or a thread: see otlp.c. */
struct tr2_points {
	uint32_t first;
	const uint32_t *next;
};

/* The names and descriptions of spans. */
struct tr2_otlp_names {
	/* Append the name of a process, redacted. session 0: the process has no
	 * session. */
	void (*process_name)(struct tr2_export *x, struct tr2_buf *b,
			     uint32_t node, uint32_t session);
	void (*span_name)(struct tr2_export *x, struct tr2_buf *b,
			  uint32_t span);
	void (*process)(struct tr2_attributes *a, uint32_t node,
			uint32_t session, struct tr2_points points);
	void (*thread)(struct tr2_attributes *a, uint32_t thread,
		       struct tr2_points points);
	void (*span)(struct tr2_attributes *a, uint32_t span,
		     struct tr2_points points);
	const char *scope;
	bool events; /* points become events of spans */
};

extern const struct tr2_otlp_names tr2_otlp_own_names,
	tr2_otlp_trace2receiver_names;

#define TR2_OTLP_RECORDER "trace2 record"

/* Add the resource attributes of a process. node 0: add the attributes of the
 * recorder. */
void tr2_otlp_resource(struct tr2_attributes *a, uint32_t node,
		       uint32_t session);


/* export/otlp/otlp_env.c: set the URL of the collector that the environment
 * names, or return false after an error message; add the headers that the
 * environment names to each request. */
struct tr2_http;
bool tr2_otlp_env_url(struct tr2_buf *url);
void tr2_otlp_env_headers(struct tr2_http *http);

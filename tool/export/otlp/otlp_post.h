/* SPDX-License-Identifier: MIT */
/*
 * otlp_post - requests to an OpenTelemetry collector.
 */
#pragma once

#include "export/http.h"

struct tr2_post;

enum tr2_post_result {
	TR2_POST_ACCEPTED,
	TR2_POST_BUSY,      /* the collector wants to be asked again */
	TR2_POST_NO_ANSWER,
	TR2_POST_REFUSED
};

/* url: "env" is the collector that the environment names. A request fails if it
 * has taken so many seconds. NULL: an error was printed. */
struct tr2_post *tr2_post_new(const char *url, long request_seconds);
void tr2_post_free(struct tr2_post *p);

/* Send one request, once. */
enum tr2_post_result tr2_post_try(struct tr2_post *p, const char *body,
				  size_t size_bytes);
/* Return a message: why it was not accepted, or only in part; "": it was. */
const char *tr2_post_why(struct tr2_post *p);
/* Of an accepted request: how many spans were not. */
uint64_t tr2_post_rejected(const struct tr2_post *p);

/* Send one request, retrying while the collector is busy. false: it was not
 * accepted, and an error was printed. */
bool tr2_post_send(struct tr2_post *p, const char *body, size_t size_bytes);

struct tr2_http *tr2_post_http(struct tr2_post *p);

/* SPDX-License-Identifier: MIT */
/* otlp_post - send requests to an OpenTelemetry collector. */
#pragma once

#include "export/http.h"

struct tr2_post;

enum tr2_post_result {
	TR2_POST_ACCEPTED,
	TR2_POST_BUSY,      /* the collector is busy: try again later */
	TR2_POST_NO_ANSWER,
	TR2_POST_REFUSED
};

/* Connect to a collector. url "env": use the URL that the environment names. A
 * request fails after request_seconds. Return NULL after an error message. */
struct tr2_post *tr2_post_new(const char *url, long request_seconds);
void tr2_post_free(struct tr2_post *p);

/* Send one request once, without repeating it. */
enum tr2_post_result tr2_post_try(struct tr2_post *p, const char *body,
				  size_t size_bytes);
/* Return the reason why the collector rejected the request, or a part of it;
 * "": it accepted all. */
const char *tr2_post_why(struct tr2_post *p);
/* Return the number of spans that were rejected in an accepted request. */
uint64_t tr2_post_rejected(const struct tr2_post *p);

/* Send one request, and repeat it while the collector is busy. Return false,
 * after an error message, if the collector did not accept the request. */
bool tr2_post_send(struct tr2_post *p, const char *body, size_t size_bytes);

struct tr2_http *tr2_post_http(struct tr2_post *p);

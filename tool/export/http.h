/* SPDX-License-Identifier: MIT */
/*
 * http - send requests to a server over HTTP or HTTPS by libcurl, over one
 * persistent connection. The caller decides when to retry.
 */
#pragma once

#include <stdatomic.h>

#include "base/buf.h"

#define TR2_HTTP_TRIES 5

/* Without libcurl, no struct tr2_http exists. Functions that need this struct
 * are then not defined, and never called. */
#ifdef HAVE_LIBCURL
#define TR2_BY_CURL
#else
#define TR2_BY_CURL __attribute__((weak))
#endif

struct tr2_http;

struct tr2_http_server {
	/* description of the server in messages, such as "a collector" */
	const char *kind;
	const char *path;     /* path that is used if the URL has none; NULL:
			       * "/" */
	/* a remedy for builds without libcurl; NULL: none */
	const char *instead;
	long request_seconds; /* time limit of a request and its answer */
};

/* Connect to a server. Return NULL after an error message. */
struct tr2_http *tr2_http_new(const char *url,
			      const struct tr2_http_server *server);
void tr2_http_free(struct tr2_http *h);

/* Add a header to every request. */
void tr2_http_header(struct tr2_http *h, const char *header) TR2_BY_CURL;

/* Append "name=value" to the query of the URL, encoded, for all requests up to
 * the next tr2_http_no_params(). */
void tr2_http_param(struct tr2_http *h, const char *param) TR2_BY_CURL;
void tr2_http_no_params(struct tr2_http *h) TR2_BY_CURL;

/* Send one request. Return false if there is no answer; tr2_http_why() has the
 * reason. */
bool tr2_http_try(struct tr2_http *h, const char *body, size_t size_bytes)
	TR2_BY_CURL;
const char *tr2_http_why(const struct tr2_http *h) TR2_BY_CURL;
/* Send one request. Return false after an error message. */
bool tr2_http_post(struct tr2_http *h, const char *body, size_t size_bytes)
	TR2_BY_CURL;
/* Send a request that must not be sent twice. Return false after an error
 * message. */
bool tr2_http_post_once(struct tr2_http *h, const char *body,
			size_t size_bytes) TR2_BY_CURL;

/* Return the status, or the text, of the last answer. The text ends after 4
 * MiB. */
long tr2_http_status(const struct tr2_http *h) TR2_BY_CURL;
struct tr2_buf *tr2_http_answer(struct tr2_http *h) TR2_BY_CURL;
/* Did the last answer say that the server is busy (429, 502, 503, 504)? */
bool tr2_http_is_busy(const struct tr2_http *h) TR2_BY_CURL;
/* Return the number of seconds in the last answer's Retry-After; 0: there is
 * none. */
int64_t tr2_http_retry_after(struct tr2_http *h) TR2_BY_CURL;
/* Wait for the time in the answer's Retry-After, or else for 1, 2, 4, 8
 * seconds. tries counts from 1. */
void tr2_http_wait(struct tr2_http *h, int tries) TR2_BY_CURL;

/* Let requests fail once `stop` is set. A request that is being sent fails
 * within a second. */
void tr2_http_stop_by(struct tr2_http *h, const atomic_bool *stop) TR2_BY_CURL;

/* Return the URL for messages, without a password. */
const char *tr2_http_shown(struct tr2_http *h) TR2_BY_CURL;

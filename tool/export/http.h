/* SPDX-License-Identifier: MIT */
/*
 * http - requests to a server over HTTP or HTTPS, by libcurl: one connection,
 * used again and again. When to ask again is for the caller to say.
 */
#ifndef TR2_EXPORT_HTTP_H
#define TR2_EXPORT_HTTP_H

#include "base/buf.h"

#define TR2_HTTP_TRIES 5

struct tr2_http;

struct tr2_http_server {
	const char *what;     /* "a collector": of whom the URL is */
	const char *path;     /* where the URL has none; NULL: "/" */
	const char *instead;  /* what to do without libcurl, or NULL */
	long request_seconds; /* for a request and its answer */
};

/* `server` stays the caller's. NULL: an error was printed. */
struct tr2_http *tr2_http_new(const char *url,
			      const struct tr2_http_server *server);
void tr2_http_free(struct tr2_http *h);

/* Of every request. http: struct tr2_http *. false: out of memory. */
bool tr2_http_header(void *http, const char *header);

/* "name=value" behind the URL's own query, encoded here; for the requests up
 * to the next tr2_http_no_params(). false: an error was printed. */
bool tr2_http_param(struct tr2_http *h, const char *param);
void tr2_http_no_params(struct tr2_http *h);

/* One request. false: there is no answer, and an error was printed. */
bool tr2_http_post(struct tr2_http *h, const char *body, size_t size_bytes);
/* The same for what must not be done twice. */
bool tr2_http_post_once(struct tr2_http *h, const char *body,
			size_t size_bytes);

/* Of the last answer. Of its text, what is beyond 4 MiB is left out. */
long tr2_http_status(const struct tr2_http *h);
struct tr2_buf *tr2_http_answer(struct tr2_http *h);
/* Whether that was: not now (429, 502, 503, 504). */
bool tr2_http_is_busy(const struct tr2_http *h);
/* Waits as long as it named, or 1, 2, 4, 8 seconds: tries counts from 1. */
void tr2_http_wait(struct tr2_http *h, int tries);

/* The URL as it may be shown: without a password. */
const char *tr2_http_shown(struct tr2_http *h);

#endif

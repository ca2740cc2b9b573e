/* SPDX-License-Identifier: MIT */
/*
 * otlp_post - send requests to an OpenTelemetry collector over HTTP.
 *
 * If the collector is busy (429, 502, 503, 504), a request is repeated after
 * the time that the collector names, or after 1, 2, 4 and 8 seconds. If the
 * collector rejects a request, its message is printed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/say.h"
#include "export/otlp/otlp.h"
#include "export/otlp/otlp_post.h"
#include "format/events/json.h"

#define MAX_WORDS 300 /* print at most this much of a response in a message */

struct tr2_post {
	struct tr2_http *http;
	struct tr2_buf words, why;
	uint64_t rejected;
};

/* Return the URL; for "env", return the environment's URL, in b. Return NULL
 * after an error message. */
static const char *resolve_url(const char *url, struct tr2_buf *b)
{
	if (strcmp(url, "env"))
		return url;
	return tr2_otlp_env_url(b) ? tr2_buf_str(b) : NULL;
}

/* Connect to the collector. A URL without a path, such as `http://host:4318`,
 * stands for OTLP's default path. */
static struct tr2_http *connect_to(const char *given, long request_seconds)
{
	const struct tr2_http_server collector = {
		.kind = "a collector",
		.path = "/v1/traces",
		.instead = ", or write a file with -o and send that",
		.request_seconds = request_seconds,
	};
	struct tr2_buf b = TR2_BUF_INIT;
	const char *url = resolve_url(given, &b);
	struct tr2_http *http = url ? tr2_http_new(url, &collector) : NULL;

	tr2_buf_release(&b);
	return http;
}

struct tr2_post *tr2_post_new(const char *url, long request_seconds)
{
	struct tr2_http *http = connect_to(url, request_seconds);
	struct tr2_post *p;

	if (!http)
		return NULL;
	tr2_http_header(http, "Content-Type: application/json");
	tr2_otlp_env_headers(http);
	p = tr2_calloc(1, sizeof(*p));
	p->http = http;
	return p;
}

void tr2_post_free(struct tr2_post *p)
{
	if (!p)
		return;
	tr2_http_free(p->http);
	tr2_buf_release(&p->words);
	tr2_buf_release(&p->why);
	free(p);
}

static void on_message(void *data, const char *key, size_t len,
		       const struct tr2_json_value *v)
{
	struct tr2_post *p = data;

	if (len == 7 && !memcmp(key, "message", 7) &&
	    v->type == TR2_JSON_STRING)
		tr2_text_add(&p->words, v->text.p, v->text.len);
	else if (len == 14 && !memcmp(key, "partialSuccess", 14) &&
		 v->type == TR2_JSON_RAW && v->text.len > 2)
		tr2_text_add(&p->words, v->text.p, v->text.len);
}

/* Return the message in a JSON response, or else the first line of the
 * response. */
static const char *words_of(struct tr2_post *p)
{
	struct tr2_buf *answer = tr2_http_answer(p->http);
	struct tr2_json *json = tr2_json_new();
	size_t len = answer->len, line;

	tr2_buf_reset(&p->words);
	tr2_buf_addchars(answer, '\n', TR2_JSON_PADDING);
	if (json && len && !answer->failed)
		tr2_json_object(json, answer->p, len, on_message, p);
	tr2_json_free(json);
	answer->len = len;
	if (!p->words.len && len && answer->p[0] != '{') {
		line = strcspn(tr2_buf_str(answer), "\r\n");
		tr2_text_add(&p->words, answer->p, line);
	}
	p->words.len = tr2_utf8_cut(p->words.p, p->words.len, MAX_WORDS);
	return tr2_buf_str(&p->words);
}

/* Set p->why and p->rejected, unless the collector accepted the request without
 * a message. */
static void note_answer(struct tr2_post *p, bool accepted)
{
	const char *words = words_of(p), *count;
	char status[24];

	if (accepted) {
		count = strstr(words, "rejectedSpans");
		if (!count && !strstr(words, "errorMessage"))
			return;
		if (count)
			count += strcspn(count, "0123456789");
		p->rejected = count ? strtoull(count, NULL, 10) : 0;
		tr2_buf_addall(&p->why, "'", tr2_http_shown(p->http),
			       "' rejected some spans: ", words);
		return;
	}
	snprintf(status, sizeof(status), "%ld", tr2_http_status(p->http));
	tr2_buf_addall(&p->why, "'", tr2_http_shown(p->http), "' answered ",
		       status, *words ? ": " : "", words);
}

enum tr2_post_result tr2_post_try(struct tr2_post *p, const char *body,
				  size_t size_bytes)
{
	long status;
	bool accepted;

	tr2_buf_reset(&p->why);
	p->rejected = 0;
	if (!tr2_http_try(p->http, body, size_bytes)) {
		tr2_buf_addall(&p->why, "cannot send to '",
			       tr2_http_shown(p->http), "': ",
			       tr2_http_why(p->http));
		return TR2_POST_NO_ANSWER;
	}
	status = tr2_http_status(p->http);
	accepted = status >= 200 && status < 300;
	note_answer(p, accepted);
	return accepted ? TR2_POST_ACCEPTED :
	       tr2_http_is_busy(p->http) ? TR2_POST_BUSY : TR2_POST_REFUSED;
}

const char *tr2_post_why(struct tr2_post *p)
{
	return tr2_buf_str(&p->why);
}

uint64_t tr2_post_rejected(const struct tr2_post *p)
{
	return p->rejected;
}

struct tr2_http *tr2_post_http(struct tr2_post *p)
{
	return p->http;
}

bool tr2_post_send(struct tr2_post *p, const char *body, size_t size_bytes)
{
	enum tr2_post_result result;
	int tries = 0;

	while ((result = tr2_post_try(p, body, size_bytes)) == TR2_POST_BUSY &&
	       ++tries < TR2_HTTP_TRIES)
		tr2_http_wait(p->http, tries);
	if (result != TR2_POST_ACCEPTED)
		tr2_error("%s", tr2_post_why(p));
	else if (p->why.len)
		tr2_warning("%s", tr2_post_why(p));
	return result == TR2_POST_ACCEPTED;
}

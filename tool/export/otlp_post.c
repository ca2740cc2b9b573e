/* SPDX-License-Identifier: MIT */
/*
 * otlp_post - requests to an OpenTelemetry collector over HTTP. If the
 * collector is busy (429, 502, 503, 504), a request is retried after the time
 * that it names or after 1, 2, 4 and 8 seconds; if it rejects one, its message
 * is printed.
 */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/say.h"
#include "export/http.h"
#include "export/otlp.h"
#include "read/json.h"

#define MAX_WORDS 300 /* of a response in a message */

struct tr2_post {
	struct tr2_http *http;
	struct tr2_buf words;
};

/* Return the URL: for "env" in b, else unchanged. NULL: none, and an error was
 * printed. */
static const char *resolve(const char *url, struct tr2_buf *b)
{
	if (strcmp(url, "env"))
		return url;
	return tr2_otlp_env_url(b) ? tr2_buf_str(b) : NULL;
}

/* `http://host:4318` means OTLP's default path there. */
static struct tr2_http *connect_to(const char *given)
{
	static const struct tr2_http_server collector = {
		.kind = "a collector",
		.path = "/v1/traces",
		.instead = ", or write a file with -o and send that",
		.request_seconds = 60,
	};
	struct tr2_buf b = TR2_BUF_INIT;
	const char *url = resolve(given, &b);
	struct tr2_http *http = url ? tr2_http_new(url, &collector) : NULL;

	tr2_buf_release(&b);
	return http;
}

struct tr2_post *tr2_post_new(const char *url)
{
	struct tr2_http *http = connect_to(url);
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

/* Return the message of a JSON response, else its first line. */
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

/* Warn if the collector accepted only a part. */
static bool taken(struct tr2_post *p)
{
	const char *words = words_of(p);

	if (strstr(words, "rejectedSpans") || strstr(words, "errorMessage"))
		tr2_warning("'%s' rejected some spans: %s",
			    tr2_http_shown(p->http), words);
	return true;
}

bool tr2_post_send(struct tr2_post *p, const char *body, size_t size_bytes)
{
	const char *words;
	int tries = 0;
	long status;

	for (;;) {
		if (!tr2_http_post(p->http, body, size_bytes))
			return false;
		if (!tr2_http_is_busy(p->http) || ++tries == TR2_HTTP_TRIES)
			break;
		tr2_http_wait(p->http, tries);
	}
	status = tr2_http_status(p->http);
	if (status >= 200 && status < 300)
		return taken(p);
	words = words_of(p);
	tr2_error("'%s' answered %ld%s%s", tr2_http_shown(p->http), status,
		  *words ? ": " : "", words);
	return false;
}

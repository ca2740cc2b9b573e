/* SPDX-License-Identifier: MIT */
/*
 * otlp_post - requests to an OpenTelemetry collector over HTTP. A collector
 * that is busy (429, 502, 503, 504) is asked again, after the time that it
 * names or after 1, 2, 4 and 8 seconds; what it refuses is said in its words.
 */
#include "export/otlp.h"
#include "options.h"

#ifdef HAVE_LIBCURL

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "read/json.h"

#define CONNECT_SECONDS 10L
#define REQUEST_SECONDS 60L
#define MAX_TRIES 5
#define MAX_WAIT_SECONDS 60
#define MAX_ANSWER 65536
#define MAX_WORDS 300 /* of an answer that is shown */

struct tr2_post {
	CURL *curl;
	struct curl_slist *headers;
	const char *url;
	struct tr2_buf answer, words, env_url;
	char error[CURL_ERROR_SIZE];
};

/* What is too much of an answer is left out. */
static size_t on_answer(char *data, size_t size, size_t n, void *to)
{
	struct tr2_post *p = to;

	if (p->answer.len + size * n <= MAX_ANSWER)
		tr2_buf_add(&p->answer, data, size * n);
	return size * n;
}

/* `http://host:4318` means the path that OTLP has there. */
static bool set_url(struct tr2_post *p)
{
	CURLU *url = curl_url();
	char *path = NULL, *scheme = NULL;
	CURLUcode bad = CURLUE_OUT_OF_MEMORY;

	if (url)
		bad = curl_url_set(url, CURLUPART_URL, p->url, 0);
	if (!bad)
		bad = curl_url_get(url, CURLUPART_SCHEME, &scheme, 0);
	if (!bad && strcmp(scheme, "http") && strcmp(scheme, "https"))
		bad = CURLUE_UNSUPPORTED_SCHEME;
	if (!bad)
		bad = curl_url_get(url, CURLUPART_PATH, &path, 0);
	if (!bad && !strcmp(path, "/"))
		bad = curl_url_set(url, CURLUPART_PATH, "/v1/traces", 0);
	if (bad)
		tr2_error("'%s' is not the URL of a collector: %s", p->url,
			  curl_url_strerror(bad));
	else
		curl_easy_setopt(p->curl, CURLOPT_CURLU, url);
	curl_free(path);
	curl_free(scheme);
	if (bad)
		curl_url_cleanup(url);
	else
		curl_easy_setopt(p->curl, CURLOPT_PRIVATE, url);
	return !bad;
}

static void set_options(struct tr2_post *p)
{
	curl_easy_setopt(p->curl, CURLOPT_HTTPHEADER, p->headers);
	curl_easy_setopt(p->curl, CURLOPT_POST, 1L);
	curl_easy_setopt(p->curl, CURLOPT_WRITEFUNCTION, on_answer);
	curl_easy_setopt(p->curl, CURLOPT_WRITEDATA, p);
	curl_easy_setopt(p->curl, CURLOPT_ERRORBUFFER, p->error);
	curl_easy_setopt(p->curl, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
	curl_easy_setopt(p->curl, CURLOPT_TIMEOUT, REQUEST_SECONDS);
	curl_easy_setopt(p->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(p->curl, CURLOPT_USERAGENT, "trace2");
}

static bool add_header(void *data, const char *header)
{
	struct tr2_post *p = data;
	struct curl_slist *more = curl_slist_append(p->headers, header);

	if (more)
		p->headers = more;
	return more != NULL;
}

/* One answer, not "100 Continue" first: saves a round trip. */
static bool add_headers(struct tr2_post *p)
{
	return add_header(p, "Content-Type: application/json") &&
	       add_header(p, "Expect:") && tr2_otlp_env_headers(add_header, p);
}

struct tr2_post *tr2_post_new(const char *url)
{
	struct tr2_post *p = calloc(1, sizeof(*p));

	if (!p || curl_global_init(CURL_GLOBAL_DEFAULT)) {
		free(p);
		tr2_error("out of memory");
		return NULL;
	}
	p->url = url;
	p->curl = curl_easy_init();
	if (!strcmp(url, "env")) {
		if (!tr2_otlp_env_url(&p->env_url)) {
			tr2_post_free(p);
			return NULL;
		}
		p->url = tr2_buf_str(&p->env_url);
	}
	if (!p->curl || !add_headers(p))
		tr2_error("out of memory");
	else if (set_url(p))
		return set_options(p), p;
	tr2_post_free(p);
	return NULL;
}

void tr2_post_free(struct tr2_post *p)
{
	char *url = NULL;

	if (!p)
		return;
	if (p->curl)
		curl_easy_getinfo(p->curl, CURLINFO_PRIVATE, &url);
	curl_easy_cleanup(p->curl);
	curl_url_cleanup((CURLU *)url);
	curl_slist_free_all(p->headers);
	tr2_buf_release(&p->answer);
	tr2_buf_release(&p->words);
	tr2_buf_release(&p->env_url);
	curl_global_cleanup();
	free(p);
}

/* ---- what it answers ------------------------------------------------------------------ */

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

/* Its message when the answer is JSON, else its first line. */
static const char *words_of(struct tr2_post *p)
{
	struct tr2_json *json = tr2_json_new();
	size_t len = p->answer.len, line;

	tr2_buf_reset(&p->words);
	tr2_buf_addchars(&p->answer, '\n', TR2_JSON_PADDING);
	if (json && len && !p->answer.failed)
		tr2_json_object(json, p->answer.p, len, on_message, p);
	tr2_json_free(json);
	p->answer.len = len;
	if (!p->words.len && len && p->answer.p[0] != '{') {
		line = strcspn(tr2_buf_str(&p->answer), "\r\n");
		tr2_text_add(&p->words, p->answer.p, line);
	}
	p->words.len = tr2_utf8_cut(p->words.p, p->words.len, MAX_WORDS);
	return tr2_buf_str(&p->words);
}

static bool is_busy(long status)
{
	return status == 429 || (status >= 502 && status <= 504);
}

static void wait_to_retry(struct tr2_post *p, int tries)
{
	curl_off_t after = 0;
	struct timespec ts;

	curl_easy_getinfo(p->curl, CURLINFO_RETRY_AFTER, &after);
	if (after <= 0)
		after = (curl_off_t)1 << (tries - 1);
	ts = (struct timespec){ .tv_sec = after > MAX_WAIT_SECONDS ?
				MAX_WAIT_SECONDS : (time_t)after };
	nanosleep(&ts, NULL);
}

/* What was taken in part only is worth a warning. */
static bool taken(struct tr2_post *p)
{
	const char *words = words_of(p);

	if (strstr(words, "rejectedSpans") || strstr(words, "errorMessage"))
		tr2_warning("'%s' did not take all spans: %s", p->url, words);
	return true;
}

bool tr2_post_send(struct tr2_post *p, const char *body, size_t size_bytes)
{
	long status = 0;
	CURLcode failed;
	const char *words;
	int tries = 0;

	curl_easy_setopt(p->curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(p->curl, CURLOPT_POSTFIELDSIZE_LARGE,
			 (curl_off_t)size_bytes);
	for (;;) {
		tr2_buf_reset(&p->answer);
		failed = curl_easy_perform(p->curl);
		curl_easy_getinfo(p->curl, CURLINFO_RESPONSE_CODE, &status);
		if (failed || !is_busy(status) || ++tries == MAX_TRIES)
			break;
		wait_to_retry(p, tries);
	}
	if (failed) {
		tr2_error("cannot send to '%s': %s", p->url,
			  *p->error ? p->error : curl_easy_strerror(failed));
		return false;
	}
	if (status >= 200 && status < 300)
		return taken(p);
	words = words_of(p);
	tr2_error("'%s' answered %ld%s%s", p->url, status, *words ? ": " : "",
		  words);
	return false;
}

#else

struct tr2_post *tr2_post_new(const char *url)
{
	tr2_error("cannot send to '%s': this trace2 was built without libcurl: "
		  "install the Debian package libcurl4-openssl-dev and build "
		  "it again, or write a file with -o and send that", url);
	return NULL;
}

bool tr2_post_send(struct tr2_post *p, const char *body, size_t size_bytes)
{
	(void)p;
	(void)body;
	(void)size_bytes;
	return false;
}

void tr2_post_free(struct tr2_post *p)
{
	(void)p;
}

#endif

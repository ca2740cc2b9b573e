/* SPDX-License-Identifier: MIT */
/* http - send HTTP requests by libcurl; without libcurl, return an error. */
#include "export/http.h"

#include "common/say.h"

#ifdef HAVE_LIBCURL

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/memory.h"
#include "event/redact.h"

#define CONNECT_SECONDS 10L
#define MAX_WAIT_SECONDS 60
#define MAX_ANSWER (4u << 20)

/* Load libcurl when it is first needed: loading it with its thirty libraries
 * takes longer than most commands run. */
#define LIBRARY "libcurl.so.4"
#define FUNCTIONS(_)                                                      \
	_(easy_cleanup) _(easy_getinfo) _(easy_init) _(easy_perform)      \
	_(easy_setopt) _(easy_strerror) _(free) _(global_cleanup)         \
	_(global_init) _(slist_append) _(slist_free_all) _(url)           \
	_(url_cleanup) _(url_dup) _(url_get) _(url_set) _(url_strerror)

static struct {
#define MEMBER(name) __typeof__(curl_##name) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
} lib;

/* Load the library. Return false, with the reason in dlerror(), on failure. */
static bool load_library(void)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	bool ok = handle != NULL;

#define LOAD(name)                                                        \
	ok = ok && (*(void **)&lib.name = dlsym(handle, "curl_" #name));
	FUNCTIONS(LOAD)
#undef LOAD
	return ok;
}

struct tr2_http {
	CURL *curl;
	CURLU *url, *now; /* url: the given URL; now: the URL with the
			   * parameters */
	struct curl_slist *headers;
	struct tr2_buf answer, scratch, shown;
	long status;
	char error[CURL_ERROR_SIZE];
};

/* Append a piece of an answer. Drop the part above the limit. */
static size_t on_answer(char *data, size_t size, size_t n, void *to)
{
	struct tr2_http *h = to;

	if (h->answer.len + size * n <= MAX_ANSWER)
		tr2_buf_add(&h->answer, data, size * n);
	return size * n;
}

static CURLUcode parse_url(struct tr2_http *h, const char *text,
			   const char *default_path)
{
	char *path = NULL, *scheme = NULL;
	CURLUcode bad;

	h->url = lib.url();
	tr2_must(h->url);
	bad = lib.url_set(h->url, CURLUPART_URL, text, 0);
	if (!bad)
		bad = lib.url_get(h->url, CURLUPART_SCHEME, &scheme, 0);
	if (!bad && strcmp(scheme, "http") && strcmp(scheme, "https"))
		bad = CURLUE_UNSUPPORTED_SCHEME;
	if (!bad)
		bad = lib.url_get(h->url, CURLUPART_PATH, &path, 0);
	if (!bad && default_path && !strcmp(path, "/"))
		bad = lib.url_set(h->url, CURLUPART_PATH, default_path, 0);
	lib.free(path);
	lib.free(scheme);
	tr2_http_no_params(h);
	return bad;
}

static bool set_url(struct tr2_http *h, const char *text,
		    const struct tr2_http_server *server)
{
	size_t len = strlen(text);
	const char *shown = tr2_redact(&h->scratch, text, &len);
	CURLUcode bad = parse_url(h, text, server->path);

	tr2_buf_add(&h->shown, shown, len);
	if (bad)
		tr2_error("'%s' is not the URL of %s: %s", tr2_http_shown(h),
			  server->kind, lib.url_strerror(bad));
	return !bad;
}

static void set_options(struct tr2_http *h, long request_seconds)
{
	lib.easy_setopt(h->curl, CURLOPT_POST, 1L);
	lib.easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, on_answer);
	lib.easy_setopt(h->curl, CURLOPT_WRITEDATA, h);
	lib.easy_setopt(h->curl, CURLOPT_ERRORBUFFER, h->error);
	lib.easy_setopt(h->curl, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
	lib.easy_setopt(h->curl, CURLOPT_TIMEOUT, request_seconds);
	lib.easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	lib.easy_setopt(h->curl, CURLOPT_USERAGENT, "trace2");
}

struct tr2_http *tr2_http_new(const char *url,
			      const struct tr2_http_server *server)
{
	struct tr2_http *h;

	if (!load_library()) {
		tr2_error("cannot send to %s: %s", server->kind, dlerror());
		return NULL;
	}
	h = tr2_calloc(1, sizeof(*h));
	tr2_must(!lib.global_init(CURL_GLOBAL_DEFAULT));
	h->curl = lib.easy_init();
	tr2_must(h->curl);
	/* Do not wait for "100 Continue": this saves a round trip for each
	 * request. */
	tr2_http_header(h, "Expect:");
	if (set_url(h, url, server))
		return set_options(h, server->request_seconds), h;
	tr2_http_free(h);
	return NULL;
}

void tr2_http_free(struct tr2_http *h)
{
	if (!h)
		return;
	lib.easy_cleanup(h->curl);
	lib.url_cleanup(h->now);
	lib.url_cleanup(h->url);
	lib.slist_free_all(h->headers);
	tr2_buf_release(&h->answer);
	tr2_buf_release(&h->scratch);
	tr2_buf_release(&h->shown);
	lib.global_cleanup();
	free(h);
}

void tr2_http_header(struct tr2_http *h, const char *header)
{
	h->headers = lib.slist_append(h->headers, header);
	tr2_must(h->headers);
}

void tr2_http_param(struct tr2_http *h, const char *param)
{
	tr2_must(!lib.url_set(h->now, CURLUPART_QUERY, param,
			       CURLU_APPENDQUERY | CURLU_URLENCODE));
}

void tr2_http_no_params(struct tr2_http *h)
{
	lib.url_cleanup(h->now);
	h->now = lib.url_dup(h->url);
	tr2_must(h->now);
}

bool tr2_http_try(struct tr2_http *h, const char *body, size_t size_bytes)
{
	CURLcode failed;

	tr2_buf_reset(&h->answer);
	h->status = 0;
	*h->error = '\0';
	lib.easy_setopt(h->curl, CURLOPT_CURLU, h->now);
	lib.easy_setopt(h->curl, CURLOPT_HTTPHEADER, h->headers);
	lib.easy_setopt(h->curl, CURLOPT_POSTFIELDS, body);
	lib.easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE,
			 (curl_off_t)size_bytes);
	failed = lib.easy_perform(h->curl);
	if (failed && !*h->error)
		snprintf(h->error, sizeof(h->error), "%s",
			 lib.easy_strerror(failed));
	if (!failed)
		lib.easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &h->status);
	return !failed;
}

const char *tr2_http_why(const struct tr2_http *h)
{
	return h->error;
}

/* Use a new connection: if a reused connection has died, libcurl repeats the
 * request without being asked. */
bool tr2_http_post_once(struct tr2_http *h, const char *body,
			size_t size_bytes)
{
	bool ok;

	lib.easy_setopt(h->curl, CURLOPT_FRESH_CONNECT, 1L);
	ok = tr2_http_post(h, body, size_bytes);
	lib.easy_setopt(h->curl, CURLOPT_FRESH_CONNECT, 0L);
	return ok;
}

static int on_progress(void *stop, curl_off_t down_total, curl_off_t down,
		       curl_off_t up_total, curl_off_t up)
{
	(void)down_total;
	(void)down;
	(void)up_total;
	(void)up;
	return atomic_load((const atomic_bool *)stop);
}

void tr2_http_stop_by(struct tr2_http *h, const atomic_bool *stop)
{
	lib.easy_setopt(h->curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	lib.easy_setopt(h->curl, CURLOPT_XFERINFODATA, stop);
	lib.easy_setopt(h->curl, CURLOPT_NOPROGRESS, 0L);
}

long tr2_http_status(const struct tr2_http *h)
{
	return h->status;
}

struct tr2_buf *tr2_http_answer(struct tr2_http *h)
{
	return &h->answer;
}

bool tr2_http_is_busy(const struct tr2_http *h)
{
	return h->status == 429 || (h->status >= 502 && h->status <= 504);
}

int64_t tr2_http_retry_after(struct tr2_http *h)
{
	curl_off_t after = 0;

	lib.easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &after);
	return after > 0 ? after : 0;
}

void tr2_http_wait(struct tr2_http *h, int tries)
{
	int64_t after = tr2_http_retry_after(h);
	struct timespec ts;

	if (!after)
		after = (int64_t)1 << (tries - 1);
	ts = (struct timespec){ .tv_sec = after > MAX_WAIT_SECONDS ?
				MAX_WAIT_SECONDS : (time_t)after };
	nanosleep(&ts, NULL);
}

const char *tr2_http_shown(struct tr2_http *h)
{
	return tr2_buf_str(&h->shown);
}

bool tr2_http_post(struct tr2_http *h, const char *body, size_t size_bytes)
{
	bool ok = tr2_http_try(h, body, size_bytes);

	if (!ok)
		tr2_error("cannot send to '%s': %s", tr2_http_shown(h),
			  tr2_http_why(h));
	return ok;
}

#else

struct tr2_http *tr2_http_new(const char *url,
			      const struct tr2_http_server *server)
{
	tr2_error("cannot send to '%s': this trace2 was built without libcurl: "
		  "install the Debian package libcurl4-openssl-dev and build "
		  "it again%s", url, server->instead ? server->instead : "");
	return NULL;
}

void tr2_http_free(struct tr2_http *h)
{
	(void)h;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * otlp_env - the environment variables that OpenTelemetry's exporters share:
 *
 *	OTEL_EXPORTER_OTLP_TRACES_ENDPOINT	the URL, unchanged
 *	OTEL_EXPORTER_OTLP_ENDPOINT		the URL without v1/traces
 *	OTEL_EXPORTER_OTLP_TRACES_HEADERS	name=value,name=value
 *	OTEL_EXPORTER_OTLP_HEADERS		the same, if the former is unset
 *
 * Values of headers are percent-encoded. They are secrets: no message shows
 * one.
 */
#include <stdlib.h>

#include "base/split.h"
#include "common/say.h"
#include "export/http.h"
#include "export/otlp/otlp.h"

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

bool tr2_otlp_env_url(struct tr2_buf *url)
{
	const char *value = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
	size_t len;

	if (value) {
		tr2_buf_addstr(url, value);
		return true;
	}
	value = variable("OTEL_EXPORTER_OTLP_ENDPOINT");
	if (!value) {
		tr2_error("URL env: neither OTEL_EXPORTER_OTLP_ENDPOINT nor "
			  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set: set one "
			  "to the collector's URL, or name it with --url");
		return false;
	}
	len = strlen(value);
	while (len && value[len - 1] == '/')
		len--;
	tr2_buf_add(url, value, len);
	tr2_buf_addlit(url, "/v1/traces");
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Is the text a valid name of a header? */
static bool is_name(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!((s[i] >= 'a' && s[i] <= 'z') ||
		      (s[i] >= 'A' && s[i] <= 'Z') ||
		      (s[i] >= '0' && s[i] <= '9') ||
		      (s[i] && strchr("!#$%&'*+-.^_`|~", s[i]))))
			return false;
	return len != 0;
}

/* Append a percent-encoded text, decoded. Return false if it has a control
 * character, which could begin another header. */
static bool add_decoded(struct tr2_buf *b, const char *s, size_t len)
{
	size_t i;
	int high, low;
	char c;

	for (i = 0; i < len; i++) {
		c = s[i];
		high = c == '%' && len - i > 2 ? hex_digit(s[i + 1]) : -1;
		low = high >= 0 ? hex_digit(s[i + 2]) : -1;
		if (low >= 0) {
			c = (char)(high << 4 | low);
			i += 2;
		}
		if ((unsigned char)c < ' ' || c == 0x7f)
			return false;
		tr2_buf_addch(b, c);
	}
	return true;
}

static void trim_blanks(const char **s, size_t *len)
{
	while (*len && (**s == ' ' || **s == '\t'))
		++*s, --*len;
	while (*len && ((*s)[*len - 1] == ' ' || (*s)[*len - 1] == '\t'))
		--*len;
}

/* Add a pair `name=value` as the header `name: value`. */
static bool add_header(struct tr2_buf *b, const char *pair, size_t len)
{
	const char *value = memchr(pair, '=', len);
	size_t value_len, name_len;

	if (!value)
		return false;
	name_len = (size_t)(value - pair);
	value_len = len - name_len - 1;
	value++;
	trim_blanks(&pair, &name_len);
	trim_blanks(&value, &value_len);
	if (!is_name(pair, name_len))
		return false;
	tr2_buf_add(b, pair, name_len);
	tr2_buf_addlit(b, ": ");
	return add_decoded(b, value, value_len);
}

void tr2_otlp_env_headers(struct tr2_http *http)
{
	const char *name = "OTEL_EXPORTER_OTLP_TRACES_HEADERS";
	const char *s = variable(name);
	struct tr2_buf b = TR2_BUF_INIT;
	unsigned int nr = 0;
	const char *pair;
	size_t len;

	if (!s) {
		name = "OTEL_EXPORTER_OTLP_HEADERS";
		s = variable(name);
	}
	while (s && (pair = tr2_split(&s, ",", &len))) {
		nr++;
		if (strspn(pair, " \t") >= len)
			continue;
		tr2_buf_reset(&b);
		if (add_header(&b, pair, len))
			tr2_http_header(http, tr2_buf_str(&b));
		else
			tr2_warning("header number %u of %s is ignored: it is "
				    "not name=value", nr, name);
	}
	tr2_buf_release(&b);
}

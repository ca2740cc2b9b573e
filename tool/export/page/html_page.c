/* SPDX-License-Identifier: MIT */
/*
 * html_page - write the page around the data: see export/page/html.h.
 *
 * The page's Content-Security-Policy permits only the one script and the one
 * style sheet whose hashes it lists, and no loading. Even if a name became
 * markup, the browser would not run it.
 */
#include <string.h>

#include "export/page/html.h"
#include "export/sha256.h"

/*
 * Append JSON. Write `<` and similar characters as \uXXXX, since they could end
 * the element, or begin a comment. JSON has them only in strings, where escapes
 * are allowed.
 */
void tr2_html_add_data(struct tr2_buf *b, const char *json, size_t len)
{
	const char *end, *from = json, *p;

	if (!len) /* p may be NULL if len is 0 */
		return;
	end = json + len;
	for (p = json; p < end; p++) {
		if (*p != '<' && *p != '>' && *p != '&')
			continue;
		tr2_buf_add(b, from, (size_t)(p - from));
		tr2_buf_addstr(b, *p == '<' ? "\\u003c" :
				  *p == '>' ? "\\u003e" : "\\u0026");
		from = p + 1;
	}
	tr2_buf_add(b, from, (size_t)(end - from));
}

static void add_text(struct tr2_buf *b, const char *s)
{
	for (; *s; s++) {
		if (*s == '<')
			tr2_buf_addlit(b, "&lt;");
		else if (*s == '>')
			tr2_buf_addlit(b, "&gt;");
		else if (*s == '&')
			tr2_buf_addlit(b, "&amp;");
		else if ((unsigned char)*s < ' ')
			tr2_buf_addch(b, ' ');
		else
			tr2_buf_addch(b, *s);
	}
}

static bool ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), n = strlen(end);

	return len >= n && !strcmp(s + len - n, end);
}

/* The places of values in rows, for the scripts. */
static const char places[] =
	"const places = (...names) => Object.fromEntries(names.map(\n"
	"\t(name, at) => [name, at]));\n"
	"const PROCESS = places("
#define TR2_PAGE_PROCESS(name, value) "'" #name "',"
#include "export/page/page.def"
	");\nconst THREAD = places("
#define TR2_PAGE_THREAD(name, value) "'" #name "',"
#include "export/page/page.def"
	"'spans');\nconst POINT = places("
#define TR2_PAGE_POINT(name, value) "'" #name "',"
#include "export/page/page.def"
	");\nconst TASK = places("
#define TR2_PAGE_TASK(name, value) "'" #name "',"
#include "export/page/page.def"
	"'states','objects');\nconst SAMPLE = places("
#define TR2_PAGE_SAMPLE(name, value) "'" #name "',"
#include "export/page/page.def"
	");\nconst SPAN = places("
#define TR2_PAGE_SPAN(name, region, span) "'" #name "',"
#include "export/page/page.def"
	");\nconst STATE = places("
#define TR2_PAGE_STATE(name, value) "'" #name "',"
#include "export/page/page.def"
	");\nconst OBJECT = places("
#define TR2_PAGE_OBJECT(name, value) "'" #name "',"
#include "export/page/page.def"
	");\nconst STEP = places("
#define TR2_PAGE_STEP(name, value) "'" #name "',"
#include "export/page/page.def"
	");\nconst FRAME = places("
#define TR2_PAGE_FRAME(name, value) "'" #name "',"
#include "export/page/page.def"
	");\nconst STACK = places("
#define TR2_PAGE_STACK(name, value) "'" #name "',"
#include "export/page/page.def"
	");\n";

/* Append all parts of a kind. */
static void add_parts(struct tr2_buf *b, const char *suffix)
{
	const struct tr2_html_part *part;

	if (!strcmp(suffix, ".js"))
		tr2_buf_addstr(b, places);
	for (part = tr2_html_parts; part->path; part++)
		if (ends_with(part->path, suffix))
			tr2_buf_addstr(b, part->text);
}

static void add_base64(struct tr2_buf *b, const uint8_t *data, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i, k;

	for (i = 0; i < len; i += 3) {
		uint32_t bits = (uint32_t)data[i] << 16;

		if (i + 1 < len)
			bits |= (uint32_t)data[i + 1] << 8;
		if (i + 2 < len)
			bits |= data[i + 2];
		for (k = 0; k < 4; k++)
			tr2_buf_addch(b, i + k > len ? '=' :
					 digits[bits >> (18 - 6 * k) & 63]);
	}
}

static void add_hash(struct tr2_buf *b, const char *suffix)
{
	struct tr2_buf text = TR2_BUF_INIT;
	uint8_t digest[32];

	add_parts(&text, suffix);
	tr2_sha256(tr2_buf_str(&text), text.len, digest);
	tr2_buf_addlit(b, "'sha256-");
	add_base64(b, digest, sizeof(digest));
	tr2_buf_addlit(b, "'");
	if (text.failed)
		b->failed = true;
	tr2_buf_release(&text);
}

/* Append the value of `@NAME@` in page.html. */
static void add_variable(struct tr2_buf *b, const char *name, size_t len,
			 const char *title)
{
	if (len == 6 && !memcmp(name, "POLICY", 6)) {
		tr2_buf_addlit(b, "default-src 'none'; script-src ");
		add_hash(b, ".js");
		tr2_buf_addlit(b, "; style-src ");
		add_hash(b, ".css");
		tr2_buf_addlit(b, "; base-uri 'none'; form-action 'none'");
	} else if (len == 5 && !memcmp(name, "TITLE", 5)) {
		add_text(b, title);
	} else if (len == 5 && !memcmp(name, "STYLE", 5)) {
		add_parts(b, ".css");
	} else if (len == 6 && !memcmp(name, "SCRIPT", 6)) {
		add_parts(b, ".js");
	}
}

static void add_template(struct tr2_buf *b, const char *p, const char *end,
			 const char *title)
{
	const char *at, *close;

	while ((at = memchr(p, '@', (size_t)(end - p)))) {
		close = memchr(at + 1, '@', (size_t)(end - at - 1));
		if (!close)
			break;
		tr2_buf_add(b, p, (size_t)(at - p));
		add_variable(b, at + 1, (size_t)(close - at - 1), title);
		p = close + 1;
	}
	tr2_buf_add(b, p, (size_t)(end - p));
}

#define DATA "@DATA@"

void tr2_html_half(struct tr2_export *x, const char *title)
{
	const struct tr2_html_part *part = tr2_html_parts;
	const char *data;

	while (part->path && !ends_with(part->path, ".html"))
		part++;
	data = part->path ? strstr(part->text, DATA) : NULL;
	if (data && title)
		add_template(&x->sink.buf, part->text, data, title);
	else if (data)
		add_template(&x->sink.buf, data + strlen(DATA),
			     data + strlen(data), "");
}

/* SPDX-License-Identifier: MIT */
/*
 * `test-tool json VERB`: stdin through one of the library's text writers to
 * stdout, byte for byte, so that jq or a shell can judge what comes out.
 */
#include "base/text.h"
#include "test-tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A read error is death: a test must not mistake it for short input. */
static void read_stdin(struct tr2_buf *b)
{
	char chunk[65536];
	size_t n;

	while ((n = fread(chunk, 1, sizeof(chunk), stdin)))
		tr2_buf_add(b, chunk, n);
	if (ferror(stdin) || b->failed)
		tool_die("cannot read standard input: %s", strerror(errno));
}

static int filter(void (*add)(struct tr2_buf *out, const char *s, size_t n))
{
	struct tr2_buf in = TR2_BUF_INIT, out = TR2_BUF_INIT;
	int bad;

	read_stdin(&in);
	/* A string, for the writers that take one. */
	tr2_buf_str(&in);
	add(&out, in.p ? in.p : "", in.len);
	bad = out.failed || fwrite(out.p, 1, out.len, stdout) != out.len ||
	      fflush(stdout);
	tr2_buf_release(&in);
	tr2_buf_release(&out);
	return bad ? tool_error("cannot write what came out") : 0;
}

static int json_escape(int argc, const char **argv)
{
	(void)argc;
	(void)argv;
	return filter(tr2_json_add_escaped);
}

static void add_string(struct tr2_buf *out, const char *s, size_t n)
{
	(void)n;
	tr2_json_add_string(out, s);
}

static int json_string(int argc, const char **argv)
{
	(void)argc;
	(void)argv;
	return filter(add_string);
}

static int json_text(int argc, const char **argv)
{
	(void)argc;
	(void)argv;
	return filter(tr2_json_add_text);
}

static int json_printable(int argc, const char **argv)
{
	(void)argc;
	(void)argv;
	return filter(tr2_text_add);
}

static void add_word(struct tr2_buf *out, const char *s, size_t n)
{
	(void)n;
	tr2_quote_add_word(out, s);
}

static int json_quote(int argc, const char **argv)
{
	(void)argc;
	(void)argv;
	return filter(add_word);
}

static size_t cut_at;

static void add_cut(struct tr2_buf *out, const char *s, size_t n)
{
	tr2_buf_add(out, s, tr2_utf8_cut(s, n, cut_at));
}

static int json_cut(int argc, const char **argv)
{
	(void)argc;
	cut_at = (size_t)tool_number(argv[0], 0, 1 << 30);
	return filter(add_cut);
}

int tr2_cmd_json(int argc, const char **argv)
{
	static const struct tool_verb verbs[] = {
		{ "escape", "", 0, 0, json_escape },
		{ "string", "", 0, 0, json_string },
		{ "text", "", 0, 0, json_text },
		{ "printable", "", 0, 0, json_printable },
		{ "quote", "", 0, 0, json_quote },
		{ "cut", "<bytes>", 1, 1, json_cut },
		{ NULL, NULL, 0, 0, NULL },
	};
	static const struct tool_verb *const tables[] = { verbs, NULL };

	return tool_run_verb(tables, argc, argv);
}

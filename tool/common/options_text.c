/* SPDX-License-Identifier: MIT */
/*
 * options_text - text generated from the tables of options: the help, and parts
 * of the man pages.
 */

#include "base/buf.h"
#include "common/options.h"

/* Add `-i, --input PATH`, or `--name[=VALUE]` if the value is optional. */
static void add_names(struct tr2_buf *b, const struct tr2_option *o)
{
	const char *arg = o->arg;

	if (o->letter) {
		tr2_buf_addch(b, '-');
		tr2_buf_addch(b, (char)o->letter);
	}
	if (o->letter && o->name)
		tr2_buf_addlit(b, ", ");
	if (o->name) {
		tr2_buf_addlit(b, "--");
		tr2_buf_addstr(b, o->name);
	}
	if (!arg)
		return;
	if (*arg == '[') {
		tr2_buf_addlit(b, "[=");
		tr2_buf_addstr(b, arg + 1);
		return;
	}
	tr2_buf_addch(b, ' ');
	tr2_buf_addstr(b, arg);
}

#define HELP_COLUMN 26
#define HELP_WIDTH 80

void tr2_options_add_wrapped(struct tr2_buf *b, const char *text, size_t from)
{
	size_t at = from, n;

	while (*text) {
		n = strcspn(text, " ");
		if (at > from && at + 1 + n > HELP_WIDTH) {
			tr2_buf_addch(b, '\n');
			tr2_buf_addchars(b, ' ', from);
			at = from;
		} else if (at > from) {
			tr2_buf_addch(b, ' ');
			at++;
		}
		tr2_buf_add(b, text, n);
		at += n;
		text += n + (text[n] == ' ');
	}
	tr2_buf_addch(b, '\n');
}

static void add_option(struct tr2_buf *b, const struct tr2_option *o)
{
	size_t start = b->len, width;

	if (o->kind == TR2_OPT_HEADING) {
		tr2_buf_addall(b, "\n", o->help, ":\n");
		return;
	}
	tr2_buf_addlit(b, "  ");
	if (!o->letter)
		tr2_buf_addlit(b, "    ");
	add_names(b, o);
	width = b->len - start;
	if (width + 2 > HELP_COLUMN) {
		tr2_buf_addch(b, '\n');
		width = 0;
	}
	tr2_buf_addchars(b, ' ', HELP_COLUMN - width);
	tr2_options_add_wrapped(b, o->help, HELP_COLUMN);
}

void tr2_options_usage(const struct tr2_command *c, struct tr2_buf *out)
{
	tr2_buf_addall(out, "Usage: trace2 ", c->name, " ");
	tr2_options_add_wrapped(out, c->synopsis, 15 + strlen(c->name));
}

void tr2_options_help(const struct tr2_command *c, struct tr2_buf *out)
{
	const struct tr2_option *options[TR2_MAX_OPTIONS];
	size_t nr = tr2_options_list(c, options), i;

	tr2_options_usage(c, out);
	tr2_buf_addch(out, '\n');
	tr2_options_add_wrapped(out, c->summary, 0);
	tr2_buf_addch(out, '\n');
	for (i = 0; i < nr; i++)
		add_option(out, options[i]);
	if (c->details) {
		tr2_buf_addch(out, '\n');
		tr2_options_add_wrapped(out, c->details, 0);
	}
}

static void add_asciidoc_name(struct tr2_buf *b, const struct tr2_option *o,
			      bool is_long)
{
	const char *arg = o->arg;

	tr2_buf_addch(b, '`');
	tr2_buf_addstr(b, is_long ? "--" : "-");
	if (is_long)
		tr2_buf_addstr(b, o->name);
	else
		tr2_buf_addch(b, (char)o->letter);
	tr2_buf_addch(b, '`');
	if (!arg)
		return;
	if (*arg == '[') {
		tr2_buf_addlit(b, "[=_");
		tr2_buf_add(b, arg + 1, strlen(arg) - 2);
		tr2_buf_addlit(b, "_]");
	} else {
		tr2_buf_addall(b, " _", arg, "_");
	}
}

static void add_asciidoc_option(struct tr2_buf *b, const struct tr2_option *o)
{
	if (o->kind == TR2_OPT_HEADING) {
		tr2_buf_addall(b, "=== ", o->help, "\n\n");
		return;
	}
	if (o->letter)
		add_asciidoc_name(b, o, false);
	if (o->letter && o->name)
		tr2_buf_addlit(b, "::\n");
	if (o->name)
		add_asciidoc_name(b, o, true);
	tr2_buf_addall(b, "::\n\t", o->help, ".\n\n");
}

void tr2_options_asciidoc(const struct tr2_command *c, struct tr2_buf *out)
{
	const struct tr2_option *options[TR2_MAX_OPTIONS];
	size_t nr = tr2_options_list(c, options), i;

	tr2_buf_addall(out, "// tag::synopsis[]\n[subs=quotes]\n*trace2 ",
		       c->name, *c->synopsis ? "* " : "*", c->synopsis,
		       "\n// end::synopsis[]\n// tag::options[]\n");
	for (i = 0; i < nr; i++)
		add_asciidoc_option(out, options[i]);
	tr2_buf_addlit(out, "// end::options[]\n");
}

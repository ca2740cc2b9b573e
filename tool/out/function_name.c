/* SPDX-License-Identifier: MIT */
/* function_name - shorten a name: leave out the text in its outermost
 * brackets. */
#include "out/function_name.h"

#include <string.h>

#include "base/macros.h"
#include "common/memory.h"
#include "out/term.h"
#include "out/units.h"

#define OPERATOR "operator"

/* If the name at `text` begins with a piece such as "operator<", whose brackets
 * enclose no arguments, return the piece's length; else 0. In the list, longer
 * operators precede shorter ones with the same beginning. */
static size_t piece_at(const char *text)
{
	static const char *const pieces[] = {
		"(anonymous namespace)",
		OPERATOR "()", OPERATOR "<=>", OPERATOR "<<=", OPERATOR ">>=",
		OPERATOR "<<", OPERATOR ">>", OPERATOR "<=", OPERATOR ">=",
		OPERATOR "->", OPERATOR "<", OPERATOR ">",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pieces); i++)
		if (!strncmp(text, pieces[i], strlen(pieces[i])))
			return strlen(pieces[i]);
	return 0;
}

static bool is_open(char c)
{
	return c == '<' || c == '(';
}

/* Return whether the character at p closes a bracket. The > of an arrow does
 * not. */
static bool is_close(const char *p)
{
	return *p == ')' || (*p == '>' && p[-1] != '-');
}

/* Append a C++ name without the text in its brackets. Return false if the name
 * is not from C++. Other languages put types in brackets, too: Go after a dot,
 * Rust in front. */
static bool fold_name(struct tr2_buf *b, const char *name)
{
	const char *p, *open = NULL;
	int depth = 0;
	size_t len;

	for (p = name; *p; p += len) {
		len = depth ? 0 : piece_at(p);
		tr2_buf_add(b, p, depth ? 0 : len ? len : 1);
		if (len)
			continue;
		len = 1;
		if (is_open(*p)) {
			if (!depth++)
				open = p;
			if (open == name || open[-1] == '.')
				return false;
		} else if (p > name && is_close(p)) {
			if (!depth)
				return false;
			if (--depth)
				continue;
			if (p > open + 1)
				tr2_buf_addstr(b, tr2_term_text("…", "~"));
			tr2_buf_addch(b, *p);
		}
	}
	return !depth;
}

const char *tr2_function_name(const struct tr2_output *out, const char *name)
{
	size_t width = tr2_term_width() ? tr2_term_width() : out->piped_width;
	struct tr2_buf *b;

	if (out->format != TR2_FORMAT_TEXT || out->wide || !width ||
	    strlen(name) <= width / 3)
		return name;
	b = tr2_next_text();
	return fold_name(b, name) ? tr2_buf_str(b) : name;
}

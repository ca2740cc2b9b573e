/* SPDX-License-Identifier: MIT */
/* command_line - find the file on which a command, such as a compiler,
 * works. */
#include "out/command_line.h"

#include <stdbool.h>
#include <string.h>

#include "base/macros.h"

struct word {
	const char *p;
	size_t len;
};

static bool is_word(struct word w, const char *text)
{
	return w.len == strlen(text) && !memcmp(w.p, text, w.len);
}

static bool begins_with(struct word w, const char *text)
{
	return w.len >= strlen(text) && !memcmp(w.p, text, strlen(text));
}

/* Return the word at *p, after spaces, without quotes and the brackets of
 * tables. Move *p after the word. At the end of the text, the word has length
 * 0. */
static struct word next_word(const char **p, const char *end)
{
	struct word w;

	while (*p < end && (**p == ' ' || **p == '[' || **p == '\''))
		++*p;
	w.p = *p;
	while (*p < end && **p != ' ')
		++*p;
	w.len = (size_t)(*p - w.p);
	while (w.len && (w.p[w.len - 1] == ']' || w.p[w.len - 1] == '\''))
		w.len--;
	return w;
}

/* Return whether the value of the option is a file that the command writes, or
 * a name for messages. */
static bool names_output(struct word option)
{
	static const char *const options[] = { "-o", "-MF", "-MT", "-MQ",
					       "-main-file-name" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (is_word(option, options[i]))
			return true;
	return begins_with(option, "-dumpbase") ||
	       begins_with(option, "-auxbase");
}

static bool is_source(struct word w)
{
	static const char *const endings[] = {
		"c",  "cc",   "cpp",  "cxx", "c++", "C",  "m",	"mm", "S",
		"s",  "i",    "ii",   "f",   "f90", "go", "rs", "d",  "swift",
		"zig", "java", "kt",  "hs",  "ml",  "py", "pl", "rb", "js",
		"mjs", "ts",  "tsx",  "cu",  "tex", "adoc",
	};
	const char *dot = memrchr(w.p, '.', w.len);
	struct word ending;
	size_t i;

	if (!dot || dot == w.p || dot[-1] == '/')
		return false;
	ending.p = dot + 1;
	ending.len = (size_t)(w.p + w.len - ending.p);
	for (i = 0; i < ARRAY_SIZE(endings); i++)
		if (is_word(ending, endings[i]))
			return true;
	return false;
}

/* Return whether the word is a path in a directory of temporary files, in which
 * compilers pass files to each other. */
static bool is_temporary(struct word w)
{
	return (begins_with(w, "/tmp/") && !memchr(w.p + 5, '/', w.len - 5)) ||
	       begins_with(w, "/var/tmp/") || begins_with(w, "/dev/");
}

const char *tr2_command_line_file(const char *text, size_t len,
				  size_t *word_len)
{
	const char *p = text, *end = text + len;
	struct word w, before = { text, 0 }, source = before, output = before;

	for (w = next_word(&p, end); p > w.p; w = next_word(&p, end)) {
		if (before.len && *w.p != '-' &&
		    !is_temporary(w)) {
			if (is_word(before, "-o"))
				output = w;
			else if (!names_output(before) && is_source(w))
				source = w;
		}
		before = w;
	}
	if (!source.len)
		source = output;
	*word_len = source.len;
	return source.len ? source.p : NULL;
}

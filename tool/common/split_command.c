/* SPDX-License-Identifier: MIT */
/* Split a command line into words. */
#include "common/split_command.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

#define BLANKS " \t\n"
#define SHELL_ONLY "|&;<>()$`*?["
#define SHELL_FIRST "#~" /* characters that are special only at the beginning of
			  * a word */
#define NEEDS_SHELL                                                   \
	"quote it, or run a shell: sh -c '...'"

/* The state of splitting a line. */
struct split {
	const char *in;
	char *out;
	const char *error;
};

static void in_single(struct split *s)
{
	const char *end = strchr(++s->in, '\'');

	if (!end) {
		s->error = "unterminated '";
		return;
	}
	memcpy(s->out, s->in, (size_t)(end - s->in));
	s->out += end - s->in;
	s->in = end + 1;
}

static void in_double(struct split *s)
{
	for (s->in++; *s->in != '"'; s->in++) {
		if (!*s->in) {
			s->error = "unterminated \"";
			return;
		}
		if (*s->in == '$' || *s->in == '`') {
			s->error = NEEDS_SHELL;
			return;
		}
		if (*s->in == '\\' && s->in[1] && strchr("$`\"\\", s->in[1]))
			s->in++;
		*s->out++ = *s->in;
	}
	s->in++;
}

/* Copy the word that begins at s->in, with a NUL. */
static void one_word(struct split *s)
{
	if (strchr(SHELL_FIRST, *s->in))
		s->error = NEEDS_SHELL;
	while (*s->in && !strchr(BLANKS, *s->in) && !s->error) {
		if (*s->in == '\'') {
			in_single(s);
		} else if (*s->in == '"') {
			in_double(s);
		} else if (strchr(SHELL_ONLY, *s->in)) {
			s->error = NEEDS_SHELL;
		} else {
			if (*s->in == '\\' && s->in[1])
				s->in++;
			*s->out++ = *s->in++;
		}
	}
	*s->out++ = '\0';
}

char **tr2_split_command(const char *line, const char **error)
{
	size_t len = strlen(line), most = len / 2 + 2, nr = 0;
	/* Allocate room for the words: with their NULs they are never longer
	 * than the line with its NUL. */
	char **words = tr2_realloc(NULL, 1, most * sizeof(*words) + len + 1);
	struct split s = { line, (char *)(words + most), NULL };

	while (!s.error) {
		s.in += strspn(s.in, BLANKS);
		if (!*s.in)
			break;
		words[nr++] = s.out;
		one_word(&s);
	}
	if (!s.error && !nr)
		s.error = "it has no command";
	*error = s.error;
	if (s.error) {
		free(words);
		return NULL;
	}
	words[nr] = NULL;
	return words;
}

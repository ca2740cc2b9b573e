/* SPDX-License-Identifier: MIT */
/* words - print lists of strings for a shell. */
#include "common/words.h"

#include <strings.h>

#include "base/buf.h"
#include "base/text.h"

static bool is_of_windows(const char *path, size_t len)
{
	bool drive = len > 2 &&
		     ((path[0] | 32) >= 'a' && (path[0] | 32) <= 'z') &&
		     path[1] == ':' && path[2] == '\\';

	return drive || !strncmp(path, "\\\\", 2) ||
	       (len > 4 && !strcasecmp(path + len - 4, ".exe"));
}

const char *tr2_base_name(const char *path)
{
	const char *base = path, *p;
	bool windows = is_of_windows(path, strlen(path));

	for (p = path; *p; p++)
		if (*p == '/' || (windows && *p == '\\'))
			base = p + 1;
	return *base ? base : path;
}

void tr2_words_quote(const struct tr2_words *words, struct tr2_buf *out)
{
	const char *w;
	uint32_t i;

	tr2_for_each_word(words, w, i) {
		if (i)
			tr2_buf_addch(out, ' ');
		tr2_quote_add_word(out, w);
	}
	if (words->cut)
		tr2_buf_addlit(out, "…");
}

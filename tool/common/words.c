/* SPDX-License-Identifier: MIT */
/* words - print lists of strings for a shell. */
#include "common/words.h"

#include "base/buf.h"
#include "base/text.h"

void tr2_words_quote(const struct tr2_words *words, struct tr2_buf *out)
{
	const char *w;
	uint32_t i;

	tr2_for_each_word(words, w, i) {
		if (i)
			tr2_buf_addch(out, ' ');
		tr2_quote_add_word(out, w);
	}
}

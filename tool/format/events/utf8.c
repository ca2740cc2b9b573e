/* SPDX-License-Identifier: MIT */
/* utf8 - implements format/events/utf8.h. */
#include "base/text.h"
#include "common/memory.h"
#include "format/events/utf8.h"

bool tr2_utf8_valid(const char *s, size_t len)
{
	size_t i = 0, n;

	while (i < len) {
		if ((unsigned char)s[i] < 0x80) {
			i++;
			continue;
		}
		n = tr2_utf8_sequence(s + i, len - i);
		if (!n)
			return false;
		i += n;
	}
	return true;
}

void tr2_utf8_repair(struct tr2_buf *out, const char *s, size_t len,
		     size_t padding)
{
	size_t i = 0, n;

	tr2_buf_reset(out);
	while (i < len) {
		n = s[i] ? tr2_utf8_sequence(s + i, len - i) : 0;
		if (n)
			tr2_buf_add(out, s + i, n);
		else
			tr2_buf_addlit(out, "\xef\xbf\xbd");
		i += n ? n : 1;
	}
	n = out->len;
	tr2_buf_addchars(out, '\n', padding);
	out->len = n;
	tr2_must(!out->failed);
}

tr2_str tr2_utf8_intern(struct tr2_model *m, const char *s, size_t len)
{
	struct tr2_buf repaired = TR2_BUF_INIT;
	tr2_str text;

	if (tr2_utf8_valid(s, len) && !memchr(s, '\0', len))
		return tr2_intern(m, s, len);
	tr2_utf8_repair(&repaired, s, len, 0);
	text = tr2_intern(m, repaired.p, repaired.len);
	tr2_buf_release(&repaired);
	return text;
}

/* SPDX-License-Identifier: MIT */
/*
 * html_strings - write each string of the page once.
 *
 * Command lines of one kind mostly share their text. So a stretch of at least
 * MIN_SAME bytes that occurs in an earlier string becomes a reference to that
 * string. A string with references is an array of parts, which the page joins
 * (tool/export/page/data.js). A part is a text, or a reference: the string's
 * number, the first character and the length.
 *
 * JavaScript counts characters, so only ASCII strings are referred to, in which
 * a character is a byte.
 */
#include <stdlib.h>

#include "base/text.h"
#include "common/memory.h"
#include "export/page/html_private.h"

#define MIN_SAME 32 /* a reference is about 17 bytes */
/* Index the blocks of this length at multiples of STEP: each stretch of
 * MIN_SAME bytes contains one of them. */
#define BLOCK 16
#define STEP 8

/* A stretch of an earlier string. */
struct same {
	const struct tr2_html_text *text;
	size_t from, len;
};

static uint64_t key_of(const char *p)
{
	uint64_t a, b;

	memcpy(&a, p, sizeof(a));
	memcpy(&b, p + sizeof(a), sizeof(b));
	return tr2_mix(a, b) | 1;
}

static bool is_ascii(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)s[i] >= 0x80)
			return false;
	return true;
}

/* Index a stretch of this string, so that later strings can refer to it. */
static void index_stretch(struct tr2_html *h, const struct tr2_html_text *text,
			  size_t from, size_t to)
{
	uint32_t *slot;
	size_t at;

	for (at = (from + STEP - 1) / STEP * STEP; at + BLOCK <= to;
	     at += STEP) {
		slot = tr2_map_slot(&h->blocks, key_of(text->s + at));
		if (*slot)
			continue;
		tr2_grow(h->block, h->nr_blocks, h->alloc_blocks);
		h->block[h->nr_blocks] = (struct tr2_html_block){
			(uint32_t)(text - h->texts), (uint32_t)at };
		*slot = ++h->nr_blocks;
	}
}

/* Find the block at s + *at in an earlier string, and extend the match in both
 * directions, but not before `from`. Set *at to the first byte of the match. */
static bool find_same(const struct tr2_html *h, const char *s, size_t len,
		      size_t from, size_t *at, struct same *same)
{
	uint32_t found = tr2_map_get(&h->blocks, key_of(s + *at));
	const struct tr2_html_text *text;
	size_t to = *at + BLOCK, there, end;

	if (!found)
		return false;
	text = &h->texts[h->block[found - 1].text];
	if (text->s == s) /* a string cannot refer to itself */
		return false;
	there = h->block[found - 1].at;
	if (memcmp(text->s + there, s + *at, BLOCK) != 0)
		return false;
	for (end = there + BLOCK; end < text->len && to < len &&
				  text->s[end] == s[to]; end++)
		to++;
	for (; there && *at > from && text->s[there - 1] == s[*at - 1]; there--)
		--*at;
	*same = (struct same){ text, there, to - *at };
	return same->len >= MIN_SAME;
}

static void add_part(struct tr2_html *h, const char *s, size_t len)
{
	if (!len)
		return;
	tr2_buf_addch(&h->strings, '"');
	tr2_json_add_escaped(&h->strings, s, len);
	tr2_buf_addlit(&h->strings, "\",");
}

static void add_same(struct tr2_html *h, const struct same *same)
{
	tr2_buf_addch(&h->strings, '[');
	tr2_html_num(&h->strings, same->text - h->texts + 1);
	tr2_html_num(&h->strings, (int64_t)same->from);
	tr2_html_num(&h->strings, (int64_t)same->len);
	tr2_html_close_row(&h->strings);
	tr2_buf_addch(&h->strings, ',');
}

static void add_parts(struct tr2_html *h, const struct tr2_html_text *text)
{
	size_t at = 0, from = 0, open = h->strings.len, next;
	bool ascii = is_ascii(text->s, text->len), refers = false;
	struct same same;

	while (at + BLOCK <= text->len) {
		next = at;
		if (!find_same(h, text->s, text->len, from, &next, &same)) {
			at++;
			continue;
		}
		if (!refers)
			tr2_buf_addch(&h->strings, '[');
		refers = true;
		add_part(h, text->s + from, next - from);
		if (ascii)
			index_stretch(h, text, from, next);
		add_same(h, &same);
		from = at = next + same.len;
	}
	add_part(h, text->s + from, text->len - from);
	if (ascii)
		index_stretch(h, text, from, text->len);
	tr2_must(!h->strings.failed && h->strings.len > open);
	h->strings.len--;
	if (refers)
		tr2_buf_addch(&h->strings, ']');
}

void tr2_html_add_text(struct tr2_html *h, const char *s, size_t len)
{
	tr2_grow(h->texts, h->nr_strings, h->alloc_texts);
	h->texts[h->nr_strings] = (struct tr2_html_text){ s, len };
	tr2_buf_addch(&h->strings, ',');
	add_parts(h, &h->texts[h->nr_strings++]);
}

void tr2_html_release_strings(struct tr2_html *h)
{
	tr2_map_release(&h->numbers);
	tr2_map_release(&h->blocks);
	tr2_buf_release(&h->strings);
	free(h->texts);
	free(h->block);
}

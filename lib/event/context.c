/* SPDX-License-Identifier: MIT */
/* The W3C's trace context: ids as text, and traceparent. */
#include <string.h>

#include "base/put_hex.h"
#include "event/span.h"

void tr2_context_add_trace(struct tr2_buf *b, const struct tr2_context *context)
{
	tr2_context_add_id(b, context->trace[0]);
	tr2_context_add_id(b, context->trace[1]);
}

void tr2_context_add_id(struct tr2_buf *b, uint64_t id)
{
	if (tr2_buf_room(b, 16))
		b->len = (size_t)(tr2_put_hex16(b->p + b->len, id) - b->p);
}

void tr2_context_format(char out[TR2_TRACEPARENT_BYTES + 1],
			const struct tr2_context *context, bool sampled)
{
	char *p = tr2_put_lit(out, "00-");

	p = tr2_put_hex16(p, context->trace[0]);
	p = tr2_put_hex16(p, context->trace[1]);
	*p++ = '-';
	p = tr2_put_hex16(p, context->id);
	memcpy(p, sampled ? "-01" : "-00", sizeof("-01"));
}

/* Take so many digits, in lower case, and what follows them. */
static bool take_hex(const char **s, unsigned int width, char behind,
		     uint64_t *value)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit;

	for (*value = 0; width--; ++*s) {
		digit = **s ? strchr(digits, **s) : NULL;
		if (!digit)
			return false;
		*value = *value << 4 | (uint64_t)(digit - digits);
	}
	return !behind || *(*s)++ == behind;
}

bool tr2_context_parse(const char *s, struct tr2_context *context,
		       bool *sampled)
{
	struct tr2_context c;
	uint64_t version, flags;

	if (!s || !take_hex(&s, 2, '-', &version) ||
	    !take_hex(&s, 16, '\0', &c.trace[0]) ||
	    !take_hex(&s, 16, '-', &c.trace[1]) ||
	    !take_hex(&s, 16, '-', &c.id) || !take_hex(&s, 2, '\0', &flags))
		return false;
	if (version == 0xff || (*s && (!version || *s != '-')) ||
	    !(c.trace[0] | c.trace[1]) || !c.id)
		return false;
	*context = c;
	*sampled = flags & 1;
	return true;
}

uint64_t tr2_context_child(uint64_t id, uint64_t number)
{
	uint64_t child = tr2_mix64(id + (number + 1) *
				 UINT64_C(0x9e3779b97f4a7c15));

	return child ? child : 1;
}

/* SPDX-License-Identifier: MIT */
/*
 * otlp_ids - compute ids that are the same in every export of a stream, on any
 * machine. So processes of one tree are in one trace, even if their streams are
 * exported separately.
 */

#include "base/put_hex.h"
#include "export/otlp/otlp.h"
#include "export/sha256.h"

static uint64_t number_at(const uint8_t *bytes)
{
	uint64_t number = 0;
	size_t i;

	for (i = 0; i < 8; i++)
		number = number << 8 | bytes[i];
	return number;
}

void tr2_otlp_set_id(struct tr2_span_id *id, uint64_t number)
{
	*tr2_put_hex16(id->hex, number) = '\0';
}

void tr2_otlp_set_trace_id(struct tr2_trace_id *id,
			   const struct tr2_context *context)
{
	char *p = tr2_put_hex16(id->hex, context->trace[0]);

	*tr2_put_hex16(p, context->trace[1]) = '\0';
}

void tr2_otlp_trace_id(struct tr2_context *id, const char *sid)
{
	uint8_t digest[32];

	tr2_sha256(sid, strcspn(sid, "/"), digest);
	id->trace[0] = number_at(digest);
	id->trace[1] = number_at(digest + 8);
}

void tr2_otlp_process_id(struct tr2_span_id *id, const char *sid)
{
	const char *slash = strrchr(sid, '/');
	uint8_t digest[32];

	if (slash)
		sid = slash + 1;
	tr2_sha256(sid, strlen(sid), digest);
	tr2_otlp_set_id(id, number_at(digest + 16));
}

void tr2_otlp_inner_id(struct tr2_span_id *id, struct tr2_buf *scratch,
		       const char *sid, const char *kind, const char *name,
		       uint64_t number)
{
	uint8_t digest[32];

	tr2_buf_reset(scratch);
	tr2_buf_addall(scratch, sid, "\n", kind, "\n", name, "\n");
	tr2_buf_add_u64(scratch, number);
	tr2_sha256(scratch->p, scratch->len, digest);
	tr2_otlp_set_id(id, number_at(digest));
}

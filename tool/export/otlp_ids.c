/* SPDX-License-Identifier: MIT */
/*
 * otlp_ids - ids that are the same in every export of a stream, on any machine,
 * so that processes whose streams are exported separately are in one trace.
 */
#include <string.h>

#include "export/otlp.h"
#include "export/sha256.h"

static void to_hex(char *hex, const uint8_t *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < n; i++) {
		hex[2 * i] = digits[bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes[i] & 15];
	}
	hex[2 * n] = '\0';
}

void tr2_otlp_trace_id(struct tr2_trace_id *id, const char *sid)
{
	uint8_t digest[32];

	tr2_sha256(sid, strcspn(sid, "/"), digest);
	to_hex(id->hex, digest, 16);
}

void tr2_otlp_process_id(struct tr2_span_id *id, const char *sid)
{
	const char *slash = strrchr(sid, '/');
	uint8_t digest[32];

	if (slash)
		sid = slash + 1;
	tr2_sha256(sid, strlen(sid), digest);
	to_hex(id->hex, digest + 16, 8);
}

void tr2_otlp_inner_id(struct tr2_span_id *id, struct tr2_buf *scratch,
		       const char *sid, const char *kind, const char *name,
		       uint64_t number)
{
	uint8_t digest[32];

	tr2_buf_reset(scratch);
	tr2_buf_addstr(scratch, sid);
	tr2_buf_addch(scratch, '\n');
	tr2_buf_addstr(scratch, kind);
	tr2_buf_addch(scratch, '\n');
	tr2_buf_addstr(scratch, name);
	tr2_buf_addch(scratch, '\n');
	tr2_buf_add_u64(scratch, number);
	tr2_sha256(scratch->p, scratch->len, digest);
	to_hex(id->hex, digest, 8);
}

/* SPDX-License-Identifier: MIT */
/* Write spans straight into the ring. */
#include "session/fastpath_span.h"

#include "span/record.h"
#include "thread/stream.h"

static inline __attribute__((always_inline)) void
put(uint32_t type, const struct tr2_told_span *span)
{
	if (!tr2_span_put_record(tr2_my_slot, type, span, tr2_self->tid, false))
		tr2_dest_drop(tr2_stream_dest(TR2_TARGET_ring));
}

void tr2_fastpath_span_start(const struct tr2_told_span *span)
{
	put(TR2_RECORD_SPAN_START, span);
}

void tr2_fastpath_span_end(const struct tr2_told_span *span)
{
	put(TR2_RECORD_SPAN_END, span);
}

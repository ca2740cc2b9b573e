/* SPDX-License-Identifier: MIT */
/* A tracepoint with the fields of a region or number: an int, a short text. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER trace2_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "provider.h"

#if !defined(TR2_PERF_LTTNG_PROVIDER_H) || \
	defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TR2_PERF_LTTNG_PROVIDER_H

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(
	trace2_bench, event,
	LTTNG_UST_TP_ARGS(int, number, const char *, text),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, number, number)
		lttng_ust_field_string(text, text)
	)
)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>

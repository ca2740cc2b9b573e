/* SPDX-License-Identifier: MIT */
/*
 * telemetry.c - zstd's events through libtrace2: its metrics. `build` copies
 * this file to lib/common.
 */
#include <time.h>

#include "telemetry.h"

TRACE2_COUNTER_SHARED(telemetry_bytes_in, "zstd", "bytes in", 0);
TRACE2_COUNTER_SHARED(telemetry_bytes_out, "zstd", "bytes out", 0);
TRACE2_DISTRIBUTION(queue_wait, "pool", "queue", "us");

uint64_t telemetry_now(void)
{
	struct timespec now;

	if (!trace2_is_enabled())
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void telemetry_dequeued(uint64_t queued_ns)
{
	if (queued_ns)
		trace2_distribution_add(queue_wait,
					(telemetry_now() - queued_ns) / 1000);
}

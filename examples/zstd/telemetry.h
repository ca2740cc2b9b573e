/* SPDX-License-Identifier: MIT */
/*
 * telemetry.h - zstd's events through libtrace2. `build` copies this file to
 * lib/common.
 */
#ifndef ZSTD_TELEMETRY_H
#define ZSTD_TELEMETRY_H

#include <trace2.h>

TRACE2_COUNTER_DECLARE(telemetry_bytes_in);
TRACE2_COUNTER_DECLARE(telemetry_bytes_out);

/* Return the time at which a job enters a queue; 0 while tracing is off. */
uint64_t telemetry_now(void);

/* A thread takes the job. */
void telemetry_dequeued(uint64_t queued_ns);

#endif /* ZSTD_TELEMETRY_H */

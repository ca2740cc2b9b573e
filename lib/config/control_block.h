/* SPDX-License-Identifier: MIT */
/*
 * control_block - the page that a process with GIT_TRACE2_CONTROL shares with
 * `trace2 set`: a memory file. The owner of the process can open it through
 * /proc/PID/fd, and nobody can make it shorter.
 *
 * The requester locks the file (flock), sets `request` to 0, writes the text,
 * then the number of the request. It stores TR2_ENABLED_LOOK at enabled_at in
 * the process, unless the process looks at every call, and waits until `done`
 * is that number.
 *
 * The process copies the text, then exchanges the request for 0. If the number
 * is another one by then, the copy may be of two texts: it is not used.
 *
 * The process reads data that others may damage: it never follows an address in
 * this page.
 */
#pragma once

#include <stdint.h>

#define TR2_CONTROL_NAME "trace2-control"
#define TR2_CONTROL_MAGIC UINT64_C(0x32304c5443325254) /* TR2CTL02 */
#define TR2_CONTROL_BYTES 4096u
#define TR2_CONTROL_TEXT 3584u

/* The value of trace2_enabled_ that makes the next call look at the page. It is
 * negative, so that events of the fast path take the slow one. */
#define TR2_ENABLED_LOOK (-1)

struct tr2_control_block {
	uint64_t magic;
	uint64_t enabled_at; /* the address of trace2_enabled_ there */
	uint32_t pid;
	uint32_t looks; /* 1: at every call, since nobody may write there */
	uint32_t request; /* 0: no request waits */
	uint32_t done; /* the last request that the process handled */
	uint32_t last; /* the last number of a request */
	int32_t result; /* of request `done`: 0 or a negative errno */
	uint32_t is_on; /* whether a target was on after it */
	/* Lines, ending with NUL: VARIABLE=VALUE; `reopen`; `flush`; `record`:
	 * keep the present event target, with its settings; restore=TARGET:
	 * restore the kept target, if the event target is TARGET. */
	char text[TR2_CONTROL_TEXT];
};
_Static_assert(sizeof(struct tr2_control_block) <= TR2_CONTROL_BYTES,
	       "it fits its page");

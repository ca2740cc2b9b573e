/* SPDX-License-Identifier: MIT */
/*
 * control_block - the page that a process with GIT_TRACE2_CONTROL shares with
 * `trace2 set`: a memory file. The owner of the process can open it through
 * /proc/PID/fd. The file is sealed: no process can shrink it. The requester
 * locks the file (flock), sets `request` to 0, writes the text, then the number
 * of the request into `request`. It then stores TR2_ENABLED_LOOK at enabled_at
 * in the process, unless the process looks at every call. It waits until `done`
 * is the number of the request. The process copies the text, then exchanges
 * `request` for 0. If `request` has changed since the copy began, the copy may
 * mix two texts, and the process drops the copy. The process reads data that
 * others may damage: it never follows an address in this page.
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
	uint64_t enabled_at; /* the address of trace2_enabled_ in the process */
	uint32_t pid;
	uint32_t looks; /* 1: the process looks at the page in every call,
			 * because a requester may not write at enabled_at */
	uint32_t request; /* the number of the request that waits; 0: none
			   * waits */
	uint32_t done; /* the last request that the process handled */
	uint32_t last; /* the number of the last request */
	int32_t result; /* the result of request `done`: 0 or a negative
			 * errno */
	uint32_t is_on; /* whether a target was on after request `done` */
	/* Lines, ending with NUL: VARIABLE=VALUE; `reopen`; `flush`; `record`:
	 * keep the present event target, with its settings; restore=TARGET:
	 * restore the kept target, if the event target is TARGET. */
	char text[TR2_CONTROL_TEXT];
};
_Static_assert(sizeof(struct tr2_control_block) <= TR2_CONTROL_BYTES,
	       "it fits its page");

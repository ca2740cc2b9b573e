/* SPDX-License-Identifier: MIT */
/*
 * control_block - the page that a process with GIT_TRACE2_CONTROL shares with
 * `trace2 set`: a memory file. The owner of the process can open it through
 * /proc/PID/fd, and nobody can make it shorter.
 *
 * Who asks locks the file (flock), sets `request` to 0, writes the text, then the
 * number of the request, stores TR2_ENABLED_LOOK at enabled_at in the process,
 * unless that looks at every call, and waits until `done` is that number.
 *
 * The process copies the text, then exchanges the request for 0. If another one
 * is there by then, that copy may be of two texts: it is not used.
 *
 * The process reads what others may damage: it never follows an address that is
 * here.
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
	uint32_t looks; /* 1: at every call, since nobody may write into it */
	uint32_t request; /* 0: none waits */
	uint32_t done; /* the last one that the process took up */
	uint32_t last; /* the last number of a request */
	int32_t result; /* of `done`: 0 or a negative errno */
	uint32_t is_on; /* whether a target is, by then */
	/* Lines, ending with NUL: VARIABLE=VALUE; `reopen`; `flush`; `record`:
	 * keep the event target that there is, with its settings;
	 * restore=TARGET: put that back, if the event target is this one. */
	char text[TR2_CONTROL_TEXT];
};
_Static_assert(sizeof(struct tr2_control_block) <= TR2_CONTROL_BYTES,
	       "it fits its page");

/* SPDX-License-Identifier: MIT */
/*
 * control_page - ask a running process for other settings, if the process
 * permits it. This is the recorder's side of config/control_block.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tr2_control_block;

struct tr2_control_page {
	pid_t pid;
	pid_t tid; /* a thread that has not ended; the main thread may have
		    * ended */
	int fd;
	struct tr2_control_block *block; /* NULL: not open */
	uint32_t request; /* number of our last request; 0: no request */
	uint64_t asked_ns; /* time of our last request */
	bool is_busy;      /* the last answer was EBUSY: the request is
			    * repeated */
	bool gives_up;     /* do not repeat the request: EBUSY is a final
			    * answer */
};

enum tr2_control_answer {
	TR2_CONTROL_WAITS,    /* the process has not called the library since
			       * the request */
	TR2_CONTROL_ANSWERED, /* the result is known */
	TR2_CONTROL_REPLACED, /* another request has replaced ours */
	TR2_CONTROL_GONE      /* the process has ended */
};

/* Open the page of a process. Return 0, or a positive errno; ENXIO: the process
 * has no page. */
int tr2_control_page_open(struct tr2_control_page *page, pid_t pid);
void tr2_control_page_release(struct tr2_control_page *page);

/* Request these settings; the process takes them up at its next call of the
 * library. Wait while others have the page locked. Return 0 or an errno. */
int tr2_control_page_ask(struct tr2_control_page *page, const char *lines);

/* Look for the answer. If there is one, set *result to 0 or a positive errno.
 * After EBUSY (a thread was writing for too long), repeat the request, but
 * rarely: each repetition lets a thread of the process wait for the thread that
 * writes. */
enum tr2_control_answer tr2_control_page_look(struct tr2_control_page *page,
					      int *result);

/* Look until the answer is there, for at most this time. */
enum tr2_control_answer tr2_control_page_wait(struct tr2_control_page *page,
					      int64_t wait_ns, int *result);

/* Withdraw the last request. Return false if the process has already taken it
 * up. */
bool tr2_control_page_withdraw(const struct tr2_control_page *page);

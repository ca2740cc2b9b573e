/* SPDX-License-Identifier: MIT */
/*
 * control_page - ask a running process that allows it for other settings: the
 * other side of config/control_block.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tr2_control_block;

struct tr2_control_page {
	pid_t pid;
	pid_t tid; /* a thread that runs: the main one may have ended */
	int fd;
	struct tr2_control_block *block; /* NULL: not open */
	uint32_t request; /* our last request; 0: none */
	uint64_t asked_ns; /* time of that request */
	bool is_busy;      /* the last answer was EBUSY; asked again */
	bool gives_up;     /* EBUSY is the final answer now */
};

enum tr2_control_answer {
	TR2_CONTROL_WAITS,    /* the process has not called the library since */
	TR2_CONTROL_ANSWERED, /* the result is known */
	TR2_CONTROL_REPLACED, /* somebody else has asked for something */
	TR2_CONTROL_GONE      /* the process has ended */
};

/* 0, or a positive errno; ENXIO: the process has no page. */
int tr2_control_page_open(struct tr2_control_page *page, pid_t pid);
void tr2_control_page_release(struct tr2_control_page *page);

/* Make these settings at the process's next call. Return 0 or an errno. Waits
 * while others have the page locked. */
int tr2_control_page_ask(struct tr2_control_page *page, const char *lines);

/* Look for the answer. If there is one, set *result to 0 or a positive errno.
 * After EBUSY (a thread was writing for too long) ask again, but rarely: each
 * time the thread that takes up the request waits for the other one. */
enum tr2_control_answer tr2_control_page_look(struct tr2_control_page *page,
					      int *result);

/* Look until the answer is there, at most for this time. */
enum tr2_control_answer tr2_control_page_wait(struct tr2_control_page *page,
					      int64_t wait_ns, int *result);

/* Withdraw the last request. Return false if the process has already taken it
 * up. */
bool tr2_control_page_withdraw(const struct tr2_control_page *page);

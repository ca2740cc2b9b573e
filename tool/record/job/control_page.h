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
	uint32_t request; /* the last one of ours; 0: none */
	uint64_t asked_ns; /* when */
	bool is_busy;      /* a thread was writing for too long: asked again */
	bool gives_up;     /* that is the answer now */
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

/* Let the process take up these lines at its next call. 0, or an errno. Waits
 * for others that have locked the page. */
int tr2_control_page_ask(struct tr2_control_page *page, const char *lines);

/* Look for the answer. result: 0 or a positive errno, if it is there. Ask again if
 * a thread was writing for too long, but rarely: each time the thread that takes
 * up the request waits for the other one. */
enum tr2_control_answer tr2_control_page_look(struct tr2_control_page *page,
					      int *result);

/* Look until it is there, for at most this time. */
enum tr2_control_answer tr2_control_page_wait(struct tr2_control_page *page,
					      int64_t wait_ns, int *result);

/* Withdraw the last request. false: it is too late. */
bool tr2_control_page_withdraw(const struct tr2_control_page *page);

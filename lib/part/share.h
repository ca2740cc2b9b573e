/* SPDX-License-Identifier: MIT */
/*
 * share - the descriptors that events of the settings may take: a quarter of
 * the process's soft limit. Each thread needs some for each of the kernel's
 * events, and a host with many threads needs descriptors, too. Events that the
 * program opens itself do not count.
 *
 * The caller holds the process's lock, except for the functions with texts.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>

#include "perfevent/perfevent.h"

/* The error of an event beyond the share. The kernel's error is EMFILE, for a
 * process without free descriptors. */
#define TR2_SHARE_ERROR (-EDQUOT)

/* Take nr descriptors from the share. false: the share does not have nr
 * descriptors left, and nothing is taken. */
bool tr2_share_take(unsigned int nr);
void tr2_share_give(unsigned int nr);

/* Call it in a forked child, which has taken no descriptors yet. */
void tr2_share_after_fork(void);

/*
 * Explain an error, also TR2_SHARE_ERROR, which tr2_perfevent_explain() does
 * not know. error: a negative errno.
 */
void tr2_share_explain(const struct tr2_perfevent *event, int error, char *text,
		       size_t size_bytes);

/* Add a pending error: nr_threads threads have no `lack` (such as samples),
 * because descriptors are short. nr_threads 0: add no error. */
void tr2_share_add_error(unsigned int nr_threads, const char *lack);

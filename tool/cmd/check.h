/* SPDX-License-Identifier: MIT */
/*
 * check - the parts of `trace2 check`.
 */
#ifndef TR2_CMD_CHECK_H
#define TR2_CMD_CHECK_H

#include <stdbool.h>

#include "common/settings.h"

struct tr2_buf;

/* --env and --send. Both return an exit code. */
int tr2_check_env(void);
int tr2_check_send(void);

/* The value of a setting and where it comes from: a file, or "environment". */
struct tr2_found {
	char value[4096], origin[4096];
};

/* Fills the zeroed array as a program would that starts here; an empty value:
 * it is not set. Returns the number of files that cannot be used, each said. */
int tr2_check_find_settings(struct tr2_found found[TR2_NR_SETTINGS]);

/* Says what a target's value means, into `out`; false: it does not work. */
bool tr2_check_destination(const char *value, bool is_ring, struct tr2_buf *out);

/* A connected socket that does not block for af_unix:…, and of which kind; -1
 * with errno. */
int tr2_check_open_socket(const char *value, const char **kind);

/* Appends to `out`; returns `ok`. */
bool tr2_check_say(struct tr2_buf *out, bool ok, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif

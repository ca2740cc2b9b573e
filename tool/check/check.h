/* SPDX-License-Identifier: MIT */
/*
 * check - the parts of `trace2 check`.
 */
#pragma once

#include <stdbool.h>

#include "common/settings.h"

struct tr2_buf;

/* Run --env, --record and --send. Return an exit code. */
int tr2_check_env(void);
int tr2_check_record(void);
int tr2_check_send(void);

/* A setting's value and its source: a file, or "environment". */
struct tr2_found {
	char value[4096], origin[4096];
};

/* Fill the zeroed array with the settings of a program that starts here. An
 * empty value means: not set. Return the number of unusable files, each of
 * which was reported. */
int tr2_check_find_settings(struct tr2_found found[TR2_NR_SETTINGS]);

/* Append to `out` a description of the destination that a target's value names.
 * Return false if the destination does not work. */
bool tr2_check_destination(const char *value, bool is_ring,
			   struct tr2_buf *out);

/* Return a connected, non-blocking socket for a value af_unix:…, and set *kind
 * to the kind of socket. Return -1 with errno on failure. */
int tr2_check_open_socket(const char *value, const char **kind);

/* Append a text to `out`, and return `ok`. */
bool tr2_check_say(struct tr2_buf *out, bool ok, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

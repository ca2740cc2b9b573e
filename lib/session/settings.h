/* SPDX-License-Identifier: MIT */
/*
 * settings - what the variables and the config files ask for, read once.
 *
 * A variable wins over the files; an empty one counts as unset. In a process
 * with raised privileges (AT_SECURE) nothing is read.
 */
#ifndef TR2_SESSION_SETTINGS_H
#define TR2_SESSION_SETTINGS_H

#include <stdbool.h>

#include "arena/layout.h"
#include "target/target.h"
#include "trace2.h"

#define TR2_DEFAULT_PREFIX "GIT_TRACE2"

struct tr2_settings {
	/* NULL where nothing is set. Owned. */
	char *destination[TR2_TARGET_NR];
	char *config_params, *env_vars, *signals, *counters, *sample;
	bool brief[TR2_TARGET_NR];
	bool debug, redact;
	unsigned int max_nesting, max_files;
	unsigned int ring_size; /* bytes a thread; made a power of two */
	enum tr2_ring_mode ring_mode;
	/* A session that has a ring writes no event stream. */
	bool ring_instead;
	char *prefix; /* of the variables */
	bool config_files; /* may be read */
	char *system_config; /* NULL: the usual one */
};

/* false: no target is asked for (or memory is short); nothing to release. */
bool tr2_settings_load(struct tr2_settings *settings,
		       const struct trace2_options *options);
void tr2_settings_release(struct tr2_settings *settings);

#endif

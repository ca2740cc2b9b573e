/* SPDX-License-Identifier: MIT */
/*
 * settings - the settings of the variables and the config files, read once;
 * config/settings.def defines each setting.
 *
 * A variable overrides the files; an empty variable counts as unset. A process
 * with raised privileges (AT_SECURE) reads no settings.
 */
#pragma once

#include <stdbool.h>

#include "arena/layout.h"
#include "target/target.h"
#include "trace2.h"

#define TR2_DEFAULT_PREFIX "GIT_TRACE2"

struct tr2_settings {
	/* The destination of each target; NULL: not set. Owned by this
	 * structure. */
	char *destination[TR2_TARGET_NR];
	bool brief[TR2_TARGET_NR];
#define SETTING(type, member, variable, key, fallback, help) \
	TR2_SETTING_##type member;
#define TR2_SETTING_TEXT char *
#define TR2_SETTING_BOOLEAN bool
#define TR2_SETTING_POSITIVE unsigned int
#define TR2_SETTING_COUNT unsigned int
#define TR2_SETTING_RING_MODE enum tr2_ring_mode
#include "config/settings.def"
	char *prefix; /* prefix of the variables */
	bool config_files; /* read the config files */
	bool has_sink; /* the program has a sink */
	bool own_params; /* TRACE2_OWN_PARAMS */
	char *system_config; /* NULL: the default */
};

/* Load the settings. false: no target is set, or there is no memory; there is
 * nothing to release. */
bool tr2_settings_load(struct tr2_settings *settings,
		       const struct trace2_options *options);
/* If GIT_TRACE2_DST_DEBUG is set, warn that there is no session because memory
 * is short. */
void tr2_settings_warn_of_memory(const struct tr2_settings *settings);

void tr2_settings_release(struct tr2_settings *settings);

/* SPDX-License-Identifier: MIT */
/*
 * settings - the settings of programs that use libtrace2, by name, from
 * lib/config/settings.def.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tr2_buf;

enum tr2_setting_type {
	TR2_SETTING_IS_TARGET,
	TR2_SETTING_IS_TEXT,
	TR2_SETTING_IS_BOOLEAN,
	TR2_SETTING_IS_POSITIVE, /* a number, at least 1 */
	TR2_SETTING_IS_COUNT,	 /* a number, at least 0 */
	TR2_SETTING_IS_RING_MODE,
	TR2_SETTING_IS_INHERITED /* set by the parent process, never by users */
};

struct tr2_setting {
	const char *variable;
	const char *key;      /* the key in Git's configuration; NULL: there is
			       * no key */
	const char *fallback; /* the default value; NULL: off, none, or 0 */
	const char *help;     /* in asciidoc */
	enum tr2_setting_type type;
};

#define TARGET(name, variable, key, help) +1
#define BRIEF(name, variable, key, help) +1
#define SETTING(type, member, variable, key, fallback, help) +1
#define INHERITED(variable, help) +1
enum {
	TR2_NR_SETTINGS = 0
#include "config/settings.def"
};

extern const struct tr2_setting tr2_settings[TR2_NR_SETTINGS];

/* Find a setting by its variable, or by its key in any case; NULL: unknown. */
const struct tr2_setting *tr2_setting_find(const char *name);

/* Return whether the library accepts the value. Targets and texts are not
 * checked. */
bool tr2_setting_takes(const struct tr2_setting *s, const char *value);

/* tr2_setting_help(): append a setting's names and description for the
 * terminal. The next function appends all settings for a man page. */
void tr2_setting_help(const struct tr2_setting *s, struct tr2_buf *out);
void tr2_settings_asciidoc(struct tr2_buf *out);

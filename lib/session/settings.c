/* SPDX-License-Identifier: MIT */
/* Read the settings from variables, config files and the program's options. */
#include "session/settings.h"

#include <limits.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "config/config.h"

enum type { TEXT, BOOLEAN, POSITIVE, COUNT, RING_MODE };

/* A row for each setting; see settings.def. */
static const struct row {
	char suffix[16], key[24], fallback[12]; /* "": no text */
	uint8_t type;
	uint16_t offset;
} rows[] = {
#define ROW(type, member, variable, key, fallback) \
	{ variable, TR2_IN_PLACE(key), TR2_IN_PLACE(fallback), type, \
	  offsetof(struct tr2_settings, member) },
#define TARGET(name, variable, key, help) \
	ROW(TEXT, destination[TR2_TARGET_##name], variable, key, NULL)
#define BRIEF(name, variable, key, help) \
	ROW(BOOLEAN, brief[TR2_TARGET_##name], variable, key, NULL)
#define SETTING(type, member, variable, key, fallback, help) \
	ROW(type, member, variable, key, fallback)
#include "config/settings.def"
#undef ROW
};

#define NR_ROWS ARRAY_SIZE(rows)

struct loading {
	struct tr2_settings *settings;
	/* The program's strings. If the session begins, the settings keep
	 * copies of them. */
	const char *prefix, *system_config;
	bool seen[NR_ROWS], from_variable[NR_ROWS], stored[NR_ROWS];
	bool failed; /* no memory */
	struct tr2_buf complaints;
};

static void store_text(struct loading *l, char **field, const char *value)
{
	char *copy = strdup(value ? value : "true");

	if (!copy) {
		l->failed = true;
		return;
	}
	free(*field);
	*field = copy;
}

static bool store_ring_mode(enum tr2_ring_mode *field, const char *value)
{
	if (value && !strcasecmp(value, "overwrite"))
		*field = TR2_RING_OVERWRITE;
	else if (value && !strcasecmp(value, "consume"))
		*field = TR2_RING_CONSUME;
	else
		return false;
	return true;
}

static bool store_number(unsigned int *field, const char *value, int least)
{
	int number;

	if (tr2_config_int(value, &number) || number < least)
		return false;
	*field = (unsigned int)number;
	return true;
}

static bool store_boolean(bool *field, const char *value)
{
	int number;

	if (tr2_config_bool(value, &number))
		return false;
	*field = number;
	return true;
}

/* Store a value. An invalid value leaves the setting unchanged. */
static void store_value(struct loading *l, const struct row *row,
			const char *value)
{
	void *field = (char *)l->settings + row->offset;
	bool *stored = &l->stored[row - rows];

	switch (row->type) {
	case TEXT:
		store_text(l, field, value);
		return;
	case BOOLEAN:
		*stored |= store_boolean(field, value);
		return;
	case POSITIVE:
	case COUNT:
		*stored |= store_number(field, value, row->type == POSITIVE);
		return;
	case RING_MODE:
		*stored |= store_ring_mode(field, value);
		return;
	}
}

static void store_fallbacks(struct loading *l)
{
	size_t i;

	for (i = 0; i < NR_ROWS; i++)
		if (*rows[i].fallback && !l->stored[i])
			store_value(l, &rows[i], rows[i].fallback);
}

/* Store a variable's value. rest: the variable's name after the prefix, then
 * `=value`. */
static void note_variable(struct loading *l, const char *rest)
{
	size_t len = strcspn(rest, "="), i;

	if (!rest[len])
		return;
	for (i = 0; i < NR_ROWS; i++) {
		if (strncmp(rows[i].suffix, rest, len) ||
		    rows[i].suffix[len] || l->seen[i])
			continue;
		/* Ignore duplicates: getenv() would return the first of
		 * them. */
		l->seen[i] = true;
		if (!rest[len + 1])
			return;
		store_value(l, &rows[i], rest + len + 1);
		l->from_variable[i] = true;
		return;
	}
}

/* Read the variables in one pass over the environment, instead of one getenv()
 * for each row. */
static void load_variables(struct loading *l)
{
	size_t len = strlen(l->prefix);
	char **entry;

	for (entry = environ; entry && *entry; entry++)
		if (**entry == *l->prefix && !strncmp(*entry, l->prefix, len))
			note_variable(l, *entry + len);
}

static void store_key(struct loading *l, const char *key, size_t len,
		      const char *value)
{
	size_t i;

	for (i = 0; i < NR_ROWS; i++)
		if (*rows[i].key && !l->from_variable[i] &&
		    !strncasecmp(rows[i].key, key, len) && !rows[i].key[len])
			store_value(l, &rows[i], value);
}

static void note_entry(void *cookie, const struct tr2_config_entry *entry)
{
	store_key(cookie, entry->key, strlen(entry->key), entry->value);
}

/* Keep complaints until the end: a later file may set whether to report
 * them. */
static void note_fault(void *cookie, const struct tr2_config_fault *fault)
{
	struct loading *l = cookie;
	struct tr2_buf *b = &l->complaints;

	tr2_buf_addlit(b, "warning: trace2: cannot read '");
	tr2_text_add(b, fault->path, strlen(fault->path));
	tr2_buf_addlit(b, "': ");
	if (fault->line) {
		tr2_buf_addlit(b, "line ");
		tr2_buf_add_u64(b, fault->line);
		tr2_buf_addlit(b, ": ");
	}
	tr2_buf_addstr(b, fault->reason);
	tr2_buf_addlit(b, " (none of its settings are used)\n");
}

static void complain(const struct loading *l)
{
	const struct tr2_buf *b = &l->complaints;

	if (l->settings->debug && b->len)
		tr2_dest_warn(b->p, b->len);
}

static void load_files(struct loading *l)
{
	const struct tr2_config_request request = {
		.entry = note_entry,
		.fault = note_fault,
		.cookie = l,
		.section = "trace2",
		.thorough = l->settings->debug,
		.system_file = l->system_config,
	};

	tr2_config_read(&request);
}

/* Read the program's own keys, KEY=VALUE or KEY. */
static void load_program(struct loading *l, const char *const *config)
{
	for (; config && *config; config++) {
		size_t len = strcspn(*config, "=");

		store_key(l, *config, len,
			  (*config)[len] ? *config + len + 1 : NULL);
	}
}

/* Read the config files and the program's keys. A program with an older header
 * has no members after `flags`. */
static void load_config(struct loading *l, const struct trace2_options *options)
{
	bool more = options && (options->flags & TRACE2_MORE_OPTIONS);

	if (more)
		l->system_config = options->system_config;
	if (!options || !(options->flags & TRACE2_NO_CONFIG_FILES)) {
		l->settings->config_files = true;
		load_files(l);
	}
	if (options && (options->flags & TRACE2_OWN_PARAMS))
		l->settings->own_params = true;
	if (!more)
		return;
	load_program(l, options->config);
	l->settings->has_sink = options->sink;
}

static bool wants_anything(const struct tr2_settings *settings)
{
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++)
		if (settings->destination[i])
			return true;
	return settings->has_sink || settings->control;
}

/* Keep the values. false: no target is wanted, or there is no memory. */
static bool keep_values(struct loading *l)
{
	if (!wants_anything(l->settings))
		return false;
	store_text(l, &l->settings->prefix, l->prefix);
	if (l->system_config)
		store_text(l, &l->settings->system_config, l->system_config);
	store_fallbacks(l);
	return !l->failed;
}

void tr2_settings_warn_of_memory(const struct tr2_settings *settings)
{
	static const char line[] =
		"warning: trace2: out of memory: nothing is traced\n";

	if (settings->debug)
		tr2_dest_warn(line, sizeof(line) - 1);
}

bool tr2_settings_load(struct tr2_settings *settings,
		       const struct trace2_options *options)
{
	struct loading l = {
		.settings = settings,
		.prefix = options && options->prefix ? options->prefix :
						       TR2_DEFAULT_PREFIX,
	};

	memset(settings, 0, sizeof(*settings));
	if (getauxval(AT_SECURE))
		return false;
	settings->control = options && options->flags & TRACE2_CONTROL;
	load_variables(&l);
	load_config(&l, options);
	complain(&l);
	tr2_buf_release(&l.complaints);
	if (keep_values(&l))
		return true;
	if (l.failed)
		tr2_settings_warn_of_memory(settings);
	tr2_settings_release(settings);
	return false;
}

void tr2_settings_release(struct tr2_settings *settings)
{
#define RELEASE_TEXT(member) free(settings->member);
#define RELEASE_BOOLEAN(member)
#define RELEASE_POSITIVE(member)
#define RELEASE_COUNT(member)
#define RELEASE_RING_MODE(member)
#define TARGET(name, variable, key, help) \
	RELEASE_TEXT(destination[TR2_TARGET_##name])
#define SETTING(type, member, variable, key, fallback, help) \
	RELEASE_##type(member)
#include "config/settings.def"
	free(settings->prefix);
	free(settings->system_config);
	memset(settings, 0, sizeof(*settings));
}

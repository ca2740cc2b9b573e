/* SPDX-License-Identifier: MIT */
/* Parse a request for other settings, and apply it. */
#include "session/control_request.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "config/config.h"
#include "session/session.h"
#include "thread/stream.h"

struct targets {
	/* The texts that destinations point to: two texts for each. A change
	 * writes the text that is not in use, so that a child that is forked
	 * during the change finds a complete text. */
	char in_use[TR2_CONTROL_NR][2][TR2_CONTROL_VALUE];
	char kept[TR2_CONTROL_VALUE];
};
TR2_LARGE struct targets tr2_control_targets;

/* The event target and its settings before a recording, which replaces them. */
static struct {
	bool is_kept;
	char *destination; /* memory from malloc(), or
			    * tr2_control_targets.kept */
	bool brief;
	unsigned int nesting;
} kept;

/* Return whether a request set this destination. */
static bool is_set(unsigned int id, const char *destination)
{
	return destination == tr2_control_targets.in_use[id][0] ||
	       destination == tr2_control_targets.in_use[id][1];
}

/* Forget the kept settings of a recording that did not restore them. */
static void forget_kept(void)
{
	if (kept.is_kept && kept.destination != tr2_control_targets.kept)
		free(kept.destination);
	kept.is_kept = false;
}

void tr2_control_release_settings(void)
{
	unsigned int i;

	forget_kept();
	for (i = 0; i < TR2_CONTROL_NR; i++)
		if (is_set(i, tr2_session.settings.destination[i]))
			tr2_session.settings.destination[i] = NULL;
}

/* Accept any target except a descriptor, which belongs to the program. */
static bool is_target(const char *value)
{
	return tr2_dest_is_off_value(value) || *value == '/' ||
	       !strncmp(value, "af_unix:", 8);
}

static bool parse_target(struct tr2_control_wish *r, unsigned int id,
			 const char *value)
{
	size_t len = strlen(value);

	if (len >= TR2_CONTROL_VALUE || !is_target(value))
		return false;
	memcpy(r->target[id], value, len + 1);
	return r->has_target[id] = true;
}

static bool parse_brief(struct tr2_control_wish *r, unsigned int id,
			const char *value)
{
	int on;

	if (tr2_config_bool(value, &on))
		return false;
	r->brief[id] = on;
	return r->has_brief[id] = true;
}

/* Parse a setting of the request. false: the setting cannot change while the
 * process runs. */
static bool parse_setting(struct tr2_control_wish *r, const char *name,
			  const char *value)
{
	r->has_settings = true;
#define TARGET(id, suffix, key, help)                                  \
	if (TR2_TARGET_##id < TR2_CONTROL_NR && !strcmp(name, suffix)) \
		return parse_target(r, TR2_TARGET_##id % TR2_CONTROL_NR, value);
#define BRIEF(id, suffix, key, help)                                   \
	if (TR2_TARGET_##id < TR2_CONTROL_NR && !strcmp(name, suffix)) \
		return parse_brief(r, TR2_TARGET_##id % TR2_CONTROL_NR, value);
#include "config/settings.def"
	return !strcmp(name, "_EVENT_NESTING") &&
	       !tr2_config_int(value, &r->nesting) && r->nesting > 0;
}

static bool parse_word(struct tr2_control_wish *r, const char *word)
{
	bool *wanted = !strcmp(word, "reopen") ? &r->reopen :
		       !strcmp(word, "flush")  ? &r->flush :
		       !strcmp(word, "record") ? &r->record :
						 NULL;

	return wanted && (*wanted = true);
}

static bool parse_restore(struct tr2_control_wish *r, const char *target)
{
	size_t len = strlen(target);

	if (len >= TR2_CONTROL_VALUE)
		return false;
	memcpy(r->restore, target, len + 1);
	return true;
}

static bool parse_line(struct tr2_control_wish *r, char *line)
{
	const char *prefix = tr2_session.settings.prefix;
	char *value = strchr(line, '=');
	size_t len;

	if (!value)
		return parse_word(r, line);
	*value++ = '\0';
	if (!strcmp(line, "restore"))
		return parse_restore(r, value);
	if (strncmp(line, prefix, strlen(prefix)))
		prefix = TR2_DEFAULT_PREFIX;
	len = strlen(prefix);
	return !strncmp(line, prefix, len) &&
	       parse_setting(r, line + len, value);
}

bool tr2_control_parse(struct tr2_control_wish *r, char *text)
{
	char *end;

	for (; *text; text = end) {
		end = text + strcspn(text, "\n");
		if (*end)
			*end++ = '\0';
		if (!parse_line(r, text))
			return false;
	}
	return true;
}

static void set_target(unsigned int id, const char *value)
{
	char **destination = &tr2_session.settings.destination[id];
	char *before = *destination, (*in_use)[TR2_CONTROL_VALUE];
	bool is_kept = kept.is_kept && before == kept.destination;

	in_use = tr2_control_targets.in_use[id];
	in_use += before == in_use[0];
	memcpy(*in_use, value, strlen(value) + 1);
	__atomic_store_n(destination, *in_use, __ATOMIC_RELEASE);
	if (!is_set(id, before) && !is_kept)
		free(before);
}

/* Keep the settings when a recording begins, unless they are kept already: a
 * recording that was killed has not restored them. */
static void keep_settings(void)
{
	struct tr2_settings *settings = &tr2_session.settings;
	char **destination = &settings->destination[TR2_TARGET_event];

	if (kept.is_kept)
		return;
	kept.is_kept = true;
	kept.brief = settings->brief[TR2_TARGET_event];
	kept.nesting = settings->max_nesting;
	kept.destination = *destination;
	if (is_set(TR2_TARGET_event, *destination))
		kept.destination = memcpy(tr2_control_targets.kept,
					  *destination, TR2_CONTROL_VALUE);
}

static void put_back(void)
{
	struct tr2_settings *settings = &tr2_session.settings;

	if (kept.destination == tr2_control_targets.kept)
		set_target(TR2_TARGET_event, tr2_control_targets.kept);
	else
		settings->destination[TR2_TARGET_event] = kept.destination;
	settings->brief[TR2_TARGET_event] = kept.brief;
	settings->max_nesting = kept.nesting;
	kept.is_kept = false;
}

/* Return whether the event target is still the target of this recording. */
static bool is_recorded(const struct tr2_control_wish *r)
{
	const char *target =
		tr2_session.settings.destination[TR2_TARGET_event];

	return kept.is_kept && *r->restore && target &&
	       !strcmp(target, r->restore);
}

bool tr2_control_is_change(const struct tr2_control_wish *r)
{
	return r->has_settings || is_recorded(r);
}

bool tr2_control_is_missing(const struct tr2_control_wish *r)
{
	unsigned int i;

	for (i = 0; i < TR2_CONTROL_NR; i++)
		if (r->has_target[i] && !tr2_dest_is_off_value(r->target[i]) &&
		    !tr2_dest_is_on(tr2_stream_dest(i)))
			return true;
	return false;
}

bool tr2_control_change(const struct tr2_control_wish *r)
{
	struct tr2_settings *settings = &tr2_session.settings;
	bool any = tr2_stream.sink;
	unsigned int i;

	if (is_recorded(r))
		put_back();
	if (r->record && r->has_target[TR2_TARGET_event])
		keep_settings();
	else if (r->has_target[TR2_TARGET_event])
		forget_kept();
	for (i = 0; i < TR2_CONTROL_NR; i++) {
		char **destination = &settings->destination[i];

		if (r->has_target[i])
			set_target(i, r->target[i]);
		if (r->has_brief[i])
			settings->brief[i] = r->brief[i];
		any |= !tr2_dest_is_off_value(*destination);
	}
	if (r->nesting)
		settings->max_nesting = (unsigned int)r->nesting;
	return any;
}

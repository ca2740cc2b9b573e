/* SPDX-License-Identifier: MIT */
/*
 * Config in the environment: GIT_CONFIG_COUNT with its keys and values, and
 * GIT_CONFIG_PARAMETERS, which `git -c` sets for what it runs.
 *
 * One malformed key makes all of them void, as in Git; so they are walked
 * twice, and the first walk only checks.
 */
#include "session/config-internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char parameters[] = "GIT_CONFIG_PARAMETERS";

/* Takes a key as it was given. */
typedef int (*pair_fn)(struct tr2_config_reader *rd, const char *var,
		       const char *key, const char *value);

/* The section ends at the first dot; the variable is behind the last one. */
bool tr2_config_canonical_key(char *key)
{
	char *first = strchr(key, '.');
	char *last = strrchr(key, '.');

	if (!first || last == key || !tr2_config_is_alpha(last[1]))
		return false;
	for (char *p = key; *p; p++) {
		if (p >= first && p <= last) {
			if (*p == '\n')
				return false;
			continue;
		}
		if (!tr2_config_is_key_char(*p))
			return false;
		*p = tr2_config_lower(*p);
	}
	return true;
}

static int check_pair(struct tr2_config_reader *rd, const char *var,
		      const char *key, const char *value)
{
	char *copy = strdup(key);
	int err = 0;

	(void)value;
	if (!copy)
		return tr2_config_fail(rd, var, 0, ENOMEM, NULL);
	if (!tr2_config_canonical_key(copy))
		err = tr2_config_fail(rd, var, 0, EINVAL,
				      "not a key of the form section.variable");
	free(copy);
	return err;
}

static int deliver_pair(struct tr2_config_reader *rd, const char *var,
			const char *key, const char *value)
{
	char *copy = strdup(key);
	int err;

	if (!copy)
		return tr2_config_fail(rd, var, 0, ENOMEM, NULL);
	tr2_config_canonical_key(copy);
	err = tr2_config_deliver(rd, copy, value);
	free(copy);
	return err;
}

static const char *numbered(const char *name, unsigned long n)
{
	char var[64];

	snprintf(var, sizeof(var), "%s%lu", name, n);
	return getenv(var);
}

static int walk_count(struct tr2_config_reader *rd, pair_fn fn)
{
	static const char var[] = "GIT_CONFIG_COUNT";
	const char *text = getenv(var);
	unsigned long count;
	char *end;
	int err = 0;

	if (!text)
		return 0;
	errno = 0;
	count = strtoul(text, &end, 10);
	if (errno || *end || count > INT_MAX)
		return tr2_config_fail(rd, var, 0, EINVAL, "not a count");
	for (unsigned long i = 0; i < count && !err; i++) {
		const char *key = numbered("GIT_CONFIG_KEY_", i);
		const char *value = numbered("GIT_CONFIG_VALUE_", i);

		if (!key || !value)
			return tr2_config_fail(rd, var, 0, EINVAL,
					       "a key or a value is missing");
		err = fn(rd, var, key, value);
	}
	return err;
}

/*
 * Takes one word in single quotes at *p, in place; outside of them only `\'`
 * and `\!` may stand. NULL: it is none. *p is what follows it.
 */
static char *take_quoted(char **p)
{
	char *r = *p, *w = r, *word = r;

	if (*r++ != '\'')
		return NULL;
	for (;;) {
		while (*r && *r != '\'')
			*w++ = *r++;
		if (!*r++)
			return NULL;
		if (r[0] != '\\' || (r[1] != '\'' && r[1] != '!') ||
		    r[2] != '\'')
			break;
		*w++ = r[1];
		r += 3;
	}
	*p = r;
	*w = '\0';
	return word;
}

static char *trim(char *text)
{
	size_t len;

	while (tr2_config_is_space(*text))
		text++;
	for (len = strlen(text); len; len--)
		if (!tr2_config_is_space(text[len - 1]))
			break;
	text[len] = '\0';
	return text;
}

static bool ends_word(char c)
{
	return !c || tr2_config_is_space(c);
}

/*
 * One parameter at *p: 'key=value' or 'key' as older Gits write it, or
 * 'key'='value' or 'key'= as newer ones do.
 */
static int walk_parameter(struct tr2_config_reader *rd, pair_fn fn, char **p)
{
	char *value = NULL;
	char *key = take_quoted(p);

	if (key && ends_word(**p)) {
		value = strchr(key, '=');
		if (value)
			*value++ = '\0';
		key = trim(key);
	} else if (key && **p == '=') {
		++*p;
		if (!ends_word(**p) &&
		    (!(value = take_quoted(p)) || !ends_word(**p)))
			key = NULL;
	} else {
		key = NULL;
	}
	if (!key)
		return tr2_config_fail(rd, parameters, 0, EINVAL,
				       "not a list of quoted words");
	return fn(rd, parameters, key, value);
}

static int walk_parameters(struct tr2_config_reader *rd, pair_fn fn)
{
	const char *text = getenv(parameters);
	char *copy;
	int err = 0;

	if (!text)
		return 0;
	copy = strdup(text);
	if (!copy)
		return tr2_config_fail(rd, parameters, 0, ENOMEM, NULL);
	for (char *p = copy; *p && !err;) {
		err = walk_parameter(rd, fn, &p);
		while (tr2_config_is_space(*p))
			p++;
	}
	free(copy);
	return err;
}

static int walk(struct tr2_config_reader *rd, pair_fn fn)
{
	int err = walk_count(rd, fn);

	return err ? err : walk_parameters(rd, fn);
}

int tr2_config_read_command(struct tr2_config_reader *rd)
{
	int err;

	rd->scope = TR2_CONFIG_COMMAND;
	rd->path = NULL;
	rd->nr_files = 0;
	err = walk(rd, check_pair);
	return err ? err : walk(rd, deliver_pair);
}

/* SPDX-License-Identifier: MIT */
/*
 * The configuration files, and their order.
 *
 * A fault in one file does not affect the others.
 */
#include "config/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *tr2_config_scope_name(enum tr2_config_scope scope)
{
	return scope == TR2_CONFIG_SYSTEM ? "system" : "global";
}

char *tr2_config_join(const char *dir, size_t len, const char *name)
{
	size_t name_size = strlen(name) + 1;
	char *joined = malloc(len + name_size);

	if (joined) {
		memcpy(joined, dir, len);
		memcpy(joined + len, name, name_size);
	}
	return joined;
}

/* If the entry begins with `name`, keep its value, unless a value was found
 * before: getenv() returns the first of duplicates. */
static inline void parse_value(const char *entry, const char *name,
			       const char **value)
{
	size_t len = strlen(name);

	if (!*value && !strncmp(entry, name, len))
		*value = entry + len;
}

/* Find the variables in one pass over the environment, instead of by one
 * getenv() each. */
static void find_places(struct tr2_config_places *places)
{
	for (char **entry = environ; entry && *entry; entry++) {
		if (**entry == 'H') {
			parse_value(*entry, "HOME=", &places->home);
		} else if (**entry == 'X') {
			parse_value(*entry, "XDG_CONFIG_HOME=", &places->xdg);
		} else if (**entry == 'G') {
			parse_value(*entry,
				    "GIT_CONFIG_SYSTEM=", &places->system);
			parse_value(*entry,
				    "GIT_CONFIG_GLOBAL=", &places->global);
			parse_value(*entry,
				    "GIT_CONFIG_NOSYSTEM=", &places->no_system);
		}
	}
}

static void read_in(struct tr2_config_reader *rd, const char *dir,
		    const char *name)
{
	char *path = tr2_config_join(dir, strlen(dir), name);

	if (path)
		tr2_config_load(rd, path);
	else
		tr2_config_fail(rd, name, 0, ENOMEM, NULL);
	free(path);
}

static void read_system(struct tr2_config_reader *rd)
{
	const char *no_system = rd->places.no_system;
	const char *path = rd->places.system;
	int off = 0;

	/* A value that is no boolean counts as true: the user meant to set the
	 * variable. */
	if (no_system && tr2_config_bool(no_system, &off))
		off = 1;
	if (off)
		return;
	rd->scope = TR2_CONFIG_SYSTEM;
	if (!path)
		path = rd->request->system_file;
	tr2_config_load(rd, path ? path : "/etc/gitconfig");
}

static void read_global(struct tr2_config_reader *rd)
{
	const struct tr2_config_places *places = &rd->places;
	const char *home = places->home;

	rd->scope = TR2_CONFIG_GLOBAL;
	if (places->global) {
		tr2_config_load(rd, places->global);
		return;
	}
	if (places->xdg && *places->xdg)
		read_in(rd, places->xdg, "/git/config");
	else if (home)
		read_in(rd, home, "/.config/git/config");
	if (home)
		read_in(rd, home, "/.gitconfig");
}

void tr2_config_read(const struct tr2_config_request *request)
{
	struct tr2_config_reader rd = { .request = request };

	find_places(&rd.places);
	read_system(&rd);
	read_global(&rd);
}

int tr2_config_read_file(const struct tr2_config_request *request,
			 enum tr2_config_scope scope, const char *path)
{
	struct tr2_config_reader rd = { .request = request, .scope = scope };

	find_places(&rd.places);
	return tr2_config_load(&rd, path);
}

static bool is_same_word(const char *a, const char *b)
{
	while (*a && tr2_config_lower(*a) == tr2_config_lower(*b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

/* Return the shift of a suffix; -1: unknown suffix. */
static int suffix_shift(const char *suffix)
{
	static const char letters[] = "kmg";
	const char *found;

	if (!*suffix)
		return 0;
	found = strchr(letters, tr2_config_lower(*suffix));
	if (!found || suffix[1])
		return -1;
	return 10 * (int)(found - letters + 1);
}

int tr2_config_int(const char *value, int *out)
{
	intmax_t number;
	char *end;
	int shift;

	if (!value)
		return -EINVAL;
	/* If the number overflows, strtoimax() returns INTMAX_MAX or
	 * INTMAX_MIN, which is rejected as out of range. */
	number = strtoimax(value, &end, 0);
	shift = end == value ? -1 : suffix_shift(end);
	if (shift < 0)
		return -EINVAL;
	if (number > (INT_MAX >> shift) || number < -(INT_MAX >> shift))
		return -ERANGE;
	*out = (int)(number * ((intmax_t)1 << shift));
	return 0;
}

int tr2_config_bool(const char *value, int *out)
{
	static const char words[2][4][6] = {
		{ "", "false", "no", "off" },
		{ "true", "yes", "on", "on" },
	};
	int number;

	if (!value) {
		*out = 1;
		return 0;
	}
	for (int truth = 0; truth < 2; truth++)
		for (int i = 0; i < 4; i++)
			if (is_same_word(words[truth][i], value)) {
				*out = truth;
				return 0;
			}
	if (tr2_config_int(value, &number))
		return -EINVAL;
	*out = number != 0;
	return 0;
}

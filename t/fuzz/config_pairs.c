/* SPDX-License-Identifier: MIT */
/* Config in the environment: GIT_CONFIG_COUNT and GIT_CONFIG_PARAMETERS. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "session/config-internal.h"

#define MAX_PAIRS 3

struct taken {
	unsigned int nr;
	char key[4096], value[4096];
};

static int take(void *cookie, enum tr2_config_scope scope, const char *key,
		const char *value)
{
	struct taken *taken = cookie;
	char *copy = strdup(key);

	fuzz_check(scope == TR2_CONFIG_COMMAND, "scope %d", (int)scope);
	fuzz_check(copy && tr2_config_canonical_key(copy) &&
			   !strcmp(copy, key),
		   "'%s' is not canonical", key);
	free(copy);
	taken->nr++;
	snprintf(taken->key, sizeof(taken->key), "%s", key);
	snprintf(taken->value, sizeof(taken->value), "%s", value ? value : "");
	return 0;
}

static int read_pairs(char **environment, struct taken *taken)
{
	struct tr2_config_reader rd = { .fn = take, .cookie = taken };
	int err;

	taken->nr = 0;
	fuzz_environment(environment);
	err = tr2_config_read_command(&rd);
	fuzz_environment(NULL);
	return err;
}

static void add_quoted(struct tr2_buf *b, const char *s)
{
	tr2_buf_addch(b, '\'');
	for (; *s; s++) {
		if (*s == '\'' || *s == '!') {
			tr2_buf_addlit(b, "'\\");
			tr2_buf_addch(b, *s);
			tr2_buf_addch(b, '\'');
		} else {
			tr2_buf_addch(b, *s);
		}
	}
	tr2_buf_addch(b, '\'');
}

/* As `git -c` writes it, a pair comes back as it was. */
static void check_git_writes(const char *key, const char *value)
{
	struct tr2_buf b = TR2_BUF_INIT;
	struct taken taken;
	char *copy = strdup(key), *list[] = { NULL, NULL };

	if (copy && tr2_config_canonical_key(copy)) {
		tr2_buf_addlit(&b, "GIT_CONFIG_PARAMETERS=");
		add_quoted(&b, key);
		tr2_buf_addch(&b, '=');
		add_quoted(&b, value);
		tr2_buf_addch(&b, '\0');
		list[0] = b.p;
		fuzz_check(!read_pairs(list, &taken) && taken.nr == 1,
			   "refused: %s", b.p);
		fuzz_check(!strcmp(taken.key, copy) &&
				   !strcmp(taken.value, value),
			   "'%s' '%s' from %s", taken.key, taken.value, b.p);
	}
	free(copy);
	tr2_buf_release(&b);
}

static char *variable(const char *name, const char *value)
{
	char *text = NULL;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		abort();
	return text;
}

static void check_any(char **text)
{
	static const char *const names[2 + 2 * MAX_PAIRS] = {
		"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
		"GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0",
		"GIT_CONFIG_KEY_1", "GIT_CONFIG_VALUE_1",
		"GIT_CONFIG_KEY_2", "GIT_CONFIG_VALUE_2",
	};
	char *list[2 + 2 * MAX_PAIRS + 1] = { NULL };
	struct taken taken;
	int err;
	size_t i;

	for (i = 0; i < 2 + 2 * MAX_PAIRS && text[i]; i++)
		list[i] = variable(names[i], text[i]);
	err = read_pairs(list, &taken);
	fuzz_check(!err || !taken.nr, "%d, and %u pairs", err, taken.nr);
	for (i = 0; list[i]; i++)
		free(list[i]);
}

void fuzz_config_pairs(struct fuzz_input *in)
{
	char *text[2 + 2 * MAX_PAIRS + 1] = { NULL };
	size_t i, nr;

	for (nr = 0; nr < 2 + 2 * MAX_PAIRS && in->n; nr++)
		text[nr] = fuzz_string(in);
	check_any(text);
	if (nr >= 2)
		check_git_writes(text[0], text[1]);
	for (i = 0; i < nr; i++)
		free(text[i]);
}

/* SPDX-License-Identifier: MIT */
/* The variables of the environment; each row of the input is one. */
#include "session/settings.h"

#include "fuzz.h"

#define MAX_VARIABLES 8

static const char *const suffixes[] = {
#define TARGET(name, variable, key, help) variable,
#define BRIEF(name, variable, key, help) variable,
#define SETTING(type, member, variable, key, fallback, help) variable,
#include "config/settings.def"
};

static char *take_variable(struct fuzz_input *in, const char *prefix)
{
	unsigned int nr = sizeof(suffixes) / sizeof(*suffixes);
	const char *suffix = suffixes[fuzz_byte(in) % nr];
	char *value = fuzz_string(in), *text = NULL;

	if (asprintf(&text, "%s%s=%s", prefix, suffix, value) < 0)
		abort();
	free(value);
	return text;
}

void fuzz_settings(struct fuzz_input *in)
{
	bool plain = fuzz_byte(in) & 1;
	char *prefix = plain ? NULL : fuzz_string(in);
	struct trace2_options options = { .prefix = prefix,
					  .flags = TRACE2_NO_CONFIG_FILES };
	char *list[MAX_VARIABLES + 1] = { NULL };
	struct tr2_settings s;
	unsigned int i, on = 0;

	for (i = 0; i < MAX_VARIABLES && in->n; i++)
		list[i] = take_variable(in, prefix ? prefix : "GIT_TRACE2");
	fuzz_environment(list);
	if (tr2_settings_load(&s, &options)) {
		for (i = 0; i < TR2_TARGET_NR; i++)
			on += s.destination[i] && *s.destination[i];
		fuzz_check(on, "no target is on");
		fuzz_check(s.max_nesting >= 1, "no nesting");
		fuzz_check(s.ring_size >= 1, "no records");
		tr2_settings_release(&s);
	}
	fuzz_environment(NULL);
	for (i = 0; i < MAX_VARIABLES; i++)
		free(list[i]);
	free(prefix);
}

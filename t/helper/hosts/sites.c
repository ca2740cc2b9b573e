/* SPDX-License-Identifier: MIT */
/*
 * usage: sites HOW
 *
 * The same events of a region and of data, HOW: from `constants`, or from
 * `variables`; `many`: of more sites than a ring has room for;
 * `often`: from constants, until a ring's thread takes its fastest path;
 * `fork`: in a child, too; `deep`: in many regions; `mixed`: regions with
 * constants, left by calls without.
 */
#include "../system.h"
#include "trace2.h"

#define NR_SITES 6000
#define NR_REGIONS 16400
#define OFTEN 300

/* Emit each event with these strings, on one line of the source. */
#define EVENTS(category, label, key)                                           \
	do {                                                                   \
		trace2_region_enter(category, label, NULL);                    \
		trace2_data_string(category, NULL, key, "value");              \
		trace2_data_string(category, NULL, key, "");                   \
		trace2_data_string(category, NULL, key, NULL);                 \
		trace2_data_intmax(category, NULL, key, -42);                  \
		trace2_data_json(category, NULL, key, "{\"a\":1}");            \
		trace2_data_string(category, &repo, key, "of a repository");   \
		trace2_data_string(category, NULL, key, "https://me:pw@host"); \
		trace2_region_enter_printf(category, label, NULL, "%d", 1);    \
		trace2_region_leave_printf(category, label, NULL, "%d", 2);    \
		trace2_region_leave(category, label, NULL);                    \
		trace2_region_enter(category, label, &repo);                   \
		trace2_region_leave(category, label, NULL);                    \
	} while (0)

static struct trace2_repo repo = { "/a/worktree", 0 };

static void emit_constants(void)
{
	EVENTS("category", "label", "key");
	EVENTS("", "", "");
	EVENTS("cat\n\"egory", "l\xc3\xa4" "b\xff" "el", "k\\ey");
	EVENTS("https://me:secret@host", "token=secret", "password=secret");
	/* Leave regions too early, too late, and by other names. */
	trace2_region_enter("a", "outer", NULL);
	trace2_region_enter("a", "inner", NULL);
	trace2_region_leave("a", "outer", NULL);
	trace2_region_leave("a", "inner", NULL);
	trace2_region_enter("a", "one", NULL);
	trace2_region_leave("a", "another", NULL);
}

static void emit_variables(void)
{
	/* Make sure that the strings are no constants: the compiler cannot know
	 * volatile values. */
	const char *volatile s[] = {
		"category", "label", "key", "", "", "", "cat\n\"egory",
		"l\xc3\xa4" "b\xff" "el", "k\\ey", "https://me:secret@host",
		"token=secret", "password=secret", "a", "outer", "inner",
		"one", "another"
	};

	EVENTS(s[0], s[1], s[2]);
	EVENTS(s[3], s[4], s[5]);
	EVENTS(s[6], s[7], s[8]);
	EVENTS(s[9], s[10], s[11]);
	trace2_region_enter(s[12], s[13], NULL);
	trace2_region_enter(s[12], s[14], NULL);
	trace2_region_leave(s[12], s[13], NULL);
	trace2_region_leave(s[12], s[14], NULL);
	trace2_region_enter(s[12], s[15], NULL);
	trace2_region_leave(s[12], s[16], NULL);
}

/* Emit events as the macros do, with a site for each number. */
static void emit_many(void)
{
	static struct trace2_site sites[NR_SITES];
	static char names[NR_SITES][48];
	unsigned int i;

	for (i = 0; i < NR_SITES; i++) {
		snprintf(names[i], sizeof(names[i]),
			 "the-name-of-site-number-%u", i);
		sites[i] = (struct trace2_site){ .file = "many.c",
						 .category = "many",
						 .name = names[i],
						 .line = (int)i + 1 };
		trace2_data_string_at_(&sites[i], sites[i].category, NULL,
				       names[i], "v");
	}
}

static void emit_mixed(void)
{
	static char name[5000];
	unsigned int i;

	memset(name, 'n', sizeof(name) - 1);
	for (i = 0; i < 3; i++) {
		trace2_region_enter_fl("file", 1, name, name, NULL);
		trace2_region_leave_fl("file", 2, name, name, NULL);
		trace2_region_enter("category", "label", NULL);
		trace2_region_leave_fl("file", 3, "category", "label", NULL);
		trace2_region_enter("a", "b", NULL);
		trace2_region_leave("a", "b", &repo);
	}
}

static void emit_deep(void)
{
	unsigned int i;

	for (i = 0; i < NR_REGIONS; i++)
		trace2_region_enter("deep", "region", NULL);
	for (i = 0; i < NR_REGIONS; i++)
		trace2_region_leave("deep", "region", NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pid_t pid = -1;
	int i;

	trace2_initialize();
	trace2_cmd_start((const char *const *)argv);
	trace2_def_repo(&repo);
	if (!strcmp(how, "many")) {
		emit_many();
	} else if (!strcmp(how, "deep")) {
		emit_deep();
	} else if (!strcmp(how, "mixed")) {
		emit_mixed();
	} else if (!strcmp(how, "variables")) {
		emit_variables();
	} else if (!strcmp(how, "often")) {
		for (i = 0; i < OFTEN; i++)
			emit_constants();
	} else {
		emit_constants();
		if (!strcmp(how, "fork"))
			pid = fork();
		if (!pid)
			emit_constants();
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	return trace2_cmd_exit(0);
}

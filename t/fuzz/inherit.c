/* SPDX-License-Identifier: MIT */
/* The values that a process inherits from its parent's environment. */
#include "session/inherit.h"

#include "fuzz.h"

#define SID "GIT_TRACE2_PARENT_SID="
#define NAME "GIT_TRACE2_PARENT_NAME="
#define MAX_BYTES 8192 /* far more than the limit of a value */

static void check_text(const char *s)
{
	size_t len = strlen(s);

	fuzz_check(len < MAX_BYTES, "%zu bytes", len);
	for (; *s; s++)
		fuzz_check((unsigned char)*s >= 0x20 && *s != 0x7f,
			   "a control character: %d", *s);
}

/* Check the shape of 20261121T072000.123456Z-H0a7c9cdf-P00000007. */
static void check_own(const char *own)
{
	static const char shape[] = "dddddddd.dddddd.ddddddZ-";
	size_t i;

	/* d is any digit; the two dots stand for a T and a point. */
	for (i = 0; shape[i]; i++)
		fuzz_check(shape[i] == 'd' ? own[i] >= '0' && own[i] <= '9' :
			   shape[i] == '.' ? own[i] == (i == 8 ? 'T' : '.') :
					     own[i] == shape[i],
			   "not an id: %s", own);
	fuzz_check(!strchr(own, '/') && strstr(own, "-P"), "not an id: %s",
		   own);
}

static void check_sid(const char *parent)
{
	const char *sid = tr2_inherit_sid(), *own = tr2_inherit_own_sid();
	unsigned int slashes = 0;
	const char *p;

	check_text(sid);
	check_own(own);
	for (p = sid; *p; p++)
		slashes += *p == '/';
	fuzz_check(slashes == tr2_inherit_depth(), "%u of %u", slashes,
		   tr2_inherit_depth());
	fuzz_check(own == sid || own[-1] == '/', "'%s' in '%s'", own, sid);
	fuzz_check(!parent || !*parent || own != sid || !strchr(parent, '/') ||
			   strlen(parent) > 3 || *parent == '/' ||
			   (unsigned char)*parent < 0x20 || *parent == 0x7f,
		   "the parent is left out: '%s'", parent);
}

/* The first byte says how often the text repeats: values may be long. */
static char *take_variable(struct fuzz_input *in, const char *name)
{
	unsigned int times = fuzz_byte(in);
	char *value = fuzz_string(in);
	struct tr2_buf b = TR2_BUF_INIT;
	char *text;

	tr2_buf_addstr(&b, name);
	do
		tr2_buf_addstr(&b, value);
	while (times--);
	text = strdup(tr2_buf_str(&b));
	tr2_buf_release(&b);
	free(value);
	return text;
}

/* Keep the variable until the next one: a destructor at the end of the process
 * may write to it as if it were still in the environment. */
static void keep_variable(char **kept, const char *value, const char *name)
{
	free(*kept);
	*kept = (char *)(uintptr_t)value - strlen(name);
}

void fuzz_inherit(struct fuzz_input *in)
{
	char *list[] = { take_variable(in, SID), take_variable(in, NAME),
			 NULL };
	uint64_t wall_us = fuzz_number(in) % (1ull << 52);
	unsigned int forks = fuzz_byte(in);
	char *name = fuzz_string(in);
	const char *hierarchy;
	static char *sid, *names;

	fuzz_environment(list);
	fuzz_check(tr2_inherit_start(wall_us), "no memory");
	fuzz_environment(NULL);
	check_sid(list[0] + strlen(SID));
	while (forks--) {
		tr2_inherit_after_fork();
		fuzz_check(tr2_inherit_start(wall_us), "no memory");
		check_sid(NULL);
		hierarchy = tr2_inherit_add_name(name, strlen(name));
		fuzz_check(strlen(hierarchy) < MAX_BYTES, "names are too long");
	}
	tr2_inherit_end();
	keep_variable(&sid, tr2_inherit_sid(), SID);
	keep_variable(&names, tr2_inherit_add_name("", 0), NAME);
	free(list[0]);
	free(list[1]);
	free(name);
}

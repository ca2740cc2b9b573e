/* SPDX-License-Identifier: MIT */
/*
 * Open regions: very many, with names of any length, and their lookup by name;
 * and the errors for misuse, which are limited in number.
 */
#include "tap.h"
#include "thread/emit.h"
#include "thread/region.h"

#define DEEP 20000u
#define PLACES 100

static struct tr2_region home[TR2_FIRST_REGIONS];
static struct tr2_regions regions;

static enum tr2_region_match find(const char *category, const char *label)
{
	size_t nr_inside = 0;

	return tr2_region_find(&regions, category, label, &nr_inside);
}

static const char *numbered(unsigned int i)
{
	static char name[2][16];

	snprintf(name[i % 2], sizeof(name[0]), "r%u", i);
	return name[i % 2];
}

static void test_deep(void)
{
	unsigned int i, wrong = 0;
	size_t nr_inside = 0;

	tr2_regions_init(&regions, home);
	for (i = 0; i < DEEP; i++)
		tr2_region_push(&regions, i + 1, "deep", numbered(i), (int)i);
	is_u64(regions.nr_open, DEEP, "all are counted");
	is_u64(regions.alloc, 16384, "so many are kept");
	ok(!tr2_region_top(&regions), "of the innermost nothing is known");
	is_u64(find("any", "name"), TR2_REGION_INNERMOST,
	       "any leave may be meant for it");
	while (regions.nr_open > 16384)
		tr2_region_pop(&regions);
	ok(tr2_region_find(&regions, "deep", "r0", &nr_inside) ==
			   TR2_REGION_OUTER && nr_inside == 16383,
	   "the outermost one is found behind all others");
	for (i = 16384; i--; tr2_region_pop(&regions))
		wrong += find("deep", numbered(i)) != TR2_REGION_INNERMOST ||
			 tr2_region_top(&regions)->start_ns != i + 1 ||
			 tr2_region_top(&regions)->repo_id != (int)i;
	is_u64(wrong, 0, "each comes back as it was entered");
	is_u64(find("deep", "r0"), TR2_REGION_NONE_OPEN, "then none is open");
	tr2_regions_release(&regions);
	ok(regions.at == home && regions.alloc == TR2_FIRST_REGIONS,
	   "the memory is given back");
	tr2_region_push(&regions, 1, "a", "b", 0);
	is_u64(find("deep", "r1"), TR2_REGION_UNKNOWN,
	       "nothing is left of those that ended");
	tr2_regions_release(&regions);
}

static void test_names(void)
{
	char name[8] = "name", same[] = "name";
	char longer[300], copy[300], other[300];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	memcpy(copy, longer, sizeof(copy));
	memcpy(other, longer, sizeof(other));
	other[0] = 'y';
	tr2_region_push(&regions, 1, NULL, name, 0);
	is_u64(find("", same), TR2_REGION_INNERMOST,
	       "names are compared, wherever they are");
	is_u64(find("x", same), TR2_REGION_UNKNOWN, "categories, too");
	memcpy(name, "other", sizeof("other"));
	is_u64(find(NULL, name), TR2_REGION_INNERMOST,
	       "or where they are, whatever that is now");
	is_u64(find(NULL, same), TR2_REGION_INNERMOST, "a copy is kept");
	tr2_region_push(&regions, 1, longer, longer, 0);
	is_u64(find(copy, copy), TR2_REGION_INNERMOST, "long names");
	is_u64(find(copy, other), TR2_REGION_UNKNOWN, "other long names");
	is_u64(find(copy, copy + 1), TR2_REGION_UNKNOWN, "shorter ones");
	is_u64(strlen(tr2_region_label(tr2_region_top(&regions))),
	       TR2_REGION_TEXT - 2 - TR2_REGION_CATEGORY, "as much as fits");
	tr2_regions_release(&regions);
}

static unsigned int count_lines(const char *path, const char *with)
{
	FILE *f = fopen(path, "r");
	unsigned int nr = 0;
	char line[4096];

	while (f && fgets(line, sizeof(line), f))
		nr += strstr(line, with) != NULL;
	if (f)
		fclose(f);
	return nr;
}

static void test_places(void)
{
	const struct trace2_options options = {
		.flags = TRACE2_NO_CONFIG_FILES
	};
	char path[] = "/tmp/trace2-unit-regions.XXXXXX";
	int fd = mkstemp(path), i;

	if (!ok(fd >= 0, "a file to write to"))
		return;
	close(fd);
	setenv("GIT_TRACE2_EVENT", path, 1);
	ok(trace2_is_enabled(), "a call that comes too early is seen");
	trace2_data_string("a", NULL, "b", "c");
	ok(!trace2_is_enabled(), "the next one costs nothing");
	trace2_initialize_with(&options);
	ok(trace2_is_enabled(), "from here on all are seen");
	for (i = 0; i < 3 * PLACES; i++)
		trace2_region_leave_fl("file.c", i % PLACES, "a", "b", NULL);
	is_u64(count_lines(path, "without region_enter"), 64,
	       "so many places are reported");
	is_u64(count_lines(path, "in more than 64 places"), 1,
	       "and once that there are more");
	unlink(path);
}

int main(void)
{
	test_deep();
	test_names();
	test_places();
	return done_testing();
}

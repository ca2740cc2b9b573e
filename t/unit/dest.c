/* SPDX-License-Identifier: MIT */
/* Creating files in a directory to which others may write: never through a
 * link, never into an existing file, and with at most ten tries. */
#include "target/dest.h"

#include "tap.h"

static char directory[] = "/tmp/trace2-unit-dest.XXXXXX";

static struct tr2_dest_request request = {
	.value = directory,
	.variable = { "UN", "IT" },
	.file_name = "name",
};

static bool writes_one_line(void)
{
	static struct tr2_dest dest;
	bool on = tr2_dest_open(&dest, &request);

	if (on)
		tr2_dest_write(&dest, "line\n", 5, 1, 0);
	tr2_dest_close(&dest);
	return on;
}

static off_t size_of(const char *name)
{
	struct stat st;

	return lstat(name, &st) ? -1 : st.st_size;
}

static void make(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd >= 0)
		close(fd);
}

static void test_links(void)
{
	ok(!symlink("elsewhere", "name"), "a link in the way");
	ok(writes_one_line(), "another name is taken");
	is_u64((uint64_t)size_of("name.1"), 5, "it has the line");
	ok(size_of("elsewhere") < 0, "the link is not followed");
	unlink("name");
	ok(!link("name.1", "name"), "another file by this name");
	unlink("name.1");
	ok(writes_one_line(), "another name is taken again");
	is_u64((uint64_t)size_of("name"), 5, "what was there is as it was");
}

static void test_collisions(void)
{
	char name[] = "name.1";
	int i;

	for (i = 1; i <= 8; i++) {
		name[5] = (char)('0' + i);
		make(name);
	}
	ok(writes_one_line(), "nine names are taken: the tenth is used");
	is_u64((uint64_t)size_of("name.9"), 5, "it has the line");
	ok(!writes_one_line(), "ten names are taken: the target stays off");
	is_u64((uint64_t)size_of("name"), 5, "and nothing is written");
}

static void test_sentinel(void)
{
	request.max_files = 3;
	ok(!symlink("elsewhere", "git-trace2-discard"),
	   "a link in the way of the sentinel");
	ok(!writes_one_line(), "the target stays off");
	ok(size_of("elsewhere") < 0, "the link is not followed");
}

int main(void)
{
	/* All names that are created there. */
	static const char *const names[] = { "git-trace2-discard", "name",
					     "name.1", "name.2", "name.3",
					     "name.4", "name.5", "name.6",
					     "name.7", "name.8", "name.9" };
	size_t i;

	if (!mkdtemp(directory) || chdir(directory))
		return 1;
	test_links();
	test_collisions();
	test_sentinel();
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(names[i]);
	if (rmdir(directory))
		return 1;
	return done_testing();
}

/* SPDX-License-Identifier: MIT */
/* How often a process reads its mappings for its samples. */
#include "arena/arena.h"
#include "base/clock.h"
#include "ring/task.h"
#include "tap.h"
#include "trace2.h"

#define FREE_LOOKS 16
#define TIMES_AS_LONG 50
#define PACED_LOOKS 4

/* Counts the library's calls of open() and close(). */
static struct {
	unsigned int nr;
	int fd;
	uint64_t opened_ns, closed_ns;
} looks = { .fd = -1 };

int open(const char *path, int flags, ...)
{
	mode_t mode;
	va_list ap;
	int fd;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	if (!strcmp(path, "/proc/self/maps")) {
		looks.nr++;
		looks.fd = fd;
		looks.opened_ns = tr2_clock_now_ns();
	}
	return fd;
}

int close(int fd)
{
	if (fd >= 0 && fd == looks.fd) {
		looks.closed_ns = tr2_clock_now_ns();
		looks.fd = -1;
	}
	return (int)syscall(SYS_close, fd);
}

/* Take a sample in unknown code, as in a program that generates code all the
 * time. */
static bool sample_looks(void)
{
	const struct tr2_task task = { 1, 1, 1, 1 };
	static uint64_t address = 4096;
	unsigned int before = looks.nr;

	tr2_task_mmaps_of(&task, &address, 1, tr2_clock_now_ns());
	return looks.nr != before;
}

static void test_pace(void)
{
	unsigned int i, nr_free = 0, nr_early = 0;
	uint64_t may_ns;

	for (i = 0; i < FREE_LOOKS; i++)
		nr_free += sample_looks();
	is_u64(nr_free, FREE_LOOKS, "the first samples look at once");
	/* The pause before each is a multiple of the time that the previous one
	 * took. */
	for (i = 0; i < PACED_LOOKS; i++) {
		may_ns = looks.opened_ns +
			 TIMES_AS_LONG * (looks.closed_ns - looks.opened_ns);
		while (!sample_looks())
			;
		nr_early += looks.opened_ns < may_ns;
	}
	is_u64(nr_early, 0, "then it takes at most a fiftieth of the time");
}

static void remove_dir(const char *path)
{
	const struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

int main(void)
{
	char rings[] = "/tmp/trace2-maps.XXXXXX";

	if (mkdtemp(rings))
		setenv("GIT_TRACE2_RING", rings, 1);
	trace2_initialize();
	ok(tr2_arena_header(), "there is a ring");
	test_pace();
	remove_dir(rings);
	return done_testing();
}

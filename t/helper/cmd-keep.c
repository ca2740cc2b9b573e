/* SPDX-License-Identifier: MIT */
/*
 * `test-tool keep DIR PREFIX COMMAND [ARGUMENT...]`: create a second link in
 * DIR for the streams and rings that are among the arguments, or below them,
 * then become COMMAND. The harness uses it as `rm`: files that a test removes
 * are checked when the script ends (t/lib-kept.sh).
 *
 * Nothing here is an error: a file that cannot be read or linked is not kept.
 */
#include "test-tool.h"

#include <ftw.h>

#include "arena/layout.h"

/* Arguments of the command; static, because nftw() passes no pointer to its
 * function. */
static const char *directory, *prefix;
static dev_t device;

static bool begins_with(const char *s, const char *start)
{
	return !strncmp(s, start, strlen(start));
}

/* Return whether the file begins like a ring, an event stream or a perf stream
 * of the library. A stream's first line may be empty. Streams from a scrubber
 * have no time, and streams from t/lib-stream.sh have the file a.c. */
static bool is_ours(const char *path)
{
	char text[1024] = "";
	const char *line;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (len < 0)
		return false;
	line = text + strspn(text, "\n");
	text[line - text + (long)strcspn(line, "\n")] = '\0';
	return begins_with(text, TR2_ARENA_MAGIC) ||
	       strstr(line, " | version      | ") ||
	       (begins_with(line, "{\"event\":\"version\",") &&
		strstr(line, ",\"time\":\"2") &&
		!strstr(line, ",\"file\":\"a.c\""));
}

/* Use the path below the trash directory, since several files may have one
 * name. */
static void set_name(char *name, size_t size, const char *path)
{
	const char *trash = getenv("TRASH_DIRECTORY");
	char cwd[2048], *p;

	if (*path == '/' || !getcwd(cwd, sizeof(cwd)))
		snprintf(name, size, "%s", path);
	else
		snprintf(name, size, "%s/%s", cwd,
			 begins_with(path, "./") ? path + 2 : path);
	if (trash && begins_with(name, trash))
		memmove(name, name + strlen(trash) + 1,
			strlen(name + strlen(trash)));
	for (p = name; *p; p++)
		if (*p == '/')
			*p = '+';
}

/* Link the file as DIR/PREFIX.PATH, or as DIR/PREFIX-N.PATH if that name
 * exists. */
static void keep(const char *path)
{
	char name[4096], target[4608], nth[16] = "";
	int nr = 0;

	set_name(name, sizeof(name), path);
	do {
		snprintf(target, sizeof(target), "%s/%s%s.%.200s", directory,
			 prefix, nth, name);
		snprintf(nth, sizeof(nth), "-%d", ++nr);
	} while (link(path, target) && errno == EEXIST);
}

static int on_file(const char *path, const struct stat *st, int type,
		   struct FTW *ftw)
{
	if (type == FTW_F && S_ISREG(st->st_mode) && st->st_size &&
	    st->st_dev == device && is_ours(path))
		keep(path);
	return 0;
}

/* Return whether rm would remove a tree of this name without a question. rm
 * refuses "." and "..". With a slash at the end, the name of a symbolic link
 * would mean its target. */
static bool is_plain_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	return *base && strcmp(base, ".") && strcmp(base, "..");
}

/* Options of rm: -f allows missing files, -r allows directories. */
enum { FORCE = 1, RECURSIVE = 2 };

/* Return the flags of -f, -r or both together; 0 for any other option. */
static int rm_option(const char *arg)
{
	int flags = 0;

	for (arg++; *arg; arg++) {
		if (!strchr("fr", *arg))
			return 0;
		flags |= *arg == 'f' ? FORCE : RECURSIVE;
	}
	return flags;
}

/* Return whether remove_all() can do the work of rm: it removes files, with -r
 * directories, and with -f it ignores missing files. */
static bool are_removable(int nr, const char **arg)
{
	int flags = 0, option, i;
	struct stat st;

	for (i = 0; i < nr; i++) {
		if (arg[i][0] == '-') {
			option = rm_option(arg[i]);
			if (!option)
				return false;
			flags |= option;
		} else if (lstat(arg[i], &st)) {
			if (!(flags & FORCE) || errno != ENOENT)
				return false;
		} else if (!is_plain_name(arg[i]) ||
			   (!S_ISREG(st.st_mode) && !(flags & RECURSIVE))) {
			return false;
		}
	}
	return nr > 0;
}

static int on_removal(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	return remove(path);
}

/* Remove all files without starting rm. Return false if a file cannot be
 * removed: rm then tries again, and tells the reason. */
static bool remove_all(int nr, const char **arg)
{
	int i;

	for (i = 0; i < nr; i++)
		if (arg[i][0] != '-' && unlink(arg[i]) && errno != ENOENT &&
		    nftw(arg[i], on_removal, 16,
			 FTW_DEPTH | FTW_PHYS | FTW_MOUNT))
			return false;
	return true;
}

int tr2_cmd_keep(int argc, const char **argv)
{
	struct stat st;
	int i;

	if (argc < 4) {
		tool_error("usage: test-tool keep DIR PREFIX COMMAND ...");
		return TOOL_CODE_USAGE;
	}
	directory = argv[1];
	prefix = argv[2];
	if (!stat(directory, &st)) {
		device = st.st_dev;
		for (i = 4; i < argc; i++)
			if (argv[i][0] != '-')
				nftw(argv[i], on_file, 16,
				     FTW_PHYS | FTW_MOUNT);
	}
	if (!strcmp(argv[3], "rm") && are_removable(argc - 4, argv + 4) &&
	    remove_all(argc - 4, argv + 4))
		return 0;
	execvp(argv[3], (char *const *)argv + 3);
	return 127;
}

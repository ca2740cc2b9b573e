/* SPDX-License-Identifier: MIT */
/* Opening a destination: from the text of a setting to a descriptor. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"
#include "target/dest.h"

#define SENTINEL "git-trace2-discard"
#define MAX_COLLISIONS 9

/* Above what a host or a shell is likely to pick, close or hand over. */
#define PREFERRED_FD 100
#define FIRST_SAFE_FD 3

static void warn(const char *before, const struct tr2_dest_request *request,
		 const char *between, const char *after)
{
	struct tr2_buf b = TR2_BUF_INIT;
	ssize_t ignored;

	tr2_buf_addstr(&b, "warning: trace2: ");
	tr2_buf_addstr(&b, before);
	tr2_buf_addch(&b, '\'');
	tr2_text_add(&b, request->variable, strlen(request->variable));
	tr2_buf_addstr(&b, between);
	tr2_text_add(&b, request->value, strlen(request->value));
	tr2_buf_addch(&b, '\'');
	tr2_buf_addstr(&b, after);
	tr2_buf_addch(&b, '\n');
	if (!b.failed) {
		ignored = write(STDERR_FILENO, b.p, b.len);
		(void)ignored;
	}
	tr2_buf_release(&b);
}

static bool refuse(const struct tr2_dest_request *request, const char *reason)
{
	struct tr2_buf after = TR2_BUF_INIT;

	if (request->debug) {
		tr2_buf_addstr(&after, ": ");
		tr2_buf_addstr(&after, reason);
		warn("cannot use ", request, "': '", tr2_buf_str(&after));
		tr2_buf_release(&after);
	}
	return false;
}

static bool refuse_errno(const struct tr2_dest_request *request, int error)
{
	char text[128];

	return refuse(request, tr2_error_text(error, text, sizeof(text)));
}

/*
 * A descriptor away from 0, 1 and 2, so that a host that runs without them
 * does not print into its trace, and from those it is likely to use next.
 */
static int move_up(int fd)
{
	int moved;

	if (fd < 0)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, PREFERRED_FD);
	if (moved < 0)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_SAFE_FD);
	if (moved < 0)
		return fd;
	close(fd);
	return moved;
}

static bool may_raise_sigxfsz(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) &&
	       limit.rlim_cur != RLIM_INFINITY;
}

/* Looks at what the descriptor is, and puts it to use. */
static bool use(struct tr2_dest *dest, int fd, bool ours)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(fd, &st)) {
		if (flags >= 0)
			errno = EBADF;
		return false;
	}
	dest->kind = S_ISFIFO(st.st_mode)  ? TR2_DEST_PIPE :
		     S_ISSOCK(st.st_mode) ? TR2_DEST_SOCKET :
					    TR2_DEST_FILE;
	dest->ours = ours;
	dest->size_limited = S_ISREG(st.st_mode) && may_raise_sigxfsz();
	dest->blocking = !(flags & O_NONBLOCK);
	dest->cut = false;
	dest->lock = unlocked;
	dest->device = st.st_dev;
	dest->inode = st.st_ino;
	dest->fd = fd;
	atomic_store_explicit(&dest->on, true, memory_order_relaxed);
	return true;
}

static bool use_or_close(struct tr2_dest *dest,
			 const struct tr2_dest_request *request, int fd)
{
	int error;

	if (fd >= 0 && use(dest, fd, true))
		return true;
	error = errno;
	if (fd >= 0)
		close(fd);
	return refuse_errno(request, error);
}

/* O_NONBLOCK: a fifo that nobody reads answers ENXIO instead of hanging. */
#define OPEN_FLAGS \
	(O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

static bool open_file(struct tr2_dest *dest,
		      const struct tr2_dest_request *request)
{
	return use_or_close(dest, request,
			    move_up(open(request->value, OPEN_FLAGS, 0666)));
}

/* 1: there are too many files, or the sentinel already says so. */
static bool is_full(int directory, unsigned int max_files)
{
	unsigned int nr = 0;
	struct dirent *entry;
	struct stat st;
	DIR *dir;
	int fd;

	if (!max_files)
		return false;
	if (!fstatat(directory, SENTINEL, &st, AT_SYMLINK_NOFOLLOW))
		return true;
	fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (nr < max_files && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			nr++;
	closedir(dir);
	return nr >= max_files;
}

static int create(int directory, const char *name)
{
	return openat(directory, name, OPEN_FLAGS | O_EXCL | O_NOFOLLOW, 0666);
}

static int create_unique(int directory, const char *name)
{
	struct tr2_buf with_number = TR2_BUF_INIT;
	int fd = create(directory, name), i;

	for (i = 1; fd < 0 && errno == EEXIST && i <= MAX_COLLISIONS; i++) {
		tr2_buf_reset(&with_number);
		tr2_buf_addstr(&with_number, name);
		tr2_buf_addch(&with_number, '.');
		tr2_buf_add_u64(&with_number, (uint64_t)i);
		fd = create(directory, tr2_buf_str(&with_number));
	}
	tr2_buf_release(&with_number);
	return fd;
}

static bool open_in_directory(struct tr2_dest *dest,
			      const struct tr2_dest_request *request,
			      int directory)
{
	int fd;

	if (!is_full(directory, request->max_files))
		return use_or_close(dest, request,
				    move_up(create_unique(directory,
							  request->file_name)));
	fd = create(directory, SENTINEL);
	if (fd < 0)
		return refuse(request, "the directory has too many files");
	dest->sentinel = true;
	return use_or_close(dest, request, move_up(fd));
}

static bool open_path(struct tr2_dest *dest,
		      const struct tr2_dest_request *request)
{
	/* O_PATH: one may write in a directory that one may not read. */
	int directory = open(request->value, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool on;

	if (directory < 0)
		return open_file(dest, request);
	on = open_in_directory(dest, request, directory);
	close(directory);
	return on;
}

static int connect_to(const struct sockaddr_un *address, int type)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error;

	if (fd < 0)
		return -1;
	if (!connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static bool open_socket(struct tr2_dest *dest,
			const struct tr2_dest_request *request, const char *rest)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	bool stream = true, dgram = true;
	int fd = -1;

	if (!strncmp(rest, "stream:", 7)) {
		dgram = false;
		rest += 7;
	} else if (!strncmp(rest, "dgram:", 6)) {
		stream = false;
		rest += 6;
	}
	if (*rest != '/') {
		warn("invalid AF_UNIX value for ", request, "': '",
		     " (want af_unix:[stream:|dgram:]/absolute/path)");
		return false;
	}
	if (strlen(rest) >= sizeof(address.sun_path))
		return refuse_errno(request, ENAMETOOLONG);
	strncpy(address.sun_path, rest, sizeof(address.sun_path) - 1);
	errno = EPROTOTYPE;
	if (stream)
		fd = connect_to(&address, SOCK_STREAM);
	if (fd < 0 && dgram && errno == EPROTOTYPE)
		fd = connect_to(&address, SOCK_DGRAM);
	return use_or_close(dest, request, move_up(fd));
}

static bool is_off(const char *value)
{
	return !*value || !strcmp(value, "0") || !strcasecmp(value, "false");
}

/* "1", "true" and "2" to "9"; -1: no descriptor. */
static int descriptor_of(const char *value)
{
	if (!strcmp(value, "1") || !strcasecmp(value, "true"))
		return STDERR_FILENO;
	if (value[0] >= '2' && value[0] <= '9' && !value[1])
		return value[0] - '0';
	return -1;
}

bool tr2_dest_open(struct tr2_dest *dest,
		   const struct tr2_dest_request *request)
{
	const char *value = request->value;
	int fd;

	atomic_store_explicit(&dest->on, false, memory_order_relaxed);
	dest->fd = -1;
	atomic_store_explicit(&dest->lost, 0, memory_order_relaxed);
	dest->sentinel = false;
	dest->told_as = request->debug ? value : NULL;
	if (!value || is_off(value))
		return false;
	fd = descriptor_of(value);
	if (fd >= 0)
		return use(dest, fd, false) || refuse_errno(request, errno);
	if (value[0] == '/')
		return open_path(dest, request);
	if (!strncmp(value, "af_unix:", 8))
		return open_socket(dest, request, value + 8);
	warn("unknown value for ", request, "': '", "");
	return false;
}

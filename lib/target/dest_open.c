/* SPDX-License-Identifier: MIT */
/* Open a destination: from the text of a setting to a descriptor. */
#include <dirent.h>
#include <strings.h>
#include <sys/un.h>
#include <termios.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/macros.h"
#include "base/mask.h"
#include "base/put.h"
#include "base/raw.h"
#include "base/text.h"
#include "target/dest.h"

#define SENTINEL "git-trace2-discard"
#define MAX_COLLISIONS 9
#define MOST_LINKS 8
#define LONGEST_LINK 255

static void warn_of_setting(const char *before,
			    const struct tr2_dest_request *request,
			    const char *between, const char *after)
{
	struct tr2_buf b = TR2_BUF_INIT;
	size_t i;

	if (request->in_forked_child)
		return;
	tr2_buf_addstr(&b, "warning: trace2: ");
	tr2_buf_addstr(&b, before);
	tr2_buf_addch(&b, '\'');
	for (i = 0; i < ARRAY_SIZE(request->variable); i++)
		tr2_text_add(&b, request->variable[i],
			     strlen(request->variable[i]));
	tr2_buf_addstr(&b, between);
	tr2_text_add(&b, request->value, strlen(request->value));
	tr2_buf_addch(&b, '\'');
	tr2_buf_addstr(&b, after);
	tr2_buf_addch(&b, '\n');
	if (!b.failed)
		tr2_dest_warn(b.p, b.len);
	tr2_buf_release(&b);
}

static bool refuse_dest(const struct tr2_dest_request *request,
			const char *reason)
{
	struct tr2_buf after = TR2_BUF_INIT;

	if (request->debug) {
		tr2_buf_addstr(&after, ": ");
		tr2_buf_addstr(&after, reason);
		warn_of_setting("cannot use ", request, "': '",
				tr2_buf_str(&after));
		tr2_buf_release(&after);
	}
	return false;
}

static bool refuse_errno(const struct tr2_dest_request *request, int error)
{
	char text[128];

	return refuse_dest(request, tr2_error_text(error, text, sizeof(text)));
}

/*
 * Return whether the file ends in a piece of a line. If the file grows between
 * two looks, another process is appending a line that crosses a page: look
 * again. In most file systems a search for a hole waits until no write is in
 * progress. So it waits for a process that was preempted during a write.
 */
static bool ends_in_a_piece(int fd, off_t size)
{
	struct stat st = { .st_size = size };
	char last;

	do {
		size = st.st_size;
		if (tr2_sys_pread(fd, &last, 1, (uint64_t)size - 1) != 1 ||
		    last == '\n')
			return false;
		tr2_raw_call(SYS_lseek, fd, size - 1, SEEK_HOLE, 0, 0, 0);
		tr2_let_others_run();
	} while (!fstat(fd, &st) && st.st_size != size);
	return true;
}

/*
 * Return whether a newline must come first, because a process that was killed
 * during a write left an incomplete line. If the file cannot be read, judge by
 * its size: the kernel stops a write at the end of a page.
 */
static bool lacks_newline(const char *path, const struct stat *st)
{
	off_t size = st->st_size;
	int readable;
	bool lacks;

	if (!S_ISREG(st->st_mode) || !size)
		return false;
	readable = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (readable < 0)
		return !(size % sysconf(_SC_PAGESIZE));
	lacks = ends_in_a_piece(readable, size);
	close(readable);
	return lacks;
}

static bool use_or_close(struct tr2_dest *dest,
			 const struct tr2_dest_request *request, int fd)
{
	enum tr2_dest_owner owner = request->prepare ? TR2_DEST_MAPPED :
						       TR2_DEST_OURS;
	struct stat st;
	int error;

	if (fd >= 0 && tr2_dest_attach_fd(dest, fd, owner, &st)) {
		dest->cut = !request->prepare &&
			    lacks_newline(request->value, &st);
		return true;
	}
	error = errno;
	if (fd >= 0)
		close(fd);
	return refuse_errno(request, error);
}

#define TERMINAL_FLAGS (O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

#define OWN_DESCRIPTORS "/proc/self/fd/"

/* Open a terminal again. If it belongs to another user, open /dev/tty: a
 * process can open the terminal that controls it. */
static int open_terminal(int fd)
{
	char path[sizeof(OWN_DESCRIPTORS) + 20] = OWN_DESCRIPTORS;
	int own;

	*tr2_put_u64(path + strlen(path), (uint64_t)fd) = '\0';
	own = open(path, TERMINAL_FLAGS);
	if (own < 0 && tcgetsid(fd) >= 0)
		own = open("/dev/tty", TERMINAL_FLAGS);
	return tr2_fd_move_up(own);
}

/*
 * Use a descriptor of the host. Open a terminal again: the library's own file
 * description can be non-blocking, and the host's stays unchanged. Do not open
 * a pipe again: its reader would see the end of the stream only when the
 * process ends. false: errno.
 */
static bool use_descriptor(struct tr2_dest *dest, int fd)
{
	struct stat st;
	int own, error;

	if (!isatty(fd))
		return tr2_dest_attach_fd(dest, fd, TR2_DEST_HOSTS, &st);
	own = open_terminal(fd);
	if (own < 0 || tr2_dest_attach_fd(dest, own, TR2_DEST_OURS, &st))
		return own >= 0;
	error = errno;
	close(own);
	errno = error;
	return false;
}

static bool open_descriptor(struct tr2_dest *dest,
			    const struct tr2_dest_request *request, int fd)
{
	int error;

	if (use_descriptor(dest, fd))
		return true;
	error = errno;
	if (isatty(fd))
		return refuse_dest(request,
				   "the terminal cannot be opened again, "
				   "as if it were another user's: name a "
				   "file or a pipe");
	return refuse_errno(request, error);
}

/* O_NONBLOCK: opening a fifo without a reader fails with ENXIO instead of
 * hanging. */
#define OPEN_FLAGS \
	(O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

#define MAPPED_FLAGS \
	(O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY)

/* Open a file, and move its descriptor up. With O_EXCL, leave no file if there
 * is no descriptor for it. */
static int open_at(int directory, const char *name, int flags, mode_t mode)
{
	int opened = openat(directory, name, flags, mode);
	int fd = tr2_fd_move_up(opened), error = errno;

	if (fd < 0 && opened >= 0 && flags & O_EXCL)
		unlinkat(directory, name, 0);
	errno = error;
	return fd;
}

/* Create a new file to be mapped. */
static int create_mapped(const struct tr2_dest_request *request, int directory,
			 const char *name)
{
	int fd = open_at(directory, name, MAPPED_FLAGS, 0600), error;

	if (fd < 0 || request->prepare(fd))
		return fd;
	error = errno;
	unlinkat(directory, name, 0);
	close(fd);
	errno = error;
	return -1;
}

/*
 * Create the file VALUE.FILE_NAME, beside the file that the setting names. A
 * ring's file belongs to one process: a forked child finds its parent's file,
 * and creates its own beside it; any other process gets an error.
 */
static int create_mapped_beside(const struct tr2_dest_request *request)
{
	struct tr2_buf name = TR2_BUF_INIT;
	int fd;

	tr2_buf_addstr(&name, request->value);
	tr2_buf_addch(&name, '.');
	tr2_buf_addstr(&name, request->file_name);
	fd = create_mapped(request, AT_FDCWD, tr2_buf_str(&name));
	tr2_buf_release(&name);
	return fd;
}

static bool use_file(struct tr2_dest *dest,
		     const struct tr2_dest_request *request, int fd)
{
	if (fd < 0 && errno == EEXIST)
		return refuse_dest(request,
				   "the file exists, and one is of one "
				   "process: name a directory");
	return use_or_close(dest, request, fd);
}

/* Return whether the directory is full: it has too many files, or the sentinel
 * exists already. */
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

static int create_file(const struct tr2_dest_request *request, int directory,
		       const char *name)
{
	if (request->prepare)
		return create_mapped(request, directory, name);
	return open_at(directory, name,
		       OPEN_FLAGS | O_NOFOLLOW |
			       (request->goes_on ? 0 : O_EXCL),
		       0666);
}

static int create_unique(const struct tr2_dest_request *request, int directory,
			 int *number)
{
	const char *name = request->file_name;
	struct tr2_buf with_number = TR2_BUF_INIT;
	int fd = create_file(request, directory, name), i;

	for (i = 1; fd < 0 && errno == EEXIST && i <= MAX_COLLISIONS; i++) {
		tr2_buf_reset(&with_number);
		tr2_buf_addstr(&with_number, name);
		tr2_buf_addch(&with_number, '.');
		tr2_buf_add_u64(&with_number, (uint64_t)i);
		fd = create_file(request, directory, tr2_buf_str(&with_number));
	}
	tr2_buf_release(&with_number);
	*number = i - 1;
	return fd;
}

static bool open_in_directory(struct tr2_dest *dest,
			      const struct tr2_dest_request *request,
			      int directory)
{
	int fd, number;

	if (request->goes_on || !is_full(directory, request->max_files)) {
		fd = create_unique(request, directory, &number);
		dest->place = (struct tr2_dest_place){
			request->value, request->file_name, number
		};
		return use_or_close(dest, request, fd);
	}
	fd = request->prepare ? -1 : create_file(request, directory, SENTINEL);
	if (fd < 0)
		return refuse_dest(request, "the directory has too many files");
	dest->sentinel = true;
	return use_or_close(dest, request, fd);
}

/* Open the value as a file. Depending on `flags`, a directory fails with EISDIR
 * or EEXIST, and a link with ELOOP. */
static int open_file(const struct tr2_dest_request *request, int flags)
{
	if (request->prepare)
		return create_mapped(request, AT_FDCWD, request->value);
	return tr2_fd_move_up(open(request->value, OPEN_FLAGS | flags, 0666));
}

static bool is_own_descriptors(int directory, const char *name)
{
	struct stat st, own;

	return !fstat(directory, &st) && !stat(name, &own) &&
	       st.st_dev == own.st_dev && st.st_ino == own.st_ino;
}

/* If `directory` is /proc/self/fd, return the number in `name`; -1: it is
 * another directory, or `name` is no number. */
static int number_of(int directory, const char *name)
{
	int fd = 0;

	if (!is_own_descriptors(directory, OWN_DESCRIPTORS) &&
	    !is_own_descriptors(directory, "/proc/thread-self/fd"))
		return -1;
	for (; *name >= '0' && *name <= '9' && fd < 1000000; name++)
		fd = fd * 10 + *name - '0';
	return *name ? -1 : fd;
}

/* Go from the directory `at`, which is closed, to the directory of a path.
 * Return its descriptor, or -1. */
static int enter_directory_of(int at, char *path, const char **name)
{
	char *slash = strrchr(path, '/');
	int to;

	*name = slash ? slash + 1 : path;
	if (!slash)
		return at;
	slash[slash == path] = '\0';
	to = openat(at, slash == path ? "/" : path,
		    O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (at >= 0)
		close(at);
	return to;
}

/*
 * Return the descriptor of this process to which a link leads (/dev/stderr,
 * /dev/fd/3, or a link to one of these); -1: the link leads elsewhere. Opening
 * the link as a file would give a second position in the file: the host's lines
 * and the library's would overwrite each other.
 */
static int descriptor_behind(const char *link)
{
	char path[LONGEST_LINK + 1];
	size_t len = strlen(link);
	const char *name;
	int at = AT_FDCWD, fd = -1, i;
	ssize_t n;

	if (len > LONGEST_LINK)
		return -1;
	memcpy(path, link, len + 1);
	for (i = 0; i < MOST_LINKS && fd < 0; i++) {
		/* In path, `name` lies after the bytes that readlinkat()
		 * overwrites. */
		at = enter_directory_of(at, path, &name);
		if (at == -1)
			return -1;
		fd = number_of(at, name);
		if (fd >= 0)
			break;
		n = readlinkat(at, name, path, LONGEST_LINK);
		if (n <= 0 || n == LONGEST_LINK)
			break;
		path[n] = '\0';
	}
	if (at >= 0)
		close(at);
	return fd;
}

static bool accepts_lines(int fd)
{
	int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
	struct stat st;

	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
	       !fstat(fd, &st) && !S_ISDIR(st.st_mode);
}

static bool open_path(struct tr2_dest *dest,
		      const struct tr2_dest_request *request)
{
	bool beside = request->prepare && request->in_forked_child, on;
	bool no_file = beside || request->was_directory;
	int fd = no_file ? -1 : open_file(request, O_NOFOLLOW), directory;
	int error = errno, own;

	if (fd < 0 && !no_file && error == ELOOP) {
		own = descriptor_behind(request->value);
		if (accepts_lines(own))
			return open_descriptor(dest, request, own);
		fd = open_file(request, 0);
		error = errno;
	}
	if (fd >= 0) {
		dest->place.path = request->value;
		return use_file(dest, request, fd);
	}
	/* Use O_PATH: the directory may be writable without being readable. */
	directory = open(request->value, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0) {
		if (!request->was_directory)
			errno = error;
		fd = beside ? create_mapped_beside(request) : -1;
		return use_file(dest, request, fd);
	}
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
			const struct tr2_dest_request *request,
			const char *rest)
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
		warn_of_setting(
			"invalid AF_UNIX value for ", request, "': '",
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
	return use_or_close(dest, request, tr2_fd_move_up(fd));
}

bool tr2_dest_is_off_value(const char *value)
{
	return !value || !*value || !strcmp(value, "0") ||
	       !strcasecmp(value, "false");
}

/* Parse a descriptor: "1", "true", or "2" to "9"; -1: the value is no
 * descriptor. */
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
	dest->place = (struct tr2_dest_place){ NULL, NULL, 0 };
	dest->warn_name = request->debug ? value : NULL;
	if (tr2_dest_is_off_value(value))
		return false;
	if (value[0] == '/' && tr2_fd_are_shared()) {
		errno = EBADF; /* fail before a file is created */
		return false;
	}
	if (value[0] == '/')
		return open_path(dest, request);
	if (request->prepare) {
		warn_of_setting("unknown value for ", request, "': '",
				" (want the absolute path of a directory or a "
				"new file)");
		return false;
	}
	fd = descriptor_of(value);
	if (fd >= 0)
		return open_descriptor(dest, request, fd);
	if (!strncmp(value, "af_unix:", 8))
		return open_socket(dest, request, value + 8);
	warn_of_setting("unknown value for ", request, "': '", "");
	return false;
}

void tr2_dest_warn(const char *line, size_t len)
{
	struct tr2_dest terminal = { .fd = -1 };
	int saved_errno = errno;
	struct tr2_mask before;

	/* Block signals: a handler that jumps out would leak a descriptor. */
	tr2_mask_begin(&before);
	if (use_descriptor(&terminal, STDERR_FILENO)) {
		terminal.hurried = true;
		tr2_dest_write(&terminal, line, len, 0, 0);
		tr2_dest_close(&terminal);
	}
	tr2_mask_end(&before);
	errno = saved_errno;
}

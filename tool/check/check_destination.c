/* SPDX-License-Identifier: MIT */
/* check_destination - check whether a target's destination works. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "check/check.h"
#include "format/read.h"

bool tr2_check_say(struct tr2_buf *out, bool ok, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tr2_buf_vaddf(out, fmt, ap);
	va_end(ap);
	return ok;
}

static bool check_directory(const char *path, struct tr2_buf *out)
{
	char sentinel[4200];
	struct dirent *entry;
	DIR *dir = opendir(path);
	unsigned int nr = 0;

	if (!dir)
		return tr2_check_say(out, false,
				     "a directory that cannot be opened: %s",
				     strerror(errno));
	while ((entry = readdir(dir)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	if (access(path, W_OK | X_OK))
		return tr2_check_say(out, false,
				     "a directory that cannot be written to: "
				     "%s", strerror(errno));
	snprintf(sentinel, sizeof(sentinel), "%s/" TR2_DISCARD, path);
	if (!access(sentinel, F_OK))
		return tr2_check_say(out, false,
			   "a directory with too many files: nothing is "
			   "written until '%s' is removed", sentinel);
	return tr2_check_say(out, true,
			     "a directory with %u file%s, a new one for each "
			     "process", nr, nr == 1 ? "" : "s");
}

static bool check_new_file(const char *path, struct tr2_buf *out)
{
	char parent[4096], *slash;

	snprintf(parent, sizeof(parent), "%s", path);
	slash = strrchr(parent, '/');
	if (slash == parent)
		slash++;
	*slash = '\0';
	if (access(parent, W_OK | X_OK))
		return tr2_check_say(out, false,
				     "a file that cannot be made in '%s': %s",
				     parent, strerror(errno));
	return tr2_check_say(out, true, "a file that does not exist yet");
}

static bool check_path(const char *path, bool is_ring, struct tr2_buf *out)
{
	struct stat st;

	if (stat(path, &st))
		return check_new_file(path, out);
	if (S_ISDIR(st.st_mode))
		return check_directory(path, out);
	if (is_ring)
		return tr2_check_say(out, false, "a file that exists, but each "
						 "ring needs a new file: use a "
						 "directory");
	if (access(path, W_OK))
		return tr2_check_say(out, false,
				     "a file that cannot be written to: %s",
				     strerror(errno));
	return tr2_check_say(out, true, "a file, appended to");
}

/* Return a connected, non-blocking socket; -1 with errno. */
static int connect_to(const char *path, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, error;

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

int tr2_check_open_socket(const char *value, const char **kind)
{
	const char *path = value + strlen("af_unix:");
	int fd;

	*kind = "stream";
	if (!strncmp(path, "stream:", 7))
		return connect_to(path + 7, SOCK_STREAM);
	*kind = "datagram";
	if (!strncmp(path, "dgram:", 6))
		return connect_to(path + 6, SOCK_DGRAM);
	*kind = "stream";
	fd = connect_to(path, SOCK_STREAM);
	if (fd >= 0 || errno != EPROTOTYPE)
		return fd;
	*kind = "datagram";
	return connect_to(path, SOCK_DGRAM);
}

static bool check_socket(const char *value, struct tr2_buf *out)
{
	struct pollfd poll_fd = { .events = POLLOUT };
	const char *kind;
	int n;

	poll_fd.fd = tr2_check_open_socket(value, &kind);
	if (poll_fd.fd < 0 && errno == EAGAIN)
		return tr2_check_say(out, false,
				     "a %s socket whose reader does not take "
				     "new connections", kind);
	if (poll_fd.fd < 0)
		return tr2_check_say(out, false, "a socket without a listener: "
						 "%s",
			   strerror(errno));
	n = poll(&poll_fd, 1, 200);
	close(poll_fd.fd);
	if (n <= 0)
		return tr2_check_say(out, false, "a %s socket whose reader "
						 "does not read", kind);
	return tr2_check_say(out, true, "a %s socket whose reader reads", kind);
}

bool tr2_check_destination(const char *value, bool is_ring, struct tr2_buf *out)
{
	if (!strcmp(value, "0") || !strcasecmp(value, "false"))
		return tr2_check_say(out, true, "off");
	if (*value == '/')
		return check_path(value, is_ring, out);
	if (is_ring)
		return tr2_check_say(out, false,
				     "unknown destination of a ring: use the "
				     "absolute path of a directory or a new "
				     "file");
	if (!strcmp(value, "1") || !strcasecmp(value, "true"))
		return tr2_check_say(out, true, "standard error");
	if (value[0] >= '2' && value[0] <= '9' && !value[1]) {
		if (fcntl(value[0] - '0', F_GETFL) >= 0)
			return tr2_check_say(out, true,
					     "descriptor %s, open", value);
		return tr2_check_say(out, false,
				     "descriptor %s, which is not open here",
				     value);
	}
	if (!strncmp(value, "af_unix:", 8))
		return check_socket(value, out);
	return tr2_check_say(out, false, "unknown destination: use 0, 1, 2 to "
					 "9, an absolute path or af_unix:PATH");
}

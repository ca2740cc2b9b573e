/* SPDX-License-Identifier: MIT */
/* Create and remove Unix sockets. */
#include "record/streams/listen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/procfs.h"
#include "common/say.h"

#define BACKLOG 4096

static bool skip_prefix(const char **p, const char *prefix)
{
	size_t n = strlen(prefix);

	if (strncmp(*p, prefix, n))
		return false;
	*p += n;
	return true;
}

/* -1: errno. */
static int parse_address(struct tr2_listener *s, const char *address)
{
	char *cwd = NULL;
	int ret;

	if (skip_prefix(&address, "af_unix:")) {
		s->dgram = skip_prefix(&address, "dgram:");
		if (!s->dgram)
			skip_prefix(&address, "stream:");
	}
	if (!*address) {
		errno = EINVAL;
		return -1;
	}
	if (*address != '/') {
		cwd = getcwd(NULL, 0);
		if (!cwd)
			return -1;
	}
	ret = asprintf(&s->path, "%s%s%s", cwd ? cwd : "", cwd ? "/" : "",
		       address);
	free(cwd);
	if (ret < 0) {
		s->path = NULL;
		return -1;
	}
	ret = asprintf(&s->address, "af_unix:%s:%s",
		       s->dgram ? "dgram" : "stream", s->path);
	if (ret < 0)
		s->address = NULL;
	return ret < 0 ? -1 : 0;
}

static int fill_address(struct sockaddr_un *un, const char *path)
{
	size_t len = strlen(path);

	memset(un, 0, sizeof(*un));
	un->sun_family = AF_UNIX;
	if (len >= sizeof(un->sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(un->sun_path, path, len + 1);
	return 0;
}

/* Is the file a socket on which no process listens? */
static bool is_dead(const struct tr2_listener *s, const struct sockaddr_un *un)
{
	struct stat st;
	bool dead;
	int fd;

	if (lstat(s->path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket(AF_UNIX,
		    (s->dgram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK |
			    SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	dead = connect(fd, (const struct sockaddr *)un, sizeof(*un)) &&
	       errno == ECONNREFUSED;
	close(fd);
	return dead;
}

/* Bind the socket so that only this user can access it: events may contain
 * secrets. */
static int bind_private(int fd, const struct sockaddr_un *un)
{
	mode_t before = umask(077);
	int ret = bind(fd, (const struct sockaddr *)un, sizeof(*un));

	umask(before);
	return ret;
}

static int bind_or_replace(struct tr2_listener *s, const struct sockaddr_un *un)
{
	if (!bind_private(s->source.fd, un))
		return 0;
	if (errno != EADDRINUSE)
		return -1;
	if (!is_dead(s, un)) {
		errno = EADDRINUSE;
		return -1;
	}
	if (unlink(s->path))
		return -1;
	return bind_private(s->source.fd, un);
}

static int open_socket(struct tr2_listener *s)
{
	struct sockaddr_un un;
	struct stat st;

	if (fill_address(&un, s->path))
		return -1;
	s->source.fd = socket(AF_UNIX,
			      (s->dgram ? SOCK_DGRAM : SOCK_STREAM) |
				      SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->source.fd < 0 || bind_or_replace(s, &un) ||
	    lstat(s->path, &st))
		return -1;
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	return s->dgram ? 0 : listen(s->source.fd, BACKLOG);
}

static const char *why(int err)
{
	if (err == EADDRINUSE)
		return "in use, or not a socket (choose another path)";
	if (err == ENAMETOOLONG)
		return "the path is longer than 107 bytes";
	if (err == EINVAL)
		return "no path given";
	return strerror(err);
}

/* Parse [af_unix:[stream:|dgram:]]PATH into s->path, s->dgram and s->address,
 * and listen there. Return -1 after an error message. */
static int listener_open(struct tr2_listener *s, const char *address)
{
	s->source.fd = -1;
	if (!parse_address(s, address) && !open_socket(s))
		return 0;
	tr2_error("cannot listen on '%s': %s", address, why(errno));
	if (s->source.fd >= 0)
		close(s->source.fd);
	s->source.fd = -1;
	return -1;
}

void tr2_listener_remove(struct tr2_loop *loop, struct tr2_listener *s)
{
	struct stat st;

	if (s->source.fd < 0)
		return;
	if (!lstat(s->path, &st) && st.st_dev == s->dev && st.st_ino == s->ino)
		unlink(s->path);
	tr2_loop_close(loop, &s->source);
}

static void listener_release(struct tr2_listener *s)
{
	free(s->path);
	free(s->address);
}

int tr2_listen_open(struct tr2_listen *l, struct tr2_loop *loop,
		    const char *const *addresses, size_t nr)
{
	size_t i;

	memset(l, 0, sizeof(*l));
	l->loop = loop;
	l->pause.fd = -1;
	if (!nr)
		return 0;
	/* Each client needs a descriptor. The command gets the original
	 * limit. */
	tr2_raise_file_limit();
	l->listeners = calloc(nr, sizeof(*l->listeners));
	if (!l->listeners) {
		tr2_error("cannot listen: %s", strerror(errno));
		return -1;
	}
	for (i = 0; i < nr; i++) {
		struct tr2_listener *s = &l->listeners[l->nr_listeners++];

		s->listen = l;
		if (listener_open(s, addresses[i])) {
			tr2_listen_release(l);
			return -1;
		}
	}
	return 0;
}

void tr2_listen_release(struct tr2_listen *l)
{
	size_t i;

	for (i = 0; i < l->nr_listeners; i++) {
		tr2_listener_remove(l->loop, &l->listeners[i]);
		listener_release(&l->listeners[i]);
	}
	free(l->listeners);
	l->listeners = NULL;
	l->nr_listeners = 0;
}

/* SPDX-License-Identifier: MIT */
/* sink - write an export to a temporary file, and rename it at the end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macros.h"
#include "common/memory.h"
#include "common/say.h"
#include "export/sink.h"

#define STEP_BYTES 65536

/* The temporary file, which a signal that ends the process removes. Only one
 * sink at a time has a file. */
static const char *volatile unfinished;

static void remove_unfinished(void)
{
	const char *path = unfinished;

	if (path)
		unlink(path);
}

static void on_signal(int signo)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };

	remove_unfinished();
	sigaction(signo, &usual, NULL);
	raise(signo);
}

/* Handle the signals that end the process, except signals that are ignored. */
static void watch_ends(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction old, new = { .sa_handler = on_signal };
	size_t i;

	atexit(remove_unfinished);
	sigemptyset(&new.sa_mask);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			sigaction(signals[i], &new, NULL);
}

static bool fail_sink(struct tr2_export_sink *s)
{
	if (!s->failed)
		tr2_error("cannot write '%s': %s",
			  s->path ? s->path : "standard output",
			  strerror(errno));
	s->failed = true;
	return false;
}

/* Set the new file's mode to the mode of the replaced file, or to the mode that
 * O_CREAT gives. */
static void set_mode(int fd, const struct stat *before)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(fd, before ? before->st_mode & 07777 : 0666 & ~mask) < 0)
		return;
}

/* Create the temporary file beside its target. If the path is a symbolic link,
 * the target is the file to which the link points: the link stays. */
static bool open_beside(struct tr2_export_sink *s, const struct stat *before)
{
	s->target = before ? realpath(s->path, NULL) : tr2_strdup(s->path);
	if (!s->target)
		return false;
	s->temp = tr2_strf("%s.XXXXXX", s->target);
	s->fd = mkstemp(s->temp);
	if (s->fd < 0)
		return false;
	unfinished = s->temp;
	watch_ends();
	set_mode(s->fd, before);
	return true;
}

bool tr2_sink_open(struct tr2_export_sink *s, const char *path)
{
	struct stat st;
	bool exists;

	s->fd = 1;
	if (!path || !strcmp(path, "-"))
		return true;
	s->path = path;
	exists = !stat(path, &st);
	if (!exists && errno != ENOENT)
		return fail_sink(s);
	if (exists && !S_ISREG(st.st_mode)) {
		s->fd = open(path, O_WRONLY | O_CLOEXEC);
		return s->fd >= 0 || fail_sink(s);
	}
	if (exists && access(path, W_OK) < 0)
		return fail_sink(s);
	if (open_beside(s, exists ? &st : NULL))
		return true;
	fail_sink(s);
	free(s->temp);
	free(s->target);
	s->temp = s->target = NULL;
	return false;
}

bool tr2_sink_flush(struct tr2_export_sink *s)
{
	size_t done = 0;
	ssize_t n;

	tr2_must(!s->buf.failed);
	while (!s->failed && done < s->buf.len) {
		n = write(s->fd, s->buf.p + done, s->buf.len - done);
		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			fail_sink(s);
	}
	tr2_buf_reset(&s->buf);
	return !s->failed;
}

bool tr2_sink_step(struct tr2_export_sink *s)
{
	return s->buf.len < STEP_BYTES ? !s->failed : tr2_sink_flush(s);
}

static void end_file(struct tr2_export_sink *s, bool ok)
{
	if (close(s->fd) < 0 && ok)
		ok = fail_sink(s);
	if (!s->temp)
		return;
	if (ok && rename(s->temp, s->target) < 0)
		ok = fail_sink(s);
	if (!ok)
		unlink(s->temp);
	unfinished = NULL;
}

bool tr2_sink_close(struct tr2_export_sink *s, bool ok)
{
	if (ok)
		tr2_sink_flush(s);
	if (s->fd > 1)
		end_file(s, ok && !s->failed);
	free(s->temp);
	free(s->target);
	tr2_buf_release(&s->buf);
	return !s->failed;
}

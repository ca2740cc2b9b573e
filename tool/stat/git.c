/* SPDX-License-Identifier: MIT */
/* Run Git commands. */
#include "stat/git.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/memory.h"

/* A descriptor from which the text can be read; -1: errno. */
static int open_input(const char *text)
{
	size_t len = text ? strlen(text) : 0;
	int fd = text ? memfd_create("input", MFD_CLOEXEC) :
			open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || !text)
		return fd;
	if (write(fd, text, len) == (ssize_t)len && !lseek(fd, 0, SEEK_SET))
		return fd;
	close(fd);
	return -1;
}

static void read_all(int fd, struct tr2_buf *out)
{
	char piece[4096];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) > 0 ||
	       (n < 0 && errno == EINTR))
		if (n > 0 && out)
			tr2_buf_add(out, piece, (size_t)n);
}

/* A recorder has blocked the signals that end a process. */
static int spawn(pid_t *pid, int in, int out, char **words)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	int err;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &none);
	err = posix_spawnp(pid, "git", &files, &attr, words, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return err;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int tr2_git(struct tr2_buf *out, const char *input, const char *const *argv)
{
	int in = open_input(input), ends[2], code = -1;
	size_t nr = 0;
	char **words;
	pid_t pid;

	if (in < 0 || pipe2(ends, O_CLOEXEC)) {
		if (in >= 0)
			close(in);
		return -1;
	}
	while (argv[nr])
		nr++;
	words = tr2_calloc(nr + 2, sizeof(*words));
	words[0] = tr2_strdup("git");
	while (nr--)
		words[nr + 1] = tr2_strdup(argv[nr]);
	if (!spawn(&pid, in, ends[1], words)) {
		close(ends[1]);
		ends[1] = -1;
		read_all(ends[0], out);
		code = wait_for(pid);
	}
	for (nr = 0; words[nr]; nr++)
		free(words[nr]);
	free(words);
	close(in);
	close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
	return code;
}

char *tr2_git_line(const char *const *argv)
{
	struct tr2_buf out = TR2_BUF_INIT;
	char *text = NULL;

	if (!tr2_git(&out, NULL, argv)) {
		text = tr2_strdup(tr2_buf_str(&out));
		text[strcspn(text, "\n")] = '\0';
	}
	tr2_buf_release(&out);
	return text;
}

/* SPDX-License-Identifier: MIT */
/* Run Git commands. */
#include "compare/git.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/memory.h"

/* Return a descriptor from which Git can read the text; -1: see errno. */
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

/* Start Git. Unblock the signals that end a process: a recorder blocks these
 * signals, and Git would inherit the mask. */
static int spawn_git(pid_t *pid, const int *fds, char **words)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	int err;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fds[0], 0);
	posix_spawn_file_actions_adddup2(&files, fds[1], 1);
	posix_spawn_file_actions_adddup2(&files, fds[2], 2);
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

static char **words_of(const char *const *argv)
{
	size_t nr = 0;
	char **words;

	while (argv[nr])
		nr++;
	words = tr2_calloc(nr + 2, sizeof(*words));
	words[0] = tr2_strdup("git");
	while (nr--)
		words[nr + 1] = tr2_strdup(argv[nr]);
	return words;
}

static void free_words(char **words)
{
	size_t i;

	for (i = 0; words[i]; i++)
		free(words[i]);
	free(words);
}

/* Run Git with `in` and `err` as standard input and standard error. */
static int run_with(int in, int err, struct tr2_buf *out,
		    const char *const *argv)
{
	int ends[2], code = -1;
	char **words;
	pid_t pid;

	if (in < 0 || err < 0 || pipe2(ends, O_CLOEXEC))
		return -1;
	words = words_of(argv);
	if (!spawn_git(&pid, (const int[]){ in, ends[1], err }, words)) {
		close(ends[1]);
		ends[1] = -1;
		read_all(ends[0], out);
		code = wait_for(pid);
	}
	free_words(words);
	close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
	return code;
}

static void close_all(int a, int b)
{
	if (a >= 0)
		close(a);
	if (b >= 0)
		close(b);
}

int tr2_git(struct tr2_buf *out, const char *input, const char *const *argv)
{
	int in = open_input(input);
	int err = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int code = run_with(in, err, out, argv);

	close_all(in, err);
	return code;
}

/* Append a line without the blanks before it. Return the next line. */
static const char *add_line(struct tr2_buf *b, const char *line)
{
	size_t len;

	line += strspn(line, " \t");
	len = strcspn(line, "\n");
	tr2_buf_add(b, line, len);
	return line + len + (line[len] == '\n');
}

/* Append the reason of a failure from Git's messages: the first error, else the
 * last line. If an error ends in a colon, append the next line, too. */
static void add_reason(struct tr2_buf *why, const char *said)
{
	const char *line, *reason = "", *next;

	for (line = said; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (next > line + 1)
			reason = line;
		if (!strncmp(line, "fatal: ", 7) ||
		    !strncmp(line, "error: ", 7)) {
			reason = line + 7;
			break;
		}
	}
	next = add_line(why, reason);
	if (why->len && why->p[why->len - 1] == ':') {
		tr2_buf_addch(why, ' ');
		add_line(why, next);
	}
}

int tr2_git_why(struct tr2_buf *out, struct tr2_buf *why,
		const char *const *argv)
{
	int in = open_input(NULL), err = memfd_create("stderr", MFD_CLOEXEC);
	int code = run_with(in, err, out, argv);
	struct tr2_buf said = TR2_BUF_INIT;

	if (code && err >= 0 && !lseek(err, 0, SEEK_SET))
		read_all(err, &said);
	if (code)
		add_reason(why, tr2_buf_str(&said));
	if (code && !why->len)
		tr2_buf_addstr(why, code < 0 ? "git cannot be run" :
					       "git failed");
	tr2_buf_release(&said);
	close_all(in, err);
	return code;
}

void tr2_git_forget(void)
{
	struct tr2_buf out = TR2_BUF_INIT;
	char *name, *rest = NULL;

	tr2_git_run(&out, NULL, "rev-parse", "--local-env-vars");
	tr2_buf_addch(&out, '\0');
	tr2_must(!out.failed);
	for (name = strtok_r(out.p, "\n", &rest); name;
	     name = strtok_r(NULL, "\n", &rest))
		unsetenv(name);
	tr2_buf_release(&out);
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

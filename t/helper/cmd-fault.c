/* SPDX-License-Identifier: MIT */
/*
 * `test-tool fault VERB … COMMAND`: run a command under a fault, such as a
 * closed descriptor or a file size limit, and end with its code. If the fault
 * needs no other process, the command replaces this one.
 *
 * cmd-fault-reader.c has the readers to which a command writes.
 */
#include "cmd-fault.h"

static int exec_command(const char **argv)
{
	execvp(argv[0], (char **)argv);
	tool_error("cannot exec '%s': %s", argv[0], strerror(errno));
	return 127;
}

/* Set the soft limit only: the command may lift the limit to write its state:
 * see host-state.h. */
static void set_limit(int resource, const char *what, const char *arg)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		tool_die("cannot read the limit of %s: %s", what,
			 strerror(errno));
	limit.rlim_cur = (rlim_t)tool_unsigned(arg);
	if (setrlimit(resource, &limit))
		tool_die("cannot limit %s to %s: %s", what, arg,
			 strerror(errno));
}

static int rlimit_fsize(int argc, const char **argv)
{
	set_limit(RLIMIT_FSIZE, "the size of files", argv[0]);
	return exec_command(argv + 1);
}

static int rlimit_nofile(int argc, const char **argv)
{
	set_limit(RLIMIT_NOFILE, "open files", argv[0]);
	return exec_command(argv + 1);
}

static int rlimit_as(int argc, const char **argv)
{
	set_limit(RLIMIT_AS, "memory", argv[0]);
	return exec_command(argv + 1);
}

static int close_fd(int argc, const char **argv)
{
	close((int)tool_number(argv[0], 0, 1 << 20));
	return exec_command(argv + 1);
}

/* Move the write end of the pipe to fd, and set its flags. Move the read end
 * out of the way. */
static void place_pipe(int fd, int flags, int *read_end)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		tool_die("cannot make a pipe: %s", strerror(errno));
	if (flags && fcntl(fds[1], F_SETFL, flags))
		tool_die("cannot set flags of a pipe: %s", strerror(errno));
	*read_end = fcntl(fds[0], F_DUPFD_CLOEXEC, 20);
	if (*read_end < 0 || dup2(fds[1], fd) < 0)
		tool_die("cannot place a pipe at %d: %s", fd, strerror(errno));
	if (fds[0] != fd)
		close(fds[0]);
	if (fds[1] != fd)
		close(fds[1]);
	else
		fcntl(fd, F_SETFD, 0);
}

/* Fill the pipe completely, so that the first write fails or waits. */
static void fill_pipe(int fd)
{
	char block[4096];
	int flags = fcntl(fd, F_GETFL);

	memset(block, '.', sizeof(block));
	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	while (write(fd, block, sizeof(block)) > 0)
		;
	while (write(fd, block, 1) > 0)
		;
	fcntl(fd, F_SETFL, flags);
}

static int run_command(const char **argv)
{
	long pid;
	int code = tool_spawn(argv, &pid);

	return pid < 0 ? 127 : code;
}

static int pipe_fd(const char *arg)
{
	return (int)tool_number(arg, 1, 19);
}

/* Make a pipe with an open reading end from which nothing is read. */
static int stalled_pipe(int argc, const char **argv)
{
	int read_end;

	place_pipe(pipe_fd(argv[0]), 0, &read_end);
	return run_command(argv + 1);
}

static int full_pipe(int argc, const char **argv)
{
	int read_end, fd = pipe_fd(argv[0]);

	place_pipe(fd, 0, &read_end);
	fill_pipe(fd);
	return run_command(argv + 1);
}

static int nonblock_pipe(int argc, const char **argv)
{
	int read_end, fd = pipe_fd(argv[0]);

	place_pipe(fd, O_NONBLOCK, &read_end);
	fill_pipe(fd);
	return run_command(argv + 1);
}

/* Make a pipe whose reading end is closed. */
static int dead_pipe(int argc, const char **argv)
{
	int read_end;

	place_pipe(pipe_fd(argv[0]), 0, &read_end);
	close(read_end);
	return exec_command(argv + 1);
}

static int ignore_signal(int argc, const char **argv)
{
	signal(tool_signal(argv[0]), SIG_IGN);
	return exec_command(argv + 1);
}

static int block_signal(int argc, const char **argv)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, tool_signal(argv[0]));
	sigprocmask(SIG_BLOCK, &set, NULL);
	return exec_command(argv + 1);
}

int tr2_cmd_fault(int argc, const char **argv)
{
	static const struct tool_verb places[] = {
		{ "rlimit-fsize", "<bytes> <command> [<arg>...]", 2, -1,
		  rlimit_fsize },
		{ "rlimit-nofile", "<files> <command> [<arg>...]", 2, -1,
		  rlimit_nofile },
		{ "rlimit-as", "<bytes> <command> [<arg>...]", 2, -1,
		  rlimit_as },
		{ "close-fd", "<fd> <command> [<arg>...]", 2, -1, close_fd },
		{ "stalled-pipe", "<fd> <command> [<arg>...]", 2, -1,
		  stalled_pipe },
		{ "full-pipe", "<fd> <command> [<arg>...]", 2, -1,
		  full_pipe },
		{ "nonblock-pipe", "<fd> <command> [<arg>...]", 2, -1,
		  nonblock_pipe },
		{ "dead-pipe", "<fd> <command> [<arg>...]", 2, -1,
		  dead_pipe },
		{ "ignore", "<signal> <command> [<arg>...]", 2, -1,
		  ignore_signal },
		{ "block", "<signal> <command> [<arg>...]", 2, -1,
		  block_signal },
		{ NULL, NULL, 0, 0, NULL },
	};
	static const struct tool_verb *const tables[] = {
		places, tool_verbs_reader, NULL
	};

	return tool_run_verb(tables, argc, argv);
}

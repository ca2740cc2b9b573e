/* SPDX-License-Identifier: MIT */
/*
 * `terminals VERB`: a program whose trace goes to a terminal, descriptor 9, in
 * unusual situations. It prints the terminal's output.
 */
#include "trace2.h"
#include "../system.h"

#include <sys/ioctl.h>
#include <termios.h>

#include "../pseudo-terminal.h"

#define TRACE_FD 9
#define NR_EVENTS 5000
#define OTHER_USER 65534
#define SKIP 77

static int master;

/* Open a terminal with its slave as descriptor 9; a newline is two characters.
 * */
static void open_terminal(void)
{
	int slave;

	master = pseudo_terminal_open(O_NONBLOCK, &slave);
	if (slave != TRACE_FD) {
		dup2(slave, TRACE_FD);
		close(slave);
	}
}

/* End with the parent, even if the child hangs. */
static void end_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void become_other_user(void)
{
	if (getuid())
		exit(SKIP);
	fchmod(TRACE_FD, 0600);
	if (setresgid(OTHER_USER, OTHER_USER, OTHER_USER) ||
	    setresuid(OTHER_USER, OTHER_USER, OTHER_USER))
		abort();
	end_with_parent();
}

static void print_what_came(void)
{
	static char got[1 << 16];
	ssize_t n;

	while ((n = read(master, got, sizeof(got))) > 0)
		fwrite(got, 1, (size_t)n, stdout);
	fflush(stdout);
}

static void say(int times)
{
	static const char *const argv[] = { "terminals", NULL };
	int i;

	atexit(print_what_came);
	trace2_initialize();
	trace2_cmd_start(argv);
	for (i = 0; i < times; i++)
		trace2_data_intmax("terminals", NULL, "nr", i);
}

/* Run in a new session, with or without the terminal. */
static int of_other_user(int controls)
{
	if (setsid() < 0 || (controls && ioctl(TRACE_FD, TIOCSCTTY, 0)))
		abort();
	become_other_user();
	say(NR_EVENTS);
	print_what_came();
	return trace2_cmd_exit(0);
}

static int other_user(void)
{
	return of_other_user(0);
}

static int other_user_controlling(void)
{
	return of_other_user(1);
}

/* Run a job in the background of a terminal that stops such jobs when they
 * write. */
static void lead_terminal(void)
{
	struct termios t;

	if (setsid() < 0 || ioctl(TRACE_FD, TIOCSCTTY, 0) ||
	    tcgetattr(TRACE_FD, &t))
		abort();
	t.c_lflag |= TOSTOP;
	tcsetattr(TRACE_FD, TCSANOW, &t);
}

static int background(void)
{
	int status;
	pid_t pid;

	lead_terminal();
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		say(1);
		exit(trace2_cmd_exit(0));
	}
	if (waitpid(pid, &status, WUNTRACED) != pid)
		abort();
	if (WIFSTOPPED(status)) {
		kill(pid, SIGKILL);
		puts("stopped");
		return 1;
	}
	return WEXITSTATUS(status);
}

static const struct {
	const char *name;
	int (*run)(void);
} verbs[] = {
	{ "other-user", other_user },
	{ "other-user-controlling", other_user_controlling },
	{ "background", background },
};

/* Run in a child: the leader of a process group cannot create a session. */
static int run_in_child(int (*run)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		end_with_parent();
		exit(run());
	}
	if (waitpid(pid, &status, 0) != pid)
		abort();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	size_t i;

	open_terminal();
	for (i = 0; argc == 2 && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(verbs[i].name, argv[1]))
			return run_in_child(verbs[i].run);
	fputs("usage: terminals <verb>\n", stderr);
	return 129;
}

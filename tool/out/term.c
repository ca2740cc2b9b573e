/* SPDX-License-Identifier: MIT */
/*
 * term - implements out/term.h. The pager is $TRACE2_PAGER, else $PAGER, else
 * less, with options to exit if the output fits the screen. There is no pager
 * on a terminal that cannot move its cursor; if the pager cannot be run, the
 * output is printed directly.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/macros.h"
#include "out/term.h"

#define MIN_WIDTH 40
#define STANDARD_WIDTH 80
#define STANDARD_HEIGHT 24
#define MAX_SIZE 10000

static struct {
	bool color, terminal;
	unsigned int width, height;
	pid_t pager;
} term = { false, false, 0, 0, 0 };

static void read_size(void)
{
	const char *columns = getenv("COLUMNS"), *lines = getenv("LINES");
	struct winsize size = { 0, 0, 0, 0 };
	long n = columns ? strtol(columns, NULL, 10) : 0;

	(void)ioctl(1, TIOCGWINSZ, &size);
	if (n < MIN_WIDTH)
		n = size.ws_col;
	term.width = n < MIN_WIDTH || n > MAX_SIZE ? STANDARD_WIDTH :
						     (unsigned int)n;
	n = lines ? strtol(lines, NULL, 10) : 0;
	if (n < 1)
		n = size.ws_row;
	term.height = n < 1 || n > MAX_SIZE ? STANDARD_HEIGHT :
					      (unsigned int)n;
}

static bool is_dumb(void)
{
	const char *name = getenv("TERM");

	return !name || !strcmp(name, "dumb");
}

static bool want_color(const char *color)
{
	const char *no_color = getenv("NO_COLOR");

	if (!strcmp(color, "always"))
		return true;
	if (!strcmp(color, "never") || !term.terminal)
		return false;
	return !is_dumb() && !(no_color && *no_color);
}

static const char *pager_command(void)
{
	const char *pager = getenv("TRACE2_PAGER");

	if (!pager)
		pager = getenv("PAGER");
	if (!pager)
		pager = "less";
	return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
}

static void run_pager(const char *pager, const int pipe_fd[2])
{
	/* A script that runs the pager. If the pager is not found, no input has
	 * been read yet, and cat prints all of it. */
	static const char script[] =
		"eval \"$1\"\ncase $? in 126|127) exec cat;; esac";

	dup2(pipe_fd[0], 0);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", script, "trace2", pager,
	      (char *)NULL);
	_exit(127);
}

static void start_pager(const char *pager)
{
	int pipe_fd[2];

	if (pipe(pipe_fd) < 0)
		return;
	term.pager = fork();
	if (!term.pager)
		run_pager(pager, pipe_fd);
	close(pipe_fd[0]);
	if (term.pager > 0) {
		dup2(pipe_fd[1], 1);
		atexit(tr2_term_end);
	} else {
		term.pager = 0;
	}
	close(pipe_fd[1]);
}

void tr2_term_start(const char *color, bool pager)
{
	const char *command = pager_command();

	term.terminal = isatty(1);
	term.color = color && want_color(color);
	if (!term.terminal)
		return;
	if (color)
		read_size();
	if (pager && command && !is_dumb())
		start_pager(command);
}

void tr2_term_end(void)
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };
	int status;

	if (!term.pager)
		return;
	/* Close stdout, which ends the pager's input. */
	fclose(stdout);
	/* Leave ^C to the pager. */
	sigaction(SIGINT, &ignored, NULL);
	waitpid(term.pager, &status, 0);
	term.pager = 0;
}

unsigned int tr2_term_width(void)
{
	return term.width;
}

unsigned int tr2_term_height(void)
{
	return term.height;
}

static bool is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names) && !(value && *value); i++)
		value = getenv(names[i]);
	return value &&
	       (strcasestr(value, "utf-8") || strcasestr(value, "utf8"));
}

const char *tr2_term_text(const char *utf8, const char *ascii)
{
	static bool known, has_utf8;

	if (!known)
		has_utf8 = is_utf8();
	known = true;
	return has_utf8 ? utf8 : ascii;
}

const char *tr2_color_on(enum tr2_color color)
{
	static const char *const sequences[] = {
		[TR2_COLOR_NONE] = "",
		[TR2_COLOR_HEADING] = "\033[1m",
		[TR2_COLOR_DIM] = "\033[2m",
		[TR2_COLOR_HOT] = "\033[31m",
		[TR2_COLOR_WARM] = "\033[33m",
		[TR2_COLOR_BAD] = "\033[31m",
		[TR2_COLOR_GOOD] = "\033[32m",
	};

	return term.color ? sequences[color] : "";
}

const char *tr2_color_off(enum tr2_color color)
{
	return term.color && color != TR2_COLOR_NONE ? "\033[m" : "";
}

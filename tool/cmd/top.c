/* SPDX-License-Identifier: MIT */
/*
 * trace2 top - show counters, timers and open regions of a running process,
 * from the file of its ring, without disturbing it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "cmd/top.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/say.h"
#include "out/table.h"

#define DEFAULT_DELAY_NS 2000000000
#define SHOWN_PROCESSES 10

static bool once;
static const char *process;
static const char *sort;
static int64_t delay_ns = DEFAULT_DELAY_NS;

static const struct tr2_option options[] = {
	{ 'p', "process", "PID|FILE", TR2_OPT_STRING, &process,
	  "the process to watch, or the file of its ring", NULL },
	{ 0, "once", NULL, TR2_OPT_FLAG, &once,
	  "read once, and print rates since the process began", NULL },
	{ 'd', "delay", "SEC", TR2_OPT_DURATION, &delay_ns,
	  "time between two readings (default 2s)", NULL },
	{ 's', "sort", "COLUMN", TR2_OPT_STRING, &sort,
	  "sort by this column, largest numbers first", NULL },
	TR2_OPT_END
};

static char *ring_of_pid(const char *word)
{
	char *end, *path;
	long long pid = strtoll(word, &end, 10);
	int error;

	if (*end || pid <= 0 || !access(word, F_OK))
		return tr2_strdup(word);
	path = tr2_top_ring_of(pid, &error);
	if (path)
		return path;
	if (error == ENOENT)
		tr2_error("there is no process %lld", pid);
	else if (error)
		tr2_error("cannot look into process %lld: %s", pid,
			  strerror(error));
	else
		tr2_error("process %lld has no ring: start it with "
			  "GIT_TRACE2_RING=DIR, or with 'trace2 record --ring'",
			  pid);
	return NULL;
}

static void say_which(char **list, const char *dir)
{
	struct tr2_ring_file f;
	size_t i, nr = 0;

	while (list[nr])
		nr++;
	tr2_error("%zu processes write rings in '%s': choose one with -p", nr,
		  dir);
	for (i = 0; i < nr && i < SHOWN_PROCESSES; i++) {
		struct tr2_top top;

		if (!tr2_top_open(&top, list[i]))
			continue;
		f = top.file;
		fprintf(stderr, "  -p %-8u %s\n", f.header.pid, list[i]);
		tr2_top_close(&top);
	}
}

/* Return the only running process's ring in the directory. */
static char *ring_in(const char *dir)
{
	size_t nr_rings;
	char **list = tr2_top_running(dir, &nr_rings), *path = NULL;

	if (!nr_rings)
		tr2_error("'%s': no ring in this directory, nothing to watch! "
			  "GIT_TRACE2_RING=DIR, with its absolute path, makes "
			  "a program write one there", dir);
	else if (!list)
		tr2_error("no process with a ring in '%s' is running ('trace2 "
			  "report %s' reads the rings of ended ones)", dir, dir);
	else if (list[1])
		say_which(list, dir);
	else
		path = tr2_strdup(list[0]);
	tr2_top_free_list(list);
	return path;
}

static char *ring_at(const char *name)
{
	char *rings, *path;
	struct stat st;

	if (access(name, F_OK) && name[strspn(name, "0123456789")] == '\0') {
		tr2_error("there is no file '%s': a process is watched with "
			  "-p %s", name, name);
		return NULL;
	}
	if (stat(name, &st) || !S_ISDIR(st.st_mode))
		return tr2_strdup(name);
	rings = tr2_strf("%s/rings", name);
	/* A recording has a directory for them. */
	path = ring_in(!stat(rings, &st) && S_ISDIR(st.st_mode) ? rings : name);
	free(rings);
	return path;
}

static struct {
	bool on;
	struct termios before;
} keys;

static volatile sig_atomic_t stopped;

static void on_signal(int signo)
{
	(void)signo;
	stopped = 1;
}

/* Read keys at once and without echo, so that q works. */
static void keys_on(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct termios raw;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!isatty(0) || !isatty(1) || tcgetattr(0, &keys.before))
		return;
	raw = keys.before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	keys.on = !tcsetattr(0, TCSANOW, &raw);
}

static void keys_off(void)
{
	if (keys.on)
		tcsetattr(0, TCSANOW, &keys.before);
	keys.on = false;
}

/* false: the user quit. */
static bool wait_for_next(void)
{
	struct pollfd p = { .fd = keys.on ? 0 : -1, .events = POLLIN };
	int64_t ms = delay_ns / 1000000;
	char key = 0;

	if (poll(&p, 1, ms > INT32_MAX ? INT32_MAX : (int)ms) > 0 &&
	    (read(0, &key, 1) != 1 || key == 'q' || key == 'Q'))
		return false;
	return !stopped;
}

static void clear_screen(void)
{
	if (tr2_term_width() && tr2_common.format == TR2_FORMAT_TEXT)
		fputs("\033[H\033[J", stdout);
}

static int watch(struct tr2_top *top)
{
	bool ok;

	keys_on();
	do {
		clear_screen();
		ok = tr2_top_show(top, tr2_common.format, sort);
		if (ok && top->alive && !tr2_term_width())
			putchar('\n');
		fflush(stdout);
	} while (ok && top->alive && wait_for_next());
	keys_off();
	return ok ? 0 : TR2_EXIT_USAGE;
}

static int run(int argc, char **argv)
{
	extern const struct tr2_command tr2_command_top;
	struct tr2_top top;
	int code = TR2_EXIT_FATAL;
	char *path;

	if (argc > 1 || (argc && process) || delay_ns <= 0)
		return tr2_usage_error(&tr2_command_top,
				       delay_ns <= 0 ? "-d must be more than 0" :
						       "one process at a time");
	if (process)
		path = ring_of_pid(process);
	else
		path = ring_at(argc ? argv[0] : "trace2.data");
	if (path && tr2_top_open(&top, path)) {
		if (once)
			code = tr2_top_show(&top, tr2_common.format, sort) ?
				       0 : TR2_EXIT_USAGE;
		else
			code = watch(&top);
		tr2_top_close(&top);
	}
	free(path);
	return code;
}

const struct tr2_command tr2_command_top = {
	.name = "top",
	.synopsis = "[-p PID|FILE] [--once] [-d SEC] [-s COLUMN] [DIR|FILE]",
	.summary = "Shows counters, timers and open regions of a running "
		   "process.",
	.details = "The process must write a ring (GIT_TRACE2_RING, or 'trace2 "
		   "record --ring'). Name it by its pid or its file, or give a "
		   "directory (or have trace2.data) with one running process. "
		   "Reading does not disturb the process. If it has ended, its "
		   "last state is shown. On a terminal, q quits.",
	.options = options,
	.common = TR2_COMMON_FORMAT,
	.flags = TR2_COMMAND_NO_PAGER,
	.run = run,
};

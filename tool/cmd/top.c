/* SPDX-License-Identifier: MIT */
/*
 * trace2 top - show what running processes do, without disturbing them: the
 * processes of a recording, those below a process, or those that write rings.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "cmd/cmd.h"
#include "common/options.h"
#include "common/procfs.h"
#include "out/term.h"
#include "top/top.h"

#define DEFAULT_DELAY_NS 2000000000
#define SCREEN_BYTES 65536

static bool once;
static const char *process;
static const char *sort;
static int64_t delay_ns = DEFAULT_DELAY_NS;

static const struct tr2_option options[] = {
	{ 'p', "process", "PID|FILE", TR2_OPT_STRING, &process,
	  "watch this process, or the one of this ring file, and all below it",
	  NULL },
	{ 0, "once", NULL, TR2_OPT_FLAG, &once,
	  "read once, and print rates since each process began", NULL },
	{ 'd', "delay", "SEC", TR2_OPT_DURATION, &delay_ns,
	  "time between two readings (default 2s)", NULL },
	{ 's', "sort", "COLUMN", TR2_OPT_STRING, &sort,
	  "sort by this column, largest numbers first", NULL },
	TR2_OPT_END
};

static struct {
	bool on;
	bool help; /* the help is shown until another key is pressed */
	struct termios before;
} keys;

static volatile sig_atomic_t stopped, resized;

static void on_signal(int signo)
{
	if (signo == SIGWINCH)
		resized = 1;
	else
		stopped = 1;
}

/* Read keys at once and without echo, so that q works. */
static void keys_on(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct termios raw;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGWINCH, &action, NULL);
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

/* Return false if the user quits. */
static bool wait_for_next(void)
{
	struct pollfd p = { .fd = keys.on ? 0 : -1, .events = POLLIN };
	int64_t ms = delay_ns / 1000000;
	char key = 0;

	if (poll(&p, 1, ms > INT32_MAX ? INT32_MAX : (int)ms) <= 0)
		return !stopped;
	if (read(0, &key, 1) != 1 || key == 'q' || key == 'Q')
		return false;
	keys.help = key == '?' || key == 'h';
	return !stopped;
}

/* Print the help in place of the table. */
static void show_help(void)
{
	struct tr2_buf text = TR2_BUF_INIT;

	tr2_options_help(tr2_command_find("top"), &text);
	printf("q quits, ? or h shows this, any other key reads again now.\n\n"
	       "%s", tr2_buf_str(&text));
	tr2_buf_release(&text);
}

static void read_files(struct tr2_top *top)
{
	uint32_t i;

	if (top->path)
		tr2_top_read_recording(top);
	tr2_top_files_mapped(top);
	for (i = 1; i < top->nr; i++)
		if (top->process[i].ring)
			tr2_top_ring_read(top->process[i].ring);
	tr2_top_streams_read(top);
}

static bool goes_on(const struct tr2_top *top)
{
	return top->path ? !top->end : top->nr_live > 0;
}

static bool show_screen(struct tr2_top *top)
{
	bool is_screen, ok;

	if (resized)
		tr2_term_start(tr2_common_color(), false);
	resized = 0;
	is_screen = tr2_term_width() && tr2_common.format == TR2_FORMAT_TEXT;
	if (is_screen && !once)
		fputs("\033[H\033[J", stdout);
	if (keys.help) {
		show_help();
		fflush(stdout);
		return true;
	}
	ok = tr2_top_print(top, tr2_common.format, sort);
	if (ok && !is_screen && !once && goes_on(top))
		putchar('\n');
	fflush(stdout);
	return ok;
}

static int watch_processes(struct tr2_top *top)
{
	bool ok;

	/* Write each screen at once, so that it does not flicker. */
	setvbuf(stdout, NULL, _IOFBF, SCREEN_BYTES);
	keys_on();
	ok = show_screen(top);
	while (ok && goes_on(top) && wait_for_next()) {
		if (!resized) {
			tr2_top_scan(top);
			read_files(top);
		}
		ok = show_screen(top);
	}
	keys_off();
	return ok ? 0 : TR2_EXIT_USAGE;
}

static int run_top(int argc, char **argv)
{
	struct tr2_top top = { .tasks = { .fd = -1 } };
	int code = TR2_EXIT_FATAL;
	bool opened;

	if (argc > 1 || (argc && process) || delay_ns <= 0)
		return tr2_usage_error(delay_ns <= 0 ?
				       "-d must be more than 0" :
				       "one process at a time");
	/* Raise the limit: each ring and each stream needs a descriptor. */
	tr2_raise_file_limit();
	if (process)
		opened = tr2_top_open_process(&top, process);
	else
		opened =
			tr2_top_open_path(&top, argc ? argv[0] : "trace2.data");
	if (opened) {
		read_files(&top);
		if (once)
			code = show_screen(&top) ? 0 : TR2_EXIT_USAGE;
		else
			code = watch_processes(&top);
	}
	tr2_top_close(&top);
	return code;
}

const struct tr2_command tr2_command_top = {
	.name = "top",
	.synopsis = "[-p PID|FILE] [--once] [-d SEC] [-s COLUMN] [DIR|FILE]",
	.summary = "Shows what running processes do, and their counters and "
		   "open regions.",
	.details =
		"DIR is a recording in progress (trace2.data is the default) "
		"or a directory where programs write rings. Watching does "
		"not disturb the processes. If they have ended, their last "
		"state is shown. On a terminal, q quits.",
	.options = options,
	.common = TR2_COMMON_FORMAT,
	.flags = TR2_COMMAND_NO_PAGER,
	.run = run_top,
};

/* SPDX-License-Identifier: MIT */
/*
 * trace2 set - change the settings of a running process that allows it: see
 * config/control_block.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "common/options.h"
#include "common/say.h"
#include "common/settings.h"
#include "common/spell.h"
#include "config/control_block.h"
#include "record/job/control_page.h"

#define WAIT_NS INT64_C(5000000000)

static int64_t pid, wait_ns = WAIT_NS;
static bool reopen, flush;

static const struct tr2_option options[] = {
	{ 'p', "pid", "PID", TR2_OPT_INT, &pid, "the process to change", NULL },
	{ 0, "reopen", NULL, TR2_OPT_FLAG, &reopen,
	  "open its files again, after they were renamed", NULL },
	{ 0, "flush", NULL, TR2_OPT_FLAG, &flush,
	  "let it write its metrics so far", NULL },
	{ 0, "timeout", "S", TR2_OPT_DURATION, &wait_ns,
	  "wait this long until it calls the library (default 5s)", NULL },
	TR2_OPT_END
};

static int no_page(int error)
{
	if (error == ENOENT)
		tr2_error("there is no process %lld", (long long)pid);
	else if (error == ENXIO)
		tr2_error("process %lld takes no settings: it must start with "
			  "GIT_TRACE2_CONTROL=1, or set TRACE2_CONTROL itself, "
			  "and must not write a ring",
			  (long long)pid);
	else
		tr2_error("process %lld: %s: it is another user's, or has "
			  "changed its user",
			  (long long)pid, strerror(error));
	return TR2_EXIT_FATAL;
}

/* Return whether the setting may be changed. lib/session/control_request.c
 * accepts all targets except the ring, their _BRIEF settings, and the
 * nesting. */
static bool is_changeable(const struct tr2_setting *s)
{
	const char *rest = s->variable + strlen("GIT_TRACE2");

	return !strcmp(rest, "_EVENT_NESTING") ||
	       ((s->type == TR2_SETTING_IS_TARGET || strstr(rest, "_BRIEF")) &&
		strncmp(rest, "_RING", 5) != 0);
}

/* If a word seems to be the cause of a refusal, print the reason. Return
 * whether a reason was printed. The process itself decides: its program may
 * have settings of its own. */
static bool say_why(const char *word)
{
	char name[TR2_SPELL_MAX + 1];
	struct tr2_spell spell = { .word = name, .limit = TR2_SPELL_LIMIT };
	size_t len = strcspn(word, "="), i;
	const char *value = word + len + 1;
	const struct tr2_setting *s;

	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	s = tr2_setting_find(name);
	for (i = 0; !s && i < TR2_NR_SETTINGS; i++)
		if (is_changeable(&tr2_settings[i]))
			tr2_spell_try(&spell, tr2_settings[i].variable);
	if (!s)
		tr2_error("process %lld refuses '%s': it is not one of its "
			  "settings%s", (long long)pid, name,
			  tr2_spell_question(&spell));
	else if (!is_changeable(s))
		tr2_error("process %lld refuses %s: it cannot change while a "
			  "program runs", (long long)pid, name);
	else if (s->type == TR2_SETTING_IS_TARGET && *value != '/' &&
		 strncmp(value, "af_unix:", 8) != 0 && strcmp(value, "0") != 0)
		tr2_error("process %lld refuses %s: '%s' is neither an "
			  "absolute path nor a socket nor 0", (long long)pid,
			  name, value);
	else if (!tr2_setting_takes(s, value))
		tr2_error("process %lld refuses %s: '%s' is not a valid "
			  "value",
			  (long long)pid, name, value);
	else
		return false;
	return true;
}

static void say_refused(char **words)
{
	for (; *words; words++)
		if (say_why(*words))
			return;
	tr2_error("process %lld refuses the change", (long long)pid);
}

static int report_answer(int error, char **words)
{
	if (!error)
		return 0;
	if (error == EINVAL)
		say_refused(words);
	else if (error == EBUSY)
		tr2_error("process %lld: a thread was writing for too long: "
			  "try again",
			  (long long)pid);
	else if (error == EIO && reopen)
		tr2_error("process %lld: cannot reopen some of its files: it "
			  "goes on writing to the old ones, and writes an "
			  "error event",
			  (long long)pid);
	else
		tr2_error("process %lld: cannot open a target: %s: it goes on "
			  "with its other targets",
			  (long long)pid, strerror(error));
	return TR2_EXIT_FATAL;
}

static int ask_process(struct tr2_control_page *page, const char *text,
		       char **words)
{
	int result = 0, error = tr2_control_page_ask(page, text);
	enum tr2_control_answer answer;

	if (error) {
		tr2_error("cannot write into process %lld: %s",
			  (long long)pid, strerror(error));
		return TR2_EXIT_FATAL;
	}
	answer = tr2_control_page_wait(page, wait_ns, &result);
	if (answer == TR2_CONTROL_WAITS && page->is_busy) {
		if (tr2_control_page_withdraw(page))
			return report_answer(EBUSY, words);
		/* The process has taken up the request, and has answered or
		 * will answer soon: wait only once more. */
		page->gives_up = true;
		answer = tr2_control_page_wait(page, WAIT_NS, &result);
	}
	if (answer == TR2_CONTROL_ANSWERED)
		return report_answer(result, words);
	if (answer == TR2_CONTROL_GONE)
		return no_page(ENOENT);
	if (answer == TR2_CONTROL_REPLACED)
		tr2_error("process %lld: another command changed it at the "
			  "same time: it may have ignored this change",
			  (long long)pid);
	else
		tr2_error("process %lld has not called the library since: its "
			  "next call makes the change",
			  (long long)pid);
	return TR2_EXIT_FOUND;
}

static bool add_words(struct tr2_buf *text, char **words)
{
	for (; *words; words++) {
		if (!strchr(*words, '=') || strchr(*words, '\n'))
			return false;
		tr2_buf_addall(text, *words, "\n");
	}
	if (flush)
		tr2_buf_addstr(text, "flush\n");
	if (reopen)
		tr2_buf_addstr(text, "reopen\n");
	return text->len && text->len < TR2_CONTROL_TEXT;
}

static int run_set(int argc, char **argv)
{
	struct tr2_buf text = TR2_BUF_INIT;
	struct tr2_control_page page;
	int error, code;

	(void)argc;
	if (pid <= 0 || pid > INT32_MAX)
		return tr2_usage_error("-p PID is required");
	if (!add_words(&text, argv))
		return tr2_usage_error("say what to set: VARIABLE=VALUE, "
				       "--reopen or --flush");
	error = tr2_control_page_open(&page, (pid_t)pid);
	code = error ? no_page(error)
		     : ask_process(&page, tr2_buf_str(&text), argv);
	tr2_control_page_release(&page);
	tr2_buf_release(&text);
	return code;
}

const struct tr2_command tr2_command_set = {
	.name = "set",
	.synopsis = "-p PID [--reopen] [--flush] [VARIABLE=VALUE...]",
	.summary = "Changes the targets of a running process that allows it.",
	.details = "The process has the library, and started with "
		   "GIT_TRACE2_CONTROL=1 or asked for it itself. These can be "
		   "set: GIT_TRACE2, GIT_TRACE2_PERF and GIT_TRACE2_EVENT (a "
		   "path, a socket, or 0: off), their _BRIEF, and "
		   "GIT_TRACE2_EVENT_NESTING. A change takes effect at the "
		   "next call of the library. Each time that tracing is "
		   "switched on, a session begins. The owner of the process "
		   "may change it.",
	.options = options,
	.flags = TR2_COMMAND_NO_PAGER,
	.run = run_set,
};

/* SPDX-License-Identifier: MIT */
/* Build and run commits for `trace2 bisect`. */
#include "bisect/bisect_run.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/macros.h"
#include "common/options.h"
#include "common/say.h"
#include "common/signals.h"
#include "compare/significance.h"
#include "record/job/job.h"
#include "record/store.h"

static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
static volatile sig_atomic_t caught;

static void on_signal(int signo)
{
	(void)signo;
	caught = 1;
}

/* Catch signals instead of blocking them: an exec removes handlers, but CMD
 * would inherit blocked signals. */
void tr2_bisect_catch_signals(void)
{
	struct sigaction act = { .sa_handler = on_signal }, before;
	size_t i;

	sigemptyset(&act.sa_mask);
	for (i = 0; i < ARRAY_SIZE(ending); i++)
		if (!sigaction(ending[i], NULL, &before) &&
		    before.sa_handler != SIG_IGN)
			sigaction(ending[i], &act, NULL);
}

/* Also look for pending signals: the first run blocks signals for good. */
bool tr2_bisect_stopped(struct tr2_bisect_runner *r)
{
	sigset_t set;
	size_t i;

	r->stop |= caught != 0;
	for (i = 0; i < ARRAY_SIZE(ending) && !sigpending(&set); i++)
		r->stop |= sigismember(&set, ending[i]) == 1;
	return r->stop;
}

static void set_why(struct tr2_bisect_runner *r, const char *what, int code,
		    const struct tr2_job_result *result)
{
	tr2_buf_reset(&r->why);
	tr2_buf_addstr(&r->why, what);
	r->has_run = true;
	if (!result->started) {
		tr2_buf_addlit(&r->why, " cannot be run");
	} else if (WIFSIGNALED(result->status)) {
		tr2_buf_addlit(&r->why, " was ended by ");
		tr2_signal_add(&r->why, WTERMSIG(result->status));
	} else {
		tr2_buf_addlit(&r->why, " failed with exit code ");
		tr2_buf_add_i64(&r->why, code);
	}
}

/* Run a command once in the current directory. */
static bool run_once(struct tr2_bisect_runner *r, char **argv,
		     const char *what, struct tr2_measures *ms)
{
	struct tr2_job job = {
		.argv = argv,
		.dir = r->dir,
		.nest = TR2_JOB_NEST,
		.timeout_ns = TR2_JOB_TIMEOUT_NS,
		.quiet = true,
		.counters = ms ? &r->counters : NULL,
	};
	struct tr2_job_result result;
	int code;

	if (tr2_bisect_stopped(r))
		return false;
	code = tr2_job_run(&job, &result);
	r->stop |= result.signo != 0;
	if (!result.started && !code)
		code = TR2_EXIT_FATAL;
	if (code)
		set_why(r, what, code, &result);
	if (!code && !r->stop && ms && tr2_set_read(ms, r->dir, true)) {
		code = TR2_EXIT_FATAL;
		r->has_run = false;
		tr2_buf_reset(&r->why);
		tr2_buf_addlit(&r->why, "its recording cannot be read");
	}
	tr2_store_remove(r->dir);
	return !code && !r->stop;
}

bool tr2_bisect_enter(struct tr2_bisect_runner *r,
		      const struct tr2_bisect_tree *tree)
{
	if (tr2_bisect_tree_enter(tree))
		return true;
	r->has_run = false;
	tr2_buf_reset(&r->why);
	tr2_buf_addall(&r->why, "it has no directory '", r->repo.prefix,
		       "', the current one: go to one that all commits have");
	return false;
}

bool tr2_bisect_prepare(struct tr2_bisect_runner *r,
			const struct tr2_bisect_tree *tree,
			const char *commit)
{
	char *words[] = { (char *)"sh", (char *)"-c", (char *)r->build, NULL };
	struct tr2_buf why = TR2_BUF_INIT;
	int ret;

	if (tr2_bisect_stopped(r))
		return false;
	ret = tr2_bisect_tree_checkout(tree, commit, &why);
	/* Print no error if a signal of the terminal has ended Git. */
	if (ret && !tr2_bisect_stopped(r)) {
		r->failed = true;
		tr2_error("cannot check %.9s out in '%s': %s", commit,
			  tree->path, tr2_buf_str(&why));
	}
	tr2_buf_release(&why);
	return !ret && tr2_bisect_enter(r, tree) &&
	       (!r->build || run_once(r, words, "--build", NULL));
}

static bool run_in(struct tr2_bisect_runner *r,
		   const struct tr2_bisect_tree *tree, struct tr2_measures *ms)
{
	return tr2_bisect_enter(r, tree) && run_once(r, r->argv, "CMD", ms);
}

bool tr2_bisect_measure(struct tr2_bisect_runner *r,
			const struct tr2_bisect_tree *tree,
			struct tr2_measures *ms,
			const struct tr2_bisect_tree *base,
			struct tr2_measures *base_ms)
{
	bool ok = true, base_first;
	int64_t i;

	for (i = 0; ok && i < r->nr_runs; i++) {
		base_first = base && tr2_coin_toss();
		if (base_first)
			ok = run_in(r, base, base_ms);
		ok = ok && run_in(r, tree, ms);
		if (base && !base_first)
			ok = ok && run_in(r, base, base_ms);
	}
	return ok;
}

void tr2_bisect_runner_release(struct tr2_bisect_runner *r)
{
	tr2_event_counters_release(&r->counters);
	tr2_buf_release(&r->why);
	tr2_bisect_repo_release(&r->repo);
	free(r->dir);
}

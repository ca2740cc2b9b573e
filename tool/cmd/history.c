/* SPDX-License-Identifier: MIT */
/*
 * trace2 history - the cost of a command at each commit, read from the Git
 * notes of `trace2 stat --note`, and the commits that changed it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/macros.h"
#include "base/text.h"
#include "common/memory.h"
#include "common/say.h"
#include "compare/git.h"
#include "compare/note.h"
#include "compare/numbers.h"
#include "compare/stat.h"
#include "compare/timeline.h"
#include "compare/verdict.h"

#define BAR_WIDTH 12
/* Separators between the parts of a commit, and between commits. */
#define PART '\x1f'
#define COMMIT '\x1e'

static const char *revisions = "HEAD";
static int64_t most = 50;

static const struct tr2_option options[] = {
	{ 0, "revs", "RANGE", TR2_OPT_STRING, &revisions,
	  "of these commits, as 'git log' takes them (HEAD)", NULL },
	{ 'n', "lines", "N", TR2_OPT_INT, &most,
	  "show the last N commits that have a note (50)", NULL },
	TR2_OPT_END
};

/* A commit, and the text that describes it. */
struct row {
	const struct tr2_timeline *t;
	const struct tr2_moment *moment;
	double time, most; /* time: the median of this commit; most: the largest
			    * median of all commits */
	char *text;        /* description of the change; NULL: none */
};

static void cell_commit(struct tr2_table *t, const struct row *r)
{
	if (tr2_output_is_text(t->output))
		tr2_cell_strf(t, "%.9s", r->moment->commit);
	else
		tr2_cell_str(t, r->moment->commit);
}

static void cell_bar(struct tr2_table *t, const struct row *r)
{
	int nr = r->most > 0 ? (int)lround(BAR_WIDTH * r->time / r->most) : 0;
	char bar[BAR_WIDTH + 1];

	memset(bar, '#', sizeof(bar));
	bar[nr > 0 ? nr : 0] = '\0';
	tr2_cell_str(t, isnan(r->time) ? NULL : bar);
}

#define COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(commit, "COMMIT", TR2_COL_LEFT, cell_commit(t, r)) \
	DATA(runs, tr2_cell_uint(t, r->moment->measures.nr_runs)) \
	COLUMN(time_ns, "TIME", 0, \
	       if (!isnan(r->time)) tr2_cell_ns(t, llround(r->time))) \
	TEXT(bar, "", TR2_COL_LEFT, cell_bar(t, r)) \
	TEXT(mark, "", TR2_COL_LEFT, tr2_cell_str(t, r->text ? "*" : NULL)) \
	DATA(time_ratio, if (fabs(log(r->moment->time)) > 0) \
		tr2_cell_real(t, r->moment->time)) \
	DATA(change, tr2_cell_str(t, r->text)) \
	COLUMN(subject, "SUBJECT", TR2_COL_FLEX, \
	       tr2_cell_str(t, r->moment->subject))

TR2_COLUMN_LIST(columns, struct row, COLUMNS)

/* Compare only counts: comparing times of different days needs more than two
 * commits. */
static bool is_exact(const struct tr2_difference *d, const void *data)
{
	(void)data;
	return d->exact != TR2_EXACT_NO || d->exact_calls != TR2_EXACT_NO;
}

/* Describe the change that a commit made; NULL: the commit changed nothing. */
static char *text_of_change(const struct tr2_moment *before,
			    const struct tr2_moment *m)
{
	struct tr2_buf b = TR2_BUF_INIT;
	struct tr2_comparison c;
	struct tr2_verdict v;
	char *text = NULL;

	if (fabs(log(m->time)) > 0)
		tr2_addf(&b, "%s: time %+.1f%%",
			 m->time > 1 ? "slower" : "faster",
			 (m->time - 1) * 100);
	tr2_compare(&c, &before->measures, &m->measures, false, is_exact, NULL);
	tr2_verdict(&v, &c, 0);
	if (v.nr_counts) {
		tr2_buf_addstr(&b, b.len ? "; " : "");
		tr2_verdict_add(&b, &v, &c);
	}
	tr2_comparison_release(&c);
	if (b.len)
		text = tr2_strdup(tr2_buf_str(&b));
	tr2_buf_release(&b);
	return text;
}

static double median_of(const struct tr2_timeline *t,
			const struct tr2_moment *m)
{
	const struct tr2_measure *it = tr2_timeline_time(t, m);
	struct tr2_numbers n;

	return it && tr2_numbers(&n, it->values, m->measures.nr_runs) ?
		       n.p50 : NAN;
}

static void print_changes(const struct row *rows, size_t nr,
			  const char *command, const char *time, bool text)
{
	size_t i, changes = 0;

	for (i = 0; i < nr; i++) {
		if (!rows[i].text)
			continue;
		printf(changes++ ? "" : "\n");
		printf(text ? "%.9s %s\n" : "- `%.9s` %s\n",
		       rows[i].moment->commit, rows[i].text);
	}
	printf("\n%s%s: %zu commit%s, %zu of them changed it. TIME is %s, the "
	       "median of the runs.%s\n",
	       text ? tr2_color_on(TR2_COLOR_DIM) : "", command, nr,
	       nr == 1 ? "" : "s", changes,
	       time ? time : "unknown",
	       text ? tr2_color_off(TR2_COLOR_DIM) : "");
}

static void print_timeline(const struct tr2_timeline *t, const char *command)
{
	struct row *rows = tr2_calloc(t->nr, sizeof(*rows));
	double largest = 0;
	struct tr2_output out;
	struct tr2_table table = TR2_TABLE_OF(&out, "history", columns);
	size_t i;

	tr2_output_begin(&out, tr2_common.format);
	for (i = 0; i < t->nr; i++)
		largest = fmax(largest, median_of(t, &t->item[i]));
	for (i = 0; i < t->nr; i++) {
		rows[i] = (struct row){ t, &t->item[i],
					median_of(t, &t->item[i]), largest,
					NULL };
		if (i)
			rows[i].text = text_of_change(&t->item[i - 1],
						      &t->item[i]);
		tr2_table_add(&table, &rows[i]);
	}
	tr2_table_finish(&table);
	if (tr2_output_is_text(&out))
		print_changes(rows, t->nr, command, t->time,
			      out.format == TR2_FORMAT_TEXT);
	tr2_output_end(&out);
	for (i = 0; i < t->nr; i++)
		free(rows[i].text);
	free(rows);
}

/* Cut the next part off *text, and return it; NULL: no part is left. */
static char *next_part(char **text, char end)
{
	char *part = *text, *at = part ? strchr(part, end) : NULL;

	if (!at)
		return NULL;
	*at = '\0';
	*text = at + 1;
	return part;
}

/* Return the first command of a note; NULL: the note has no command. The first
 * command of the newest note is the default. */
static char *command_of(const char *note)
{
	size_t len = strcspn(note, "\n");

	if (strncmp(note, "command\t", 8) || len < 8)
		return NULL;
	return tr2_strf("%.*s", (int)(len - 8), note + 8);
}

/* Reverse the commits: Git lists the newest first. */
static void reverse(struct tr2_timeline *t)
{
	struct tr2_moment other;
	size_t i;

	for (i = 0; i < t->nr / 2; i++) {
		other = t->item[i];
		t->item[i] = t->item[t->nr - 1 - i];
		t->item[t->nr - 1 - i] = other;
	}
}

/* Read the notes. Return the command to which they belong, which the caller
 * frees; NULL: no commit has a note. */
static char *read_notes(struct tr2_timeline *t, char *log, char *command)
{
	char *hash, *subject, *note;

	while ((hash = next_part(&log, PART)) &&
	       (subject = next_part(&log, PART)) &&
	       (note = next_part(&log, COMMIT)) && (int64_t)t->nr < most) {
		struct tr2_measures ms = { 0 };

		hash += strspn(hash, "\n");
		if (!command)
			command = command_of(note);
		if (command && tr2_note_read(&ms, note, command))
			tr2_timeline_add(t, hash, subject)->measures = ms;
	}
	reverse(t);
	return command;
}

static int run_history(int argc, char **argv)
{
	static const char notes[] = "--notes=" TR2_NOTES_REF;
	struct tr2_buf log = TR2_BUF_INIT, line = TR2_BUF_INIT;
	struct tr2_timeline t = { 0 };
	char *command;

	if (tr2_git_run(&log, NULL, "log", notes,
			"--format=%H%x1f%s%x1f%N%x1e", revisions, "--")) {
		tr2_buf_release(&log);
		tr2_error("'git log %s' failed: run this in a Git repository, "
			  "and see --revs", revisions);
		return TR2_EXIT_FATAL;
	}
	if (argc)
		tr2_stat_add_command(&line, argv);
	tr2_must(!log.failed);
	command = read_notes(&t, log.p, argc ? tr2_strdup(tr2_buf_str(&line)) :
					       NULL);
	if (t.nr) {
		tr2_timeline_judge(&t);
		print_timeline(&t, command);
	} else {
		tr2_error("no commit has a note of %s ('trace2 stat --note -- "
			  "CMD' makes one for HEAD)",
			  argc ? tr2_buf_str(&line) : "a command");
	}
	tr2_buf_release(&log);
	tr2_buf_release(&line);
	free(command);
	argc = t.nr ? 0 : TR2_EXIT_FATAL;
	tr2_timeline_release(&t);
	return argc;
}

const struct tr2_command tr2_command_history = {
	.name = "history",
	.synopsis = "[--revs RANGE] [-n N] [[--] CMD [ARG...]]",
	.summary = "Shows the cost of a command at each commit, and which "
		   "commits changed it.",
	.details = "Reads the Git notes that 'trace2 stat --note' keeps "
		   "(refs/notes/trace2). Without CMD, it is the first command "
		   "of the newest note.",
	.options = options,
	.common = TR2_COMMON_FORMAT | TR2_COMMON_MARKDOWN,
	.flags = TR2_COMMAND_STOP,
	.run = run_history,
};

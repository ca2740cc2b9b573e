/* SPDX-License-Identifier: MIT */
/* Print the commits that `trace2 bisect` judged. */
#include "bisect/bisect_steps.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "common/memory.h"
#include "compare/git.h"

#define STEP_COLUMNS(COLUMN, DATA, TEXT) \
	DATA(commit, tr2_cell_str(t, r->commit)) \
	DATA(is, tr2_cell_str(t, r->word)) \
	DATA(value, if (!isnan(r->value)) tr2_cell_real(t, r->value)) \
	DATA(why, tr2_cell_str(t, r->why)) \
	DATA(subject, tr2_cell_str(t, r->subject))

TR2_COLUMN_LIST(step_columns, struct tr2_bisect_step, STEP_COLUMNS)

/* The commit that was found, and the measure by which it was found. */
struct found {
	const char *commit, *subject;
	const struct tr2_bisect_decision *by;
};

#define FOUND_COLUMNS(COLUMN, DATA, TEXT) \
	DATA(commit, tr2_cell_str(t, r->commit)) \
	DATA(subject, tr2_cell_str(t, r->subject)) \
	DATA(kind, tr2_cell_str(t, tr2_measure_names[r->by->kind])) \
	DATA(name, tr2_cell_str(t, r->by->name)) \
	DATA(exact, tr2_cell_bool(t, r->by->is_exact))

TR2_COLUMN_LIST(found_columns, struct found, FOUND_COLUMNS)

char *tr2_bisect_subject(const char *commit, const char *format, bool is_text)
{
	char *option = tr2_strf("--format=%s", format);
	char *text = tr2_git_text("log", "-1", option, commit), *shown;
	struct tr2_buf b = TR2_BUF_INIT;

	free(option);
	if (!text)
		text = tr2_strdup("");
	if (!is_text)
		return text;
	tr2_text_add(&b, text, strlen(text));
	shown = tr2_strdup(tr2_buf_str(&b));
	tr2_buf_release(&b);
	free(text);
	return shown;
}

static void print_line(FILE *out, const struct tr2_bisect_step *s,
		       const struct tr2_bisect_decision *by)
{
	struct tr2_buf b = TR2_BUF_INIT;
	char *subject = tr2_bisect_subject(s->commit, "%s", true);

	if (s->why) {
		tr2_text_add(&b, s->why, strlen(s->why));
	} else {
		tr2_text_add(&b, by->name, strlen(by->name));
		tr2_buf_addch(&b, ' ');
		/* Print counts exactly: rounded counts may not show the
		 * difference. */
		if (by->is_exact)
			tr2_buf_add_u64(&b, (uint64_t)llround(s->value));
		else
			tr2_buf_addstr(&b, tr2_measure_text(by->unit,
							    s->value));
	}
	fprintf(out, "%-4s  %.9s  %s  %s\n", s->word, s->commit,
		tr2_buf_str(&b), subject);
	fflush(out);
	tr2_buf_release(&b);
	free(subject);
}

void tr2_bisect_step_add(struct tr2_bisect_steps *steps,
			 const struct tr2_bisect_step *step,
			 const struct tr2_bisect_decision *by, FILE *out)
{
	struct tr2_bisect_step *s;

	tr2_grow(steps->item, steps->nr, steps->alloc);
	s = &steps->item[steps->nr++];
	*s = *step;
	s->commit = tr2_strdup(step->commit);
	s->subject = tr2_bisect_subject(step->commit, "%s", false);
	s->why = step->why ? tr2_strdup(step->why) : NULL;
	if (out)
		print_line(out, s, by);
}

const struct tr2_bisect_step *
tr2_bisect_step_last(const struct tr2_bisect_steps *steps, const char *word)
{
	uint32_t i = steps->nr;

	while (i--)
		if (!strcmp(steps->item[i].word, word))
			return &steps->item[i];
	return NULL;
}

void tr2_bisect_steps_print(struct tr2_output *out,
			    const struct tr2_bisect_steps *steps)
{
	struct tr2_table t = TR2_TABLE_OF(out, "steps", step_columns);
	uint32_t i;

	for (i = 0; i < steps->nr; i++)
		tr2_table_add(&t, &steps->item[i]);
	tr2_table_finish(&t);
}

void tr2_bisect_found_print(struct tr2_output *out, const char *commit,
			    const char *subject,
			    const struct tr2_bisect_decision *by)
{
	struct found found = { commit, subject, by };

	tr2_table_print_row(out, "found", TR2_COLUMNS(found_columns), &found);
}

void tr2_bisect_steps_release(struct tr2_bisect_steps *steps)
{
	uint32_t i;

	for (i = 0; i < steps->nr; i++) {
		free((char *)steps->item[i].commit);
		free((char *)steps->item[i].subject);
		free((char *)steps->item[i].why);
	}
	free(steps->item);
}

/* SPDX-License-Identifier: MIT */
/* Write and read measures as text. */
#include "compare/note.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "common/memory.h"
#include "common/say.h"
#include "compare/git.h"

#define COMMAND "command\t"
/* Leave out times below this share of the whole: they explain nothing. */
#define LEAST_SHARE 0.01

static bool is_constant(const double *values, uint32_t nr)
{
	uint32_t i;

	for (i = 1; i < nr; i++)
		if (values[i] < values[0] || values[i] > values[0] ||
		    isnan(values[i]))
			return false;
	return true;
}

static void add_values(struct tr2_buf *b, const double *values, uint32_t nr)
{
	uint32_t i;

	nr = is_constant(values, nr) ? 1 : nr;
	for (i = 0; i < nr; i++) {
		tr2_buf_addstr(b, i ? "," : "");
		if (isnan(values[i]))
			tr2_buf_addch(b, '-');
		else
			tr2_addf(b, "%.15g", values[i]);
	}
}

/* Is the measure a count, or a time that is large enough? */
static bool is_kept(const struct tr2_measures *ms, const struct tr2_measure *it)
{
	const struct tr2_measure *wall =
		tr2_measures_find(ms, TR2_MEASURE_RUN, "wall");
	uint32_t i;

	if (it->note || tr2_measure_is_of_states(it->kind))
		return false;
	if (it->unit != TR2_UNIT_NS || it->kind <= TR2_MEASURE_EVENT || !wall)
		return true;
	for (i = 0; i < ms->nr_runs; i++)
		if (it->values[i] > LEAST_SHARE * wall->values[i])
			return true;
	return is_constant(it->calls, ms->nr_runs);
}

void tr2_note_add(struct tr2_buf *b, const char *command,
		  const struct tr2_measures *ms)
{
	uint32_t i;

	tr2_addf(b, COMMAND "%s\nruns\t%u", command, ms->nr_runs);
	for (i = 0; i < ms->nr; i++) {
		const struct tr2_measure *it = &ms->item[i];

		if (!is_kept(ms, it))
			continue;
		tr2_buf_addall(b, "\n", tr2_measure_names[it->kind], "\t",
			       tr2_measure_units[it->unit], "\t");
		add_values(b, it->calls, ms->nr_runs);
		tr2_buf_addch(b, '\t');
		add_values(b, it->values, ms->nr_runs);
		tr2_buf_addch(b, '\t');
		tr2_text_add(b, it->name, strlen(it->name));
	}
	tr2_buf_addch(b, '\n');
}

/* Return the block of this command; command NULL: the first block. Set *len to
 * the block's length. */
static const char *find_block(const char *note, const char *command,
			      size_t *len)
{
	size_t words = command ? strlen(command) : 0;
	const char *at, *end, *name;

	for (at = note; *at; at = end) {
		end = strstr(at, "\n" COMMAND);
		end = end ? end + 1 : at + strlen(at);
		name = at + strlen(COMMAND);
		if (!strncmp(at, COMMAND, strlen(COMMAND)) &&
		    (!command || (!strncmp(name, command, words) &&
				  name[words] == '\n'))) {
			*len = (size_t)(end - at);
			return at;
		}
	}
	return NULL;
}

void tr2_note_add_others(struct tr2_buf *b, const char *from,
			 const char *command)
{
	size_t len = 0;
	const char *block = find_block(from, command, &len);

	if (!block) {
		tr2_buf_addstr(b, from);
		return;
	}
	tr2_buf_add(b, from, (size_t)(block - from));
	tr2_buf_addstr(b, block + len);
}

static void read_values(const char *text, double *values, uint32_t nr)
{
	uint32_t i;
	char *end;

	for (i = 0; i < nr; i++) {
		values[i] = *text == '-' ? NAN : strtod(text, &end);
		/* The last value counts for all remaining runs. */
		if (strchr(text, ','))
			text = strchr(text, ',') + 1;
	}
}

static int index_of(const char *const *names, int nr, const char *name)
{
	int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

static void read_line(struct tr2_measures *ms, char *line)
{
	char *field[5] = { line };
	struct tr2_measure *it;
	int i, kind, unit;

	for (i = 1; i < 5; i++) {
		field[i] = strchr(field[i - 1], '\t');
		if (!field[i])
			return;
		*field[i]++ = '\0';
	}
	kind = index_of(tr2_measure_names, TR2_MEASURE_NR, field[0]);
	unit = index_of(tr2_measure_units, TR2_UNIT_BYTES + 1, field[1]);
	if (kind < 0 || unit < 0)
		return;
	it = tr2_measures_get(ms, (enum tr2_measure_kind)kind, field[4]);
	it->unit = (enum tr2_measure_unit)unit;
	read_values(field[2], it->calls, ms->nr_runs);
	read_values(field[3], it->values, ms->nr_runs);
}

bool tr2_note_read(struct tr2_measures *ms, const char *note,
		   const char *command)
{
	size_t len = 0;
	const char *block = find_block(note, command, &len);
	char *text, *line, *next;
	uint64_t runs;

	if (!block)
		return false;
	text = tr2_strf("%.*s", (int)len, block);
	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (sscanf(line, "runs\t%" SCNu64, &runs) == 1)
			while (runs <= 1000000 && ms->nr_runs < runs)
				tr2_measures_begin_run(ms);
		else if (ms->nr_runs)
			read_line(ms, line);
	}
	free(text);
	return ms->nr_runs > 0;
}

static const char *const ref = "--ref=" TR2_NOTES_REF;
static const char *const shown = "--notes=" TR2_NOTES_REF;

int tr2_note_keep(const char *command, const struct tr2_measures *ms)
{
	struct tr2_buf before = TR2_BUF_INIT, note = TR2_BUF_INIT;
	char *head = tr2_git_text("rev-parse", "-q", "--verify",
				  "HEAD^{commit}");
	/* Do not refresh the index: in a hook it may belong to a commit that is
	 * being made. */
	char *changed = tr2_git_text("--no-optional-locks", "status",
				     "--porcelain", "-uno");
	int code = -1;

	if (head && changed && *changed)
		tr2_warning("the work tree has changes that are not in HEAD, "
			    "but the note of HEAD gets these counts");
	if (head && tr2_git_run(&before, NULL, "log", "-1", shown,
				"--format=%N", head))
		tr2_buf_reset(&before);
	tr2_note_add_others(&note, tr2_buf_str(&before), command);
	tr2_note_add(&note, command, ms);
	tr2_must(!note.failed);
	if (head)
		code = tr2_git_run(NULL, tr2_buf_str(&note), "notes", ref,
				   "add", "-f", "-F", "-", head);
	if (code)
		tr2_error("--note: cannot write a note of HEAD (is this a Git "
			  "repository with a commit, and user.name set?)");
	tr2_buf_release(&before);
	tr2_buf_release(&note);
	free(head);
	free(changed);
	return code ? -1 : 0;
}

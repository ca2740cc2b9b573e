/* SPDX-License-Identifier: MIT */
/*
 * check_env - trace2 check --env: the settings in effect, their sources, and
 * whether destinations work.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "check/check.h"
#include "common/options.h"
#include "common/say.h"
#include "common/settings.h"
#include "common/spell.h"
#include "config/config.h"
#include "out/table.h"

struct reading {
	struct tr2_found *found; /* by setting */
	int nr_faults;
};

static void set_found(struct tr2_found *found, const char *value,
		      const char *origin)
{
	snprintf(found->value, sizeof(found->value), "%s", value);
	snprintf(found->origin, sizeof(found->origin), "%s", origin);
}

static void note_entry(void *cookie, const struct tr2_config_entry *entry)
{
	const struct tr2_setting *s = tr2_setting_find(entry->key);
	struct reading *reading = cookie;

	if (s)
		set_found(&reading->found[s - tr2_settings],
			  entry->value ? entry->value : "true", entry->path);
}

static void note_fault(void *cookie, const struct tr2_config_fault *fault)
{
	struct reading *reading = cookie;

	if (fault->line)
		tr2_error("cannot read '%s': line %u: %s", fault->path,
			  fault->line, fault->reason);
	else
		tr2_error("cannot read '%s': %s", fault->path, fault->reason);
	reading->nr_faults++;
}

int tr2_check_find_settings(struct tr2_found found[TR2_NR_SETTINGS])
{
	struct reading reading = { .found = found };
	const struct tr2_config_request request = {
		.entry = note_entry,
		.fault = note_fault,
		.cookie = &reading,
		.section = "trace2",
		.thorough = true,
	};
	size_t i;

	tr2_config_read(&request);
	for (i = 0; i < TR2_NR_SETTINGS; i++) {
		const char *value = getenv(tr2_settings[i].variable);

		if (value && *value)
			set_found(&found[i], value, "environment");
	}
	return reading.nr_faults;
}

/* Return the setting whose name is most similar to `name`: by a common synonym,
 * else by letters. NULL: no name is similar. */
static const char *nearest(struct tr2_spell *spell, const char *name)
{
	size_t i;

	if (strstr(name, "DEPTH") || strstr(name, "NEST"))
		return "GIT_TRACE2_EVENT_NESTING";
	*spell = (struct tr2_spell){ .word = name, .limit = 7 };
	for (i = 0; i < TR2_NR_SETTINGS; i++)
		tr2_spell_try(spell, tr2_settings[i].variable);
	return spell->nr ? spell->near[0] : NULL;
}

struct row {
	const char *variable;
	const struct tr2_found *found;
	bool works;
	const char *meaning; /* a report about the value; NULL: there is nothing
			      * to report */
};

static void cell_meaning(struct tr2_table *t, const struct row *r)
{
	tr2_cell_str(t, r->meaning);
	if (r->meaning && !r->works)
		tr2_cell_color(t, TR2_COLOR_BAD);
}

#define COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(variable, "SETTING", TR2_COL_LEFT, \
	       tr2_cell_str(t, r->variable)) \
	COLUMN(value, "VALUE", TR2_COL_LEFT, tr2_cell_str(t, r->found->value)) \
	COLUMN(origin, "FROM", TR2_COL_LEFT, \
	       tr2_cell_str(t, r->found->origin)) \
	DATA(works, tr2_cell_bool(t, r->works)) \
	COLUMN(meaning, "WHICH IS", TR2_COL_LEFT, cell_meaning(t, r))

TR2_COLUMN_LIST(columns, struct row, COLUMNS)

/* Add a row for each variable whose name is similar to a setting's name. Return
 * the number of rows. */
static int add_near_misses(struct tr2_table *t)
{
	struct tr2_found found = { "", "environment" };
	struct tr2_buf text = TR2_BUF_INIT;
	char name[64];
	int nr = 0;
	char **v;

	for (v = environ; *v; v++) {
		size_t len = strcspn(*v, "=");
		struct tr2_spell spell;
		const char *near;

		if (strncmp(*v, "GIT_TRACE2", 10) != 0 || len >= sizeof(name))
			continue;
		memcpy(name, *v, len);
		name[len] = '\0';
		if (tr2_setting_find(name))
			continue;
		snprintf(found.value, sizeof(found.value), "%s",
			 (*v)[len] ? *v + len + 1 : "");
		near = nearest(&spell, name);
		tr2_buf_reset(&text);
		if (near)
			tr2_check_say(&text, false,
				      "not a setting: did you mean %s?", near);
		else
			tr2_check_say(&text, false, "not a setting");
		tr2_table_add(t, &(struct row){ name, &found, false,
						tr2_buf_str(&text) });
		nr++;
	}
	tr2_buf_release(&text);
	return nr;
}

static bool is_target(const struct tr2_setting *s)
{
	return s->type == TR2_SETTING_IS_TARGET;
}

/* If there is something to report about the value, append it to `out`. Return
 * false if the value does not work. */
static bool check_value(const struct tr2_setting *s, const char *value,
			struct tr2_buf *out)
{
	if (is_target(s))
		return tr2_check_destination(value,
					     !strcmp(s->variable,
						     "GIT_TRACE2_RING"), out);
	if (tr2_setting_takes(s, value))
		return true;
	return tr2_check_say(out, false, "not a valid value; the default "
					 "applies: %s",
			     s->fallback ? s->fallback : "off");
}

/* Add a row for each setting in effect. Return the number of settings that do
 * not work. */
static int add_settings(struct tr2_table *t, const struct tr2_found *found,
			int *nr_targets)
{
	struct tr2_buf meaning = TR2_BUF_INIT;
	int bad = 0;
	size_t i;

	for (i = 0; i < TR2_NR_SETTINGS; i++) {
		bool ok;

		if (!*found[i].value)
			continue;
		tr2_buf_reset(&meaning);
		ok = check_value(&tr2_settings[i], found[i].value, &meaning);
		*nr_targets += is_target(&tr2_settings[i]);
		bad += !ok;
		tr2_table_add(t, &(struct row){
			tr2_settings[i].variable, &found[i], ok,
			meaning.len ? tr2_buf_str(&meaning) : NULL });
	}
	tr2_buf_release(&meaning);
	return bad;
}

struct env_summary {
	int targets, faults;
};

#define SUMMARY_COLUMNS(COLUMN, DATA, TEXT) \
	DATA(targets, tr2_cell_int(t, r->targets)) \
	DATA(faults, tr2_cell_int(t, r->faults))

TR2_COLUMN_LIST(summary_columns, struct env_summary, SUMMARY_COLUMNS)

int tr2_check_env(void)
{
	static struct tr2_found found[TR2_NR_SETTINGS];
	struct env_summary sum = { 0, tr2_check_find_settings(found) };
	struct tr2_output out;
	struct tr2_table t = TR2_TABLE_OF(&out, "settings", columns);

	sum.faults += add_settings(&t, found, &sum.targets);
	sum.faults += add_near_misses(&t);
	tr2_output_begin(&out, tr2_common.format);
	if (out.format == TR2_FORMAT_JSON)
		tr2_table_print_row(&out, "summary",
				    TR2_COLUMNS(summary_columns), &sum);
	if (t.nr_rows || out.format != TR2_FORMAT_TEXT)
		tr2_table_print(&t);
	tr2_output_end(&out);
	if (!sum.targets && out.format == TR2_FORMAT_TEXT)
		puts("no target is on: set GIT_TRACE2_EVENT to a directory, "
		     "or run 'trace2 record -- COMMAND'");
	tr2_table_release(&t);
	return sum.faults ? TR2_EXIT_FOUND : 0;
}

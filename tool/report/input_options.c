/* SPDX-License-Identifier: MIT */
/*
 * input_options - load the inputs that a command's words or -i name. Report
 * options that match nothing in these inputs: most likely the options are
 * mistyped.
 */
#include "report/input_options.h"

#include <string.h>

#include "base/buf.h"
#include "common/words.h"
#include "common/say.h"
#include "common/spell.h"

static bool any_process(const struct tr2_model *m, const struct tr2_filter *f)
{
	uint32_t i;

	for (i = 1; i < m->nr_nodes; i++)
		if (tr2_filter_node(f, m, i))
			return true;
	return false;
}

static bool any_region(const struct tr2_model *m, const struct tr2_filter *f)
{
	uint32_t i;

	for (i = 1; i < m->nr_spans; i++)
		if (tr2_filter_span(f, m, i))
			return true;
	for (i = 1; i < m->nr_trace_spans; i++)
		if (tr2_filter_trace_span(f, m, i))
			return true;
	return false;
}

static void try_processes(const struct tr2_model *m, struct tr2_spell *spell)
{
	uint32_t i;

	for (i = 1; i < m->nr_nodes; i++)
		tr2_spell_try(spell, tr2_node_name(m, i));
}

static void try_name(const struct tr2_model *m, struct tr2_spell *spell,
		     tr2_str category, tr2_str label)
{
	static struct tr2_buf name; /* static, to be used again: each new buffer
				     * would map memory */

	tr2_spell_try(spell, tr2_s(m, label));
	tr2_spell_try(spell, tr2_join(&name, tr2_s(m, category),
				      tr2_s(m, label)));
}

static void try_regions(const struct tr2_model *m, struct tr2_spell *spell)
{
	uint32_t i;

	for (i = 1; i < m->nr_spans; i++) {
		const struct tr2_span *s = &m->spans[i];

		if (s->kind == TR2_SPAN_REGION)
			try_name(m, spell, s->category, s->label);
	}
	for (i = 1; i < m->nr_trace_spans; i++)
		try_name(m, spell, m->trace_spans[i].category,
			 m->trace_spans[i].name);
}

/* An option that selects processes or regions (`what`) by a GLOB. list: the
 * command that shows their names. */
struct kind {
	const char *option, *what, *list;
	const char **(*pattern)(struct tr2_filter *f);
	bool (*any)(const struct tr2_model *m, const struct tr2_filter *f);
	void (*try_all)(const struct tr2_model *m, struct tr2_spell *spell);
};

static const char **cmd_of(struct tr2_filter *f)
{
	return &f->cmd;
}

static const char **region_of(struct tr2_filter *f)
{
	return &f->region;
}

static const struct kind commands = {
	"--cmd", "process", "'trace2 list'", cmd_of, any_process, try_processes,
};
static const struct kind regions = {
	"-N", "region", "'trace2 report --regions'", region_of, any_region,
	try_regions,
};

/* Suggest "*GLOB*", which many users mean; if it matches nothing, suggest names
 * with similar letters. */
static void say_similar(const struct kind *kind, const struct tr2_model *m,
			const char *glob)
{
	struct tr2_spell spell = { .word = glob, .limit = TR2_SPELL_LIMIT };
	struct tr2_filter wider = TR2_FILTER_ANY;
	struct tr2_buf pattern = TR2_BUF_INIT;
	const char *question;

	tr2_buf_addall(&pattern, "*", glob, "*");
	*kind->pattern(&wider) = tr2_buf_str(&pattern);
	kind->try_all(m, &spell);
	question = tr2_spell_question(&spell);
	if (*glob && kind->any(m, &wider))
		tr2_error("no %s matches %s '%s'. Did you mean '%s'?",
			  kind->what, kind->option, glob,
			  tr2_buf_str(&pattern));
	else if (*question)
		tr2_error("no %s matches %s '%s'%s", kind->what, kind->option,
			  glob, question);
	else
		tr2_error("no %s matches %s '%s': %s shows their names",
			  kind->what, kind->option, glob, kind->list);
	tr2_buf_release(&pattern);
}

static bool check_glob(const struct kind *kind, const struct tr2_model *m,
		       const char *glob)
{
	struct tr2_filter only = TR2_FILTER_ANY;

	*kind->pattern(&only) = glob;
	if (!glob || kind->any(m, &only))
		return true;
	say_similar(kind, m, glob);
	return false;
}

static bool check_sid(const struct tr2_model *m, const char *sid)
{
	struct tr2_filter only = TR2_FILTER_ANY;

	only.sid = sid;
	if (!sid || any_process(m, &only))
		return true;
	tr2_error("no session id is '%s', or begins with it: "
		  "'trace2 list --format=csv' shows the ids", sid);
	return false;
}

static bool check_pid(const struct tr2_model *m, int64_t pid)
{
	struct tr2_filter only = TR2_FILTER_ANY;

	only.pid = pid;
	if (pid < 0 || any_process(m, &only))
		return true;
	tr2_error("no process has the pid %lld: 'trace2 list' shows the pids",
		  (long long)pid);
	return false;
}

/* Check that --cmd, --sid, --pid and -N each match something in the model, and
 * that some process matches --cmd, --sid and --pid at once. Return false after
 * an error message. */
static bool check_filter(const struct tr2_filter *f, const struct tr2_model *m)
{
	struct tr2_filter all = TR2_FILTER_ANY;

	if (!check_glob(&commands, m, f->cmd) || !check_sid(m, f->sid) ||
	    !check_pid(m, f->pid) || !check_glob(&regions, m, f->region))
		return false;
	all.cmd = f->cmd;
	all.sid = f->sid;
	all.pid = f->pid;
	if (!tr2_filter_on(&all) || any_process(m, &all))
		return true;
	tr2_error("no process matches all of --cmd, --sid and --pid");
	return false;
}

/* Warn if -t, --since or --until excludes all processes and regions. */
static void warn_of_times(const struct tr2_filter *f, const struct tr2_model *m)
{
	struct tr2_filter times = TR2_FILTER_ANY;

	times.min_ns = f->min_ns;
	if (m->nr_nodes < 2 || any_process(m, f) || any_region(m, f))
		return;
	if (!any_process(m, &times) && !any_region(m, &times))
		tr2_warning("no process and no region is as long as -t asks: "
			    "give a shorter time");
	else if (f->since_ns != INT64_MIN || f->until_ns != INT64_MAX)
		tr2_warning("no process and no region is in the time of "
			    "--since and --until");
}

bool tr2_inputs(int argc, char **argv, struct tr2_list *out)
{
	static const char *standard[] = { "trace2.data" };

	if (argc && tr2_common.input.nr) {
		tr2_error("name inputs either with -i or as words, not both");
		return false;
	}
	if (argc)
		*out = (struct tr2_list){ (const char **)argv, (size_t)argc };
	else if (tr2_common.input.nr)
		*out = tr2_common.input;
	else
		*out = (struct tr2_list){ standard, 1 };
	return true;
}

struct tr2_model *tr2_inputs_load(int argc, char **argv, unsigned int flags,
				  int *exit_code)
{
	struct tr2_load load = { .flags = flags };
	enum tr2_load_result result;
	struct tr2_list inputs;
	struct tr2_model *m;

	if (!tr2_inputs(argc, argv, &inputs)) {
		*exit_code = TR2_EXIT_USAGE;
		return NULL;
	}
	m = tr2_model_new();
	load.paths = inputs.item;
	load.nr_paths = inputs.nr;
	result = tr2_load(m, &load);
	if (result == TR2_LOAD_OK && check_filter(&tr2_common.filter, m)) {
		warn_of_times(&tr2_common.filter, m);
		return m;
	}
	tr2_model_free(m);
	*exit_code = result == TR2_LOAD_NOTHING ? 0 : TR2_EXIT_FATAL;
	return NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * check --record: open what `trace2 record` opens, for this user on this
 * machine; close it again, and print what is missing.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/check.h"
#include "common/options.h"
#include "common/procfs.h"
#include "out/table.h"
#include "perfevent/perfevent.h"
#include "record/kernel/counters.h"
#include "record/kernel/kernel_records.h"
#include "record/refusal.h"
#include "record/sources/connector.h"
#include "record/sources/ptrace.h"

#define PROFILE_HZ 997

static struct {
	struct tr2_kernel_records kernel;
	struct tr2_connector connector;
	struct tr2_ptrace ptrace;
	bool has_tasks, has_connector, has_ptrace;
} had;

struct source {
	const char *command, *what;
	bool has;
	const char *why; /* the source by which `what` works, or the reason why
			  * it does not work */
};

#define COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(command, "COMMAND", TR2_COL_LEFT, tr2_cell_str(t, r->command)) \
	COLUMN(what, "WHAT", TR2_COL_LEFT, tr2_cell_str(t, r->what)) \
	DATA(available, tr2_cell_bool(t, r->has)) \
	TEXT(shown, "HERE", TR2_COL_LEFT, \
	     tr2_cell_str(t, r->has ? "yes" : "no"); \
	     tr2_cell_color(t, r->has ? TR2_COLOR_NONE : TR2_COLOR_WARM)) \
	COLUMN(why, "BY, OR WHY NOT", TR2_COL_LEFT, tr2_cell_str(t, r->why))

TR2_COLUMN_LIST(columns, struct source, COLUMNS)

/* Try ptrace on a child that does nothing. */
static bool try_ptrace(struct tr2_ptrace *p)
{
	int go[2];
	pid_t pid;
	char word;
	bool traced;

	if (pipe(go))
		return false;
	pid = fork();
	if (!pid) {
		close(go[1]);
		_exit(read(go[0], &word, 1) < 0);
	}
	close(go[0]);
	traced = pid > 0 && tr2_ptrace_start(p, pid);
	close(go[1]);
	if (traced)
		tr2_ptrace_release(p);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return traced;
}

static void open_sources(void)
{
	struct tr2_loop loop;

	tr2_kernel_records_init(&had.kernel);
	tr2_connector_init(&had.connector);
	if (tr2_loop_init(&loop))
		return;
	had.kernel.wanted.states = had.kernel.wanted.of_command = true;
	had.kernel.wanted.hz = PROFILE_HZ;
	/* Pass a descriptor of /dev/null in place of kernel.data.
	 * tr2_kernel_records_release() closes the descriptor. */
	had.has_tasks = tr2_kernel_records_open(
		&had.kernel, &loop, open("/dev/null", O_RDWR | O_CLOEXEC));
	had.has_connector = tr2_connector_open(&had.connector, &loop,
					       TR2_CONNECTOR_EXITS);
	tr2_kernel_records_release(&had.kernel);
	tr2_connector_release(&had.connector);
	tr2_loop_release(&loop);
	had.has_ptrace = try_ptrace(&had.ptrace);
}

static bool is_counted(const char *name)
{
	struct tr2_perfevents list;
	struct tr2_perfevent event;

	tr2_perfevents_init(&list, name);
	return tr2_perfevents_next(&list, &event) == TR2_PERFEVENT_OK &&
	       tr2_event_works(&event);
}

static void add_remedy(struct tr2_table *t, const char *command,
		       const char *what, bool has, const char *why)
{
	const struct source source = { command, what, has, why };

	tr2_table_add(t, &source);
}

static void add_kernel(struct tr2_table *t, const char *command,
		       const char *what, enum tr2_kernel_source source)
{
	const char *refused = had.kernel.refused[source];

	add_remedy(t, command, what, !refused[0],
		   refused[0] ? refused : "perf_event_open");
}

static void add_processes(struct tr2_table *t)
{
	const char *by = had.has_tasks ? "perf_event_open" :
			 had.has_connector ? "the process connector" :
			 had.has_ptrace ? "ptrace" : NULL;
	/* `trace2 record` uses ptrace only if both other sources are
	 * refused. */
	bool traced = !had.has_tasks && !had.has_connector && had.has_ptrace;

	add_remedy(t, "record", "all processes", by,
		   by ? by : had.ptrace.why_not);
	add_remedy(t, "record", "exit codes, arguments",
		   had.has_connector || traced,
		   had.has_connector ? "the process connector"
		   : traced	     ? "ptrace"
				     : had.connector.why_not);
	add_remedy(t, "record", "arguments of brief programs",
		   had.kernel.has_args || traced,
		   had.kernel.has_args ? "bpf" : traced ? "ptrace" :
		   had.kernel.args.why_not[0] ? had.kernel.args.why_not
				: "only with the switches of all processes");
	add_remedy(t, "record", "CPU time", had.has_tasks || traced,
		   had.has_tasks ? "perf_event_open"
		   : traced	 ? "ptrace"
		   : had.has_ptrace
			   ? "the process connector has none; --ptrace has"
			   : had.kernel.why_not);
}

static void add_sources(struct tr2_table *t)
{
	char init[8];
	bool sees_all = tr2_procfs_text(1, 0, "stat", init, sizeof(init));
	bool counts_time = is_counted("task-clock");
	bool counts_cycles = is_counted("cycles");

	add_processes(t);
	add_kernel(t, "record", "states of threads", TR2_KERNEL_STATES);
	add_kernel(t, "record", "causes of waits", TR2_KERNEL_CAUSES);
	add_kernel(t, "record", "who woke them", TR2_KERNEL_WAKERS);
	add_kernel(t, "record --profile", "functions", TR2_KERNEL_SAMPLES);
	add_kernel(t, "record --profile", "functions of the kernel",
		   TR2_KERNEL_INSIDE);
	add_remedy(t, "stat", "CPU time, memory, exit code", true, "wait4");
	add_remedy(t, "stat", "the kernel's counters", counts_time,
		   counts_time ? "perf_event_open" : had.kernel.why_not);
	add_remedy(t, "stat", "cycles, instructions", counts_cycles,
		   counts_cycles ? "perf_event_open"
		   : counts_time ? "this machine shows no counters of its CPUs"
				 : had.kernel.why_not);
	add_remedy(t, "top", "all processes", sees_all,
		   sees_all ? "/proc"
			    : "/proc shows those of its user only "
			      "(mount option hidepid)");
}

enum path { PATH_RIGHT, PATH_DERIVED, PATH_BY_ENDS, PATH_NONE };

static const struct {
	const char *name, *meaning;
} paths[] = {
	[PATH_RIGHT] = { "right", "each wait leads to the thread that ended "
				  "it" },
	[PATH_DERIVED] = { "derived", "the threads that ended waits are partly "
				      "derived" },
	[PATH_BY_ENDS] = { "starts-and-ends",
			   "by the starts and ends of processes alone" },
	[PATH_NONE] = { "none", "the command is its only row" },
};

static enum path find_path(void)
{
	if (had.has_tasks && !had.kernel.refused[TR2_KERNEL_STATES][0])
		return had.kernel.refused[TR2_KERNEL_CAUSES][0] ||
				       had.kernel.refused[TR2_KERNEL_WAKERS][0] ?
			       PATH_DERIVED : PATH_RIGHT;
	return had.has_tasks || had.has_connector || had.has_ptrace ?
		       PATH_BY_ENDS : PATH_NONE;
}

struct summary {
	enum path path;
	const char *remedy; /* the remedy; NULL: nothing is missing, or no
			     * remedy is known */
};

#define SUMMARY_COLUMNS(COLUMN, DATA, TEXT) \
	DATA(path, tr2_cell_str(t, paths[r->path].name)) \
	DATA(remedy, tr2_cell_str(t, r->remedy))

TR2_COLUMN_LIST(summary_columns, struct summary, SUMMARY_COLUMNS)

int tr2_check_record(void)
{
	struct summary sum;
	struct tr2_output out;
	struct tr2_table t = TR2_TABLE_OF(&out, "sources", columns);

	open_sources();
	sum.path = find_path();
	sum.remedy = sum.path == PATH_RIGHT ? NULL : tr2_refusal_remedy();
	tr2_output_begin(&out, tr2_common.format);
	add_sources(&t);
	if (out.format == TR2_FORMAT_JSON)
		tr2_table_print_row(&out, "summary",
				    TR2_COLUMNS(summary_columns), &sum);
	tr2_table_finish(&t);
	tr2_output_end(&out);
	if (out.format == TR2_FORMAT_TEXT) {
		printf("critical path: %s\n", paths[sum.path].meaning);
		if (sum.remedy)
			printf("for more: %s\n", sum.remedy);
	}
	tr2_table_release(&t);
	return sum.path == PATH_RIGHT ? 0 : TR2_EXIT_FOUND;
}

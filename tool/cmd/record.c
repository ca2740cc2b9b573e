/* SPDX-License-Identifier: MIT */
/*
 * trace2 record - run a command, and record its Trace2 events and the kernel's
 * records of its processes. Or record running processes, or collect events from
 * sockets. record/job/job.h describes the order of steps.
 */
#include <stdlib.h>

#include "base/macros.h"
#include "cmd/cmd.h"
#include "common/memory.h"
#include "common/options.h"
#include "record/elevate.h"
#include "record/job/job.h"
#include "record/kernel/counters.h"

#define DEFAULT_DIR "trace2.data"
/* The default rate, as in perf. This rate is not in step with programs that do
 * something 1000 times a second. */
#define PROFILE_HZ 997
#define MAX_PROFILE_HZ 10000
#define STACK_BYTES 8192
/* The largest copy of a stack: the record of the kernel that contains it has at
 * most 64 KiB. */
#define MAX_STACK_BYTES 65528

static int64_t nest = TR2_JOB_NEST;
static int64_t timeout_ns = TR2_JOB_TIMEOUT_NS;
static int64_t max_size, rotate, keep, report_ns;
static struct tr2_list addresses, events, processes;
static const char *profile, *call_graph;
static bool rings, no_states, quiet, use_ptrace, no_ptrace, elevate;
static const char *forward_to, *forward_sample;
static struct tr2_forward_options forward = { .sampling.one_in = 1 };

static const struct tr2_option options[] = {
	{ 'p', "pid", "PID[,PID...]", TR2_OPT_LIST, &processes,
	  "record these running processes, and all that they start, until they "
	  "end or until interrupted", NULL },
	{ 'e', "event", "EVENT[,EVENT...]", TR2_OPT_LIST, &events,
	  "count these events over CMD and its children; names as in perf, "
	  "'list' lists them", NULL },
	{ 0, "ring", NULL, TR2_OPT_FLAG, &rings,
	  "let programs with libtrace2 write rings, which cost less and "
	  "survive SIGKILL; other programs write event streams", NULL },
	{ 0, "no-states", NULL, TR2_OPT_FLAG, &no_states,
	  "do not record when threads ran, and what they waited for", NULL },
	{ 0, "elevate", NULL, TR2_OPT_FLAG, &elevate,
	  "open the kernel's records with root's rights, by sudo or pkexec; "
	  "CMD runs without them", NULL },
	{ 0, "ptrace", NULL, TR2_OPT_FLAG, &use_ptrace,
	  "follow processes by ptrace, which needs no permission; the default "
	  "where nothing else is permitted", NULL },
	{ 0, "no-ptrace", NULL, TR2_OPT_FLAG, &no_ptrace,
	  "never follow processes by ptrace", NULL },
	{ 0, "profile", "[HZ]", TR2_OPT_STRING, &profile,
	  "sample the functions in which threads compute, this often in each "
	  "second of CPU time (default 997)", NULL },
	{ 0, "call-graph", "MODE[,BYTES]", TR2_OPT_STRING, &call_graph,
	  "with --profile: find callers by frame pointers (fp), or by a copy "
	  "of the stack (dwarf), of 8192 bytes by default", NULL },
	{ 0, "nest", "N", TR2_OPT_INT, &nest,
	  "record regions up to this depth (default 100)", NULL },
	{ 0, "listen", "SOCKET", TR2_OPT_LIST, &addresses,
	  "collect from a socket, [af_unix:[stream:|dgram:]]PATH, until "
	  "interrupted or until CMD has ended; may be given more than once",
	  NULL },
	{ 'q', "quiet", NULL, TR2_OPT_FLAG, &quiet,
	  "print errors only, not what was recorded, or not permitted", NULL },
	{ 0, "timeout", "S", TR2_OPT_DURATION, &timeout_ns,
	  "wait this long for processes that outlive CMD (default 3s)",
	  NULL },
	{ 0, "max-size", "N", TR2_OPT_SIZE, &max_size,
	  "stop recording events at this size", NULL },
	{ 0, "rotate", "N", TR2_OPT_SIZE, &rotate,
	  "with --listen: rename DIR/events to DIR/events.000001 and so on at "
	  "this size", NULL },
	{ 0, "keep", "N", TR2_OPT_INT, &keep,
	  "with --rotate: keep the newest N of these directories, and remove "
	  "older ones", NULL },
	{ 0, "report-every", "S", TR2_OPT_DURATION, &report_ns,
	  "with --listen and without CMD: print the counts to standard error "
	  "at this interval, if they changed", NULL },
	{ 0, "forward", "otlp:URL", TR2_OPT_STRING, &forward_to,
	  "with --listen: send each tree of processes to this OpenTelemetry "
	  "collector when it has ended; otlp:env: to the one that "
	  "OTEL_EXPORTER_OTLP_ENDPOINT names", NULL },
	{ 0, "forward-sample", "1/N", TR2_OPT_STRING, &forward_sample,
	  "with --forward: send one in N of the trees, and all that failed; 0: "
	  "only those that failed", NULL },
	{ 0, "forward-slower", "T", TR2_OPT_DURATION, &forward.sampling.slow_ns,
	  "with --forward-sample: also send all that took T or more", NULL },
	{ 0, "forward-redact", NULL, TR2_OPT_FLAG, &forward.redact,
	  "with --forward: hide passwords and other secrets in every string",
	  NULL },
	TR2_OPT_END
};

/* Parse a number. Return false if the text is not a number from `low` to
 * `high`. */
static bool read_number(const char *text, uint32_t low, uint32_t high,
			uint32_t *out)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*out = (uint32_t)value;
	return *text >= '0' && *text <= '9' && !*end && value >= low &&
	       value <= high;
}

/* Read the value of --call-graph. Return 0, or an exit code after an error
 * message. */
static int read_call_graph(struct tr2_kernel_wanted *wanted)
{
	if (!call_graph || !strcmp(call_graph, "fp"))
		return 0;
	wanted->stack_bytes = STACK_BYTES;
	if (strcmp(call_graph, "dwarf") &&
	    (strncmp(call_graph, "dwarf,", 6) ||
	     !read_number(call_graph + 6, 8, MAX_STACK_BYTES,
			  &wanted->stack_bytes) ||
	     wanted->stack_bytes % 8))
		return tr2_usage_error("--call-graph takes fp, dwarf, or dwarf "
				       "and a multiple of 8 up to %d: "
				       "dwarf,16384", MAX_STACK_BYTES);
	if (!tr2_kernel_can_copy_stacks())
		return tr2_usage_error("--call-graph=dwarf: not on this kind "
				       "of machine");
	return 0;
}

/* Read the value of --profile. Return 0, or an exit code after an error
 * message. */
static int read_profile(struct tr2_kernel_wanted *wanted)
{
	if (!profile)
		return call_graph ? tr2_usage_error("--call-graph needs "
						    "--profile") : 0;
	wanted->hz = PROFILE_HZ;
	if (*profile && !read_number(profile, 1, MAX_PROFILE_HZ, &wanted->hz))
		return tr2_usage_error("--profile takes 1 to %d samples a "
				       "second", MAX_PROFILE_HZ);
	return read_call_graph(wanted);
}

/* Read the value of --forward. Return 0, or an exit code after an error
 * message. */
static int read_forward(void)
{
	if (!forward_to)
		return forward_sample || forward.redact ?
			tr2_usage_error("--forward-%s needs --forward",
					forward_sample ? "sample" : "redact") : 0;
	if (!addresses.nr)
		return tr2_usage_error("--forward needs --listen; 'trace2 "
				       "export --to otlp --url URL' sends a "
				       "finished recording");
	if (strncmp(forward_to, "otlp:", 5) || !forward_to[5])
		return tr2_usage_error("--forward takes otlp:URL, such as "
				       "otlp:http://localhost:4318");
	if (forward_sample &&
	    !tr2_tree_sampling_parse(&forward.sampling, forward_sample))
		return tr2_usage_error("--forward-sample takes 1/N, up to "
				       "1/%u, or 0", TR2_SAMPLING_MAX);
	forward.url = forward_to + 5;
	forward.quiet = quiet;
	return 0;
}

static int record_usage(int argc)
{
	bool attaches = processes.nr, listens = addresses.nr;
	const struct tr2_rule rules[] = {
		{ !argc && !listens && !attaches, "no command given" },
		{ attaches && argc, "-p records processes that run already: it "
				    "takes no command" },
		{ attaches && listens, "-p and --listen exclude each other" },
		{ attaches && rings, "--ring needs a command: -p reads the "
				     "rings that exist" },
		{ attaches && events.nr, "-e needs a command: it cannot count "
					 "with -p" },
		{ !argc && !attaches && profile,
		  "--profile needs a command, or -p" },
		{ !argc && events.nr, "-e needs a command" },
		{ use_ptrace && no_ptrace,
		  "--ptrace and --no-ptrace exclude each other" },
		{ use_ptrace && profile,
		  "--ptrace and --profile exclude each other: ptrace takes no "
		  "samples" },
		{ use_ptrace && (attaches || !argc),
		  "--ptrace needs a command" },
		{ elevate && use_ptrace,
		  "--elevate and --ptrace exclude each other" },
		{ elevate && (attaches || !argc),
		  "--elevate needs a command" },
		{ rings && listens, "--ring and --listen exclude each other" },
		{ rotate && !listens, "--rotate needs --listen" },
		{ keep && !rotate, "--keep needs --rotate" },
		{ keep < 0 || keep > 999999, "--keep takes 0 to 999999" },
		{ report_ns && (!listens || argc),
		  "--report-every needs --listen, and no CMD" },
		{ nest < 1, "--nest must be at least 1" },
		{ forward.sampling.slow_ns && !forward_sample,
		  "--forward-slower needs --forward-sample" },
	};
	int code = tr2_usage_check(rules, ARRAY_SIZE(rules));

	return code ? code : read_forward();
}

/* The processes of -p, without duplicates. */
static struct {
	pid_t *item;
	uint32_t nr, alloc;
} pids;

static bool add_pid(const char *text, size_t len)
{
	char *end;
	long pid = strtol(text, &end, 10);
	uint32_t i;

	if (end != text + len || pid <= 0 || pid > INT32_MAX)
		return false;
	for (i = 0; i < pids.nr; i++)
		if (pids.item[i] == pid)
			return true;
	tr2_grow(pids.item, pids.nr, pids.alloc);
	pids.item[pids.nr++] = (pid_t)pid;
	return true;
}

/* Add the processes of -p. Reject an empty item: it may be a variable that
 * should have had a value. */
static int add_pids(void)
{
	const char *item;
	size_t i, len;

	for (i = 0; i < processes.nr; i++) {
		for (item = processes.item[i];; item += len + 1) {
			len = strcspn(item, ",");
			if (!add_pid(item, len))
				return tr2_usage_error(
					"-p %s: '%.*s' is not a process id "
					"(-p 1234,1240)", processes.item[i],
					(int)len, item);
			if (!item[len])
				break;
		}
	}
	return 0;
}

static int run_record(int argc, char **argv)
{
	struct tr2_job job = {
		.argv = argv,
		.dir = tr2_common.output ? tr2_common.output : DEFAULT_DIR,
		.max_size_bytes = max_size,
		.rotate_bytes = rotate,
		.keep = keep,
		.report_ns = report_ns,
		.addresses = addresses.item,
		.nr_addresses = addresses.nr,
		.quiet = quiet,
	};
	struct tr2_event_counters counters = { 0 };
	struct tr2_job_result result;
	size_t i;
	int code;

	if (events.nr == 1 && !strcmp(events.item[0], "list"))
		return tr2_events_list();
	code = record_usage(argc);
	if (!code)
		code = read_profile(&job.kernel);
	if (!code)
		code = add_pids();
	for (i = 0; !code && i < events.nr; i++)
		if (!tr2_event_counters_add(&counters, events.item[i]))
			code = TR2_EXIT_USAGE;
	if (!code) {
		job.pids = pids.item;
		job.nr_pids = pids.nr;
		job.forward = forward;
		job.nest = nest;
		job.rings = rings;
		job.ptrace = no_ptrace ? TR2_PTRACE_NEVER :
			     use_ptrace ? TR2_PTRACE_ALWAYS : TR2_PTRACE_ELSE;
		job.kernel.states = !no_states;
		job.timeout_ns = timeout_ns;
		job.counters = events.nr ? &counters : NULL;
		/* Check the command before the helper asks for a password. */
		code = elevate ? tr2_job_check(argv[0]) : 0;
		if (!code && elevate && !tr2_elevate_start())
			code = TR2_EXIT_FATAL;
		if (!code)
			code = tr2_job_run(&job, &result);
	}
	tr2_event_counters_release(&counters);
	return code;
}

const struct tr2_command tr2_command_record = {
	"record",
	"[--] CMD [ARG...] | -p PID[,PID...] | --listen SOCKET",
	"Runs a command and records its events and processes.",
	"Runs CMD with Trace2's event target set to DIR/events, and keeps the "
	"kernel's records of its processes in DIR. Exits as CMD did: 128+N if "
	"signal N ended it, 127 if it was not found, 126 if it could not be "
	"run. DIR is trace2.data unless -o names another; an existing "
	"recording moves to DIR.old.",
	options,
	TR2_COMMON_OUTPUT,
	TR2_COMMAND_STOP | TR2_COMMAND_NO_PAGER,
	run_record
};

/* SPDX-License-Identifier: MIT */
/* Open the kernel's events, and write kernel.data. */
#include "record/kernel/kernel_records.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/perf_file.h"
#include "common/procfs.h"
#include "record/refusal.h"

/* Append the body of an MMAP2 record, made from a line of /proc/PID/maps:
 * START-END PERMISSIONS OFFSET MAJOR:MINOR INODE NAME. Return false, with
 * nothing appended, if the line maps no code. */
static bool kernel_maps_add(struct tr2_buf *b, pid_t pid, const char *line)
{
	unsigned long long start, end, offset, inode;
	unsigned int major, minor;
	char permissions[5], name[PATH_MAX];
	int at = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end,
		   permissions, &offset, &major, &minor, &inode, &at) != 7 ||
	    !strchr(permissions, 'x') || end <= start)
		return false;
	snprintf(name, sizeof(name), "%s", line[at] ? line + at : "//anon");
	name[strcspn(name, "\n")] = '\0';
	tr2_perf_add_u32(b, (uint32_t)pid);
	tr2_perf_add_u32(b, (uint32_t)pid);
	tr2_perf_add_u64(b, start);
	tr2_perf_add_u64(b, end - start);
	tr2_perf_add_u64(b, offset);
	tr2_perf_add_u32(b, major);
	tr2_perf_add_u32(b, minor);
	tr2_perf_add_u64(b, inode);
	tr2_perf_add_u64(b, 0); /* the inode's generation */
	tr2_perf_add_u32(b, PROT_READ | PROT_EXEC);
	tr2_perf_add_u32(b, strchr(permissions, 's') ? MAP_SHARED :
						       MAP_PRIVATE);
	tr2_perf_add_padded(b, name, sizeof(name) - 8);
	return true;
}

/* Length of the kernel's mapping: larger than any kernel without its
 * modules. */
#define KERNEL_BYTES (UINT64_C(1) << 30)

/* The inode of the first pid namespace. */
#define FIRST_NAMESPACE 0xeffffffcu

void tr2_kernel_records_init(struct tr2_kernel_records *k)
{
	size_t i;

	memset(k, 0, sizeof(*k));
	tr2_kernel_file_init(&k->file);
	tr2_exec_args_init(&k->args);
	k->rings.tasks = &k->tasks;
	k->rings.chains = &k->chains;
	k->kallsyms.fd = k->data_fd = -1;
	for (i = 0; i < TR2_KERNEL_SOURCES; i++)
		snprintf(k->refused[i], sizeof(k->refused[i]), "%s",
			 i < TR2_KERNEL_SAMPLES ? "no command was run" :
						  "not requested");
}

void tr2_kernel_records_release(struct tr2_kernel_records *k)
{
	uint32_t i;

	tr2_kernel_rings_release(&k->rings);
	tr2_exec_args_release(&k->args);
	for (i = 0; i < k->nr; i++)
		tr2_kernel_event_close(&k->events[i]);
	tr2_kernel_file_release(&k->file);
	if (k->data_fd >= 0)
		close(k->data_fd);
	tr2_tracepoints_release(&k->tracepoints);
	tr2_kallsyms_release(&k->kallsyms);
	tr2_tasks_release(&k->tasks);
}

/* Open the next event. Return false if the kernel refuses it. */
static bool open_next(struct tr2_kernel_records *k,
		      enum tr2_kernel_source source, enum tr2_right right)
{
	if (tr2_kernel_event_open(&k->events[k->nr], &k->rings)) {
		tr2_refusal_explain(k->refused[source],
				    sizeof(k->refused[source]), right, errno);
		return false;
	}
	k->nr++;
	k->refused[source][0] = '\0';
	return true;
}

static bool open_switches(struct tr2_kernel_records *k)
{
	const struct tr2_kernel_formats *formats = &k->tracepoints.formats;

	if (formats->switch_id) {
		tr2_kernel_event_switches(&k->events[k->nr],
					  formats->switch_id, k->wanted.hz);
		if (k->of_machine)
			tr2_kernel_event_widen(&k->events[k->nr]);
		if (open_next(k, TR2_KERNEL_CAUSES, TR2_RIGHT_TRACEPOINTS)) {
			k->chains.state = formats->prev_state;
			return true;
		}
	}
	tr2_kernel_event_switches(&k->events[k->nr], 0, k->wanted.hz);
	return open_next(k, TR2_KERNEL_CAUSES, TR2_RIGHT_KERNEL);
}

/* Refuse the source if the kernel's names are missing: callchains of the kernel
 * are useless without names. */
static void check_names(struct tr2_kernel_records *k,
			enum tr2_kernel_source source)
{
	if (k->kallsyms.fd < 0)
		tr2_refusal_explain(k->refused[source],
				    sizeof(k->refused[source]),
				    TR2_RIGHT_KALLSYMS, 0);
}

static void open_wakers(struct tr2_kernel_records *k)
{
	uint64_t id = k->tracepoints.formats.waking_id;

	if (!id) {
		snprintf(k->refused[TR2_KERNEL_WAKERS],
			 sizeof(k->refused[TR2_KERNEL_WAKERS]), "%s",
			 k->tracepoints.why_not);
		return;
	}
	tr2_kernel_event_wakings(&k->events[k->nr], id);
	if (k->of_machine)
		tr2_kernel_event_widen(&k->events[k->nr]);
	open_next(k, TR2_KERNEL_WAKERS, TR2_RIGHT_TRACEPOINTS);
}

/* Open samples in the kernel and outside; if the kernel's part is refused, only
 * outside. */
static void open_samples(struct tr2_kernel_records *k)
{
	struct tr2_kernel_event *event = &k->events[k->nr];

	tr2_kernel_event_profile(event, k->wanted.hz, k->wanted.stack_bytes);
	if (open_next(k, TR2_KERNEL_INSIDE, TR2_RIGHT_KERNEL)) {
		k->refused[TR2_KERNEL_SAMPLES][0] = '\0';
		check_names(k, TR2_KERNEL_INSIDE);
		return;
	}
	event->name = "task-clock:u";
	event->attr.exclude_kernel = event->attr.exclude_callchain_kernel = 1;
	open_next(k, TR2_KERNEL_SAMPLES, TR2_RIGHT_USER);
}

/* Add the features that describe the machine and the clock. */
static void add_features(struct tr2_perf_file *file)
{
	struct utsname u;
	struct tr2_buf *b = file->features;
	struct tr2_anchor anchor;

	if (!uname(&u)) {
		tr2_perf_add_str(&b[TR2_PERF_HOSTNAME], u.nodename);
		tr2_perf_add_str(&b[TR2_PERF_OSRELEASE], u.release);
		tr2_perf_add_str(&b[TR2_PERF_ARCH], u.machine);
	}
	tr2_perf_add_str(&b[TR2_PERF_VERSION], "trace2 " TRACE2_VERSION);
	tr2_perf_add_u32(&b[TR2_PERF_NRCPUS],
			 (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	tr2_perf_add_u32(&b[TR2_PERF_NRCPUS],
			 (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	tr2_perf_add_u64(&b[TR2_PERF_CLOCKID], 1); /* resolution: 1 ns */
	tr2_anchor_take(&anchor);
	tr2_perf_add_u32(&b[TR2_PERF_CLOCK_DATA], 1); /* version */
	tr2_perf_add_u32(&b[TR2_PERF_CLOCK_DATA], CLOCK_MONOTONIC);
	tr2_perf_add_u64(&b[TR2_PERF_CLOCK_DATA], anchor.wall_ns);
	tr2_perf_add_u64(&b[TR2_PERF_CLOCK_DATA], anchor.monotonic_ns);
}

/* End the record that begins at `at`, and write it. */
static void add_record(struct tr2_kernel_records *k, struct tr2_buf *b,
		       size_t at, struct tr2_task_trailer trailer)
{
	struct iovec part;

	trailer.id = k->events[0].ids[0];
	tr2_buf_add(b, &trailer, sizeof(trailer));
	tr2_perf_end_record(b, at);
	part = (struct iovec){ b->p, b->len };
	if (!b->failed)
		tr2_kernel_file_append(&k->file, &part, 1, 1);
	tr2_buf_release(b);
}

/* Append the mapping of the kernel, for perf, which finds the names in
 * /proc/kallsyms. */
static void add_kernel_mmap(struct tr2_kernel_records *k)
{
	const struct tr2_task_trailer trailer = {
		.time_ns = tr2_kernel_now_ns(),
	};
	struct tr2_buf b = TR2_BUF_INIT;
	size_t at;

	if (k->kallsyms.fd < 0)
		return;
	at = tr2_perf_begin_record(&b, PERF_RECORD_MMAP,
				   PERF_RECORD_MISC_KERNEL);
	tr2_perf_add_u32(&b, UINT32_MAX); /* no process, */
	tr2_perf_add_u32(&b, 0);          /* no thread */
	tr2_perf_add_u64(&b, k->kallsyms.start);
	tr2_perf_add_u64(&b, KERNEL_BYTES);
	tr2_perf_add_u64(&b, k->kallsyms.start);
	tr2_perf_add_padded(&b, "[kernel.kallsyms]_text", 64);
	add_record(k, &b, at, trailer);
}

void tr2_kernel_records_name(struct tr2_kernel_records *k, pid_t pid, pid_t tid,
			     const char *comm, uint64_t time_ns)
{
	const struct tr2_task_trailer trailer = {
		.pid = (uint32_t)pid, .tid = (uint32_t)tid, .time_ns = time_ns,
	};
	struct tr2_buf b = TR2_BUF_INIT;
	size_t at;

	if (!k->rings.file)
		return;
	at = tr2_perf_begin_record(&b, PERF_RECORD_COMM, 0);
	tr2_perf_add_u32(&b, (uint32_t)pid);
	tr2_perf_add_u32(&b, (uint32_t)tid);
	tr2_perf_add_padded(&b, comm, TR2_COMM_SIZE);
	add_record(k, &b, at, trailer);
}

void tr2_kernel_records_maps(struct tr2_kernel_records *k, pid_t pid,
			     uint64_t time_ns)
{
	const struct tr2_task_trailer trailer = {
		.pid = (uint32_t)pid, .tid = (uint32_t)pid, .time_ns = time_ns,
	};
	struct tr2_buf b = TR2_BUF_INIT;
	char path[64], *line = NULL;
	size_t size = 0, at;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = k->rings.file && k->wanted.hz ? fopen(path, "re") : NULL;
	while (f && getline(&line, &size, f) > 0) {
		at = tr2_perf_begin_record(&b, PERF_RECORD_MMAP2,
					   PERF_RECORD_MISC_USER);
		if (kernel_maps_add(&b, pid, line))
			add_record(k, &b, at, trailer);
		tr2_buf_reset(&b);
	}
	tr2_buf_release(&b);
	free(line);
	if (f)
		fclose(f);
}

static void begin_file(struct tr2_kernel_records *k)
{
	struct tr2_perf_file *perf = &k->file.perf;
	uint32_t i;

	for (i = 0; i < k->nr; i++)
		k->rows[i] = (struct tr2_perf_file_event){
			.attr = k->events[i].attr,
			.name = k->events[i].name,
			.ids = k->events[i].ids,
			.nr_ids = k->events[i].nr,
		};
	perf->events = k->rows;
	perf->nr_events = k->nr;
	add_features(perf);
	perf->tracing = k->tracepoints.data;
	k->tracepoints.data = (struct tr2_buf)TR2_BUF_INIT;
	tr2_kernel_file_begin(&k->file, k->data_fd);
	k->data_fd = -1;
	add_kernel_mmap(k);
	k->rings.file = &k->file;
}

/* Note the events whose samples have kernel functions. */
static void note_chains(struct tr2_kernel_records *k)
{
	uint32_t i, j;

	for (i = 0; i < k->nr; i++) {
		const struct tr2_kernel_event *e = &k->events[i];
		enum tr2_chain chain = e->attr.sample_period == 1 ?
					       TR2_CHAIN_OF_WAIT :
					       TR2_CHAIN_OF_CPU;

		/* Skip events of the whole machine: the filter itself passes
		 * the callchains that it keeps. */
		for (j = 0; !e->whole_machine &&
			    e->attr.sample_type & PERF_SAMPLE_CALLCHAIN &&
			    !e->attr.exclude_callchain_kernel && j < e->nr; j++)
			*tr2_map_slot(&k->rings.chain_ids, e->ids[j] + 1) =
				chain;
	}
}

static void open_states(struct tr2_kernel_records *k)
{
	k->refused[TR2_KERNEL_STATES][0] = '\0';
	if (open_switches(k))
		check_names(k, TR2_KERNEL_CAUSES);
	open_wakers(k);
}

/* Is the recording in the first pid namespace? Tracepoints have the pids of
 * that namespace. */
static bool in_first_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == FIRST_NAMESPACE;
}

/* May the recorder see the switches of all processes, and can it recognise the
 * threads of the recording in them? */
static bool can_see_machine(const struct tr2_kernel_records *k)
{
	return k->wanted.of_command && k->data_fd >= 0 &&
	       k->tracepoints.formats.switch_id && in_first_namespace() &&
	       tr2_kernel_can_see_machine();
}

/* Prepare the filter for the events of the whole machine. */
static void begin_filter(struct tr2_kernel_records *k)
{
	uint32_t i, j;

	k->rings.filter.formats = &k->tracepoints.formats;
	for (i = 0; i < k->nr; i++)
		for (j = 0; k->events[i].whole_machine && j < k->events[i].nr;
		     j++)
			*tr2_map_slot(&k->rings.filter.ids,
				      k->events[i].ids[j] + 1) =
				k->events[i].attr.config ==
						k->tracepoints.formats.waking_id ?
					TR2_MACHINE_WAKINGS :
					TR2_MACHINE_SWITCHES;
}

static bool wants(const struct tr2_kernel_records *k,
		  enum tr2_kernel_source source)
{
	return source < TR2_KERNEL_SAMPLES ? k->wanted.states :
					     k->wanted.hz != 0;
}

/* Mark every wanted source as refused for this reason, until it is opened. */
static void refuse_all(struct tr2_kernel_records *k, const char *why)
{
	size_t i;

	for (i = 0; i < TR2_KERNEL_SOURCES; i++)
		snprintf(k->refused[i], sizeof(k->refused[i]), "%s",
			 wants(k, i) ? why : "not requested");
}

void tr2_kernel_records_say_refused(const struct tr2_kernel_records *k,
				    const char *no_connector, bool has_pidfds)
{
	static const char *const what[] = {
		[TR2_KERNEL_STATES] = "states of threads",
		[TR2_KERNEL_CAUSES] = "causes of waits",
		[TR2_KERNEL_WAKERS] = "wakers",
		[TR2_KERNEL_SAMPLES] = "samples",
		[TR2_KERNEL_INSIDE] = "samples in the kernel",
	};
	const char *before = "trace2 record: not recorded: ";
	size_t i;

	if (no_connector[0]) {
		fprintf(stderr, "%sexit codes%s%s: %s", before,
			k->has_args ? "" : has_pidfds ? " and arguments" :
							", and arguments",
			k->has_args && !has_pidfds ? "" : " of short processes",
			no_connector);
		before = "; ";
	}
	for (i = 0; i < TR2_KERNEL_SOURCES; i++) {
		if (!wants(k, i) || !k->refused[i][0])
			continue;
		fprintf(stderr, "%s%s: %s", before, what[i], k->refused[i]);
		before = "; ";
		/* If states or samples are refused, all later sources are
		 * refused for the same reason. */
		if (i == TR2_KERNEL_STATES || i == TR2_KERNEL_SAMPLES)
			break;
	}
	if (*before == ';')
		fputc('\n', stderr);
}

bool tr2_kernel_records_lack(const struct tr2_kernel_records *k)
{
	size_t i;

	for (i = 0; i < TR2_KERNEL_SOURCES; i++)
		if (wants(k, i) && k->refused[i][0])
			return true;
	return false;
}

static void open_args(struct tr2_kernel_records *k)
{
	size_t i;

	k->has_args = tr2_exec_args_open(&k->args, &k->rings);
	for (i = 0; k->has_args && i < k->rings.nr; i++)
		k->rings.ring[i].args_id = k->args.event.ids[i];
}

bool tr2_kernel_records_open(struct tr2_kernel_records *k,
			     struct tr2_loop *loop, int data_fd)
{
	k->rings.loop = loop;
	k->data_fd = data_fd;
	if (data_fd >= 0)
		tr2_kallsyms_open(&k->kallsyms);
	if (k->wanted.states)
		tr2_tracepoints_read(&k->tracepoints);
	k->of_machine = k->wanted.states && can_see_machine(k);
	tr2_kernel_event_tasks(&k->events[0], k->wanted.states, k->wanted.hz);
	/* perf looks for unwinding tables in mappings of data. */
	k->events[0].attr.mmap_data = k->wanted.stack_bytes != 0;
	if (tr2_kernel_event_open_rings(&k->events[0], &k->rings,
					data_fd >= 0)) {
		tr2_refusal_explain(k->why_not, sizeof(k->why_not),
				    TR2_RIGHT_USER, errno);
		refuse_all(k, k->why_not);
		return false;
	}
	k->nr = 1;
	refuse_all(k, "");
	if (k->wanted.states)
		open_states(k);
	if (k->wanted.hz)
		open_samples(k);
	/* Open the event for arguments only with the filter: the filter keeps
	 * the arguments out of kernel.data. */
	if (k->of_machine) {
		begin_filter(k);
		open_args(k);
	}
	return true;
}

int tr2_kernel_records_attach(struct tr2_kernel_records *k, pid_t tid)
{
	uint32_t i;

	for (i = 0; i < k->nr; i++)
		if (tr2_kernel_event_attach(&k->events[i], &k->rings, tid))
			return -errno;
	return 0;
}

void tr2_kernel_records_detach(struct tr2_kernel_records *k)
{
	uint32_t i;

	for (i = 0; i < k->nr; i++)
		tr2_kernel_event_detach(&k->events[i]);
}

void tr2_kernel_records_start(struct tr2_kernel_records *k)
{
	uint32_t i;

	note_chains(k);
	if (k->nr && k->data_fd >= 0)
		begin_file(k);
	for (i = 0; i < k->nr; i++)
		tr2_kernel_event_start(&k->events[i]);
	tr2_exec_args_start(&k->args);
}

void tr2_kernel_records_stop(struct tr2_kernel_records *k)
{
	uint32_t i;

	for (i = 1; i < k->nr; i++)
		tr2_kernel_event_stop(&k->events[i]);
	k->file.is_full = true;
}

void tr2_kernel_records_finish(struct tr2_kernel_records *k)
{
	/* Copy again: the filter leaves samples that arrived during its
	 * copy. */
	tr2_kernel_rings_copy(&k->rings);
	if (k->of_machine)
		tr2_kernel_rings_copy(&k->rings);
	tr2_kernel_file_finish(&k->file);
}

bool tr2_kernel_records_symbols(struct tr2_kernel_records *k,
				struct tr2_buf *out)
{
	if (!k->chains.nr || k->kallsyms.fd < 0)
		return true;
	tr2_callchains_sort(&k->chains);
	return tr2_kallsyms_add(&k->kallsyms, out, k->chains.addrs,
				k->chains.nr);
}

/* SPDX-License-Identifier: MIT */
/* Run one recording: open its parts, run the command, finish. */
#include "record/job/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/macros.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/procfs.h"
#include "common/say.h"
#include "common/signals.h"
#include "format/read.h"
#include "out/table.h"
#include "record/elevate.h"
#include "record/job/attach.h"
#include "record/job/environment.h"
#include "record/job/live_trace.h"
#include "record/job/meta_write.h"
#include "record/job/priority.h"
#include "record/job/process_sources.h"
#include "record/job/service.h"
#include "record/kernel/counters.h"
#include "record/sources/run.h"
#include "record/store.h"
#include "record/streams/listen.h"
#include "record/streams/rings.h"
#include "record/streams/stream_totals.h"

#define SIZE_CHECK_NS 100000000u
#define SHOWN_STRAGGLERS 5
#define FORWARD_SECONDS 10

/* The current recording. Static, because a thread that hangs on a disk may live
 * until the process ends. */
static struct {
	const struct tr2_job *job;
	struct tr2_loop loop;
	struct tr2_store store;
	struct tr2_listen listen;
	struct tr2_service service;
	struct tr2_rings rings;
	struct tr2_run run;
	struct tr2_attach attach;
	struct tr2_switch switched;
	struct tr2_watch watch;
	struct tr2_meta meta;
	struct tr2_source patience; /* timer that starts when CMD has ended */
	struct tr2_source size;     /* timer for --max-size */
	struct tr2_straggler *stragglers;
	bool over_size;
	int kernel_fd; /* kernel.data; -1: it is not recorded */
	bool raised; /* the recorder's priority was raised */
	bool unwritten; /* a part of the recording could not be written */
	/* rings that existed when the size was reached */
	uint64_t rings_before;
	uint64_t went_ns, wall_ns; /* when CMD started, and how long it ran */
	uint64_t cpu_before_ns, cpu_ns; /* the recorder's CPU time at CMD's
					 * start, and while CMD ran */
} rec;

static void patience_over(struct tr2_source *source, uint32_t events)
{
	(void)events;
	tr2_loop_close(&rec.loop, source);
	rec.loop.stop = true;
}

/* Wait for processes that outlive CMD, up to a timeout. */
static void command_ended(void)
{
	rec.patience.ready = patience_over;
	if (!rec.job->timeout_ns ||
	    tr2_loop_add_timer(&rec.loop, &rec.patience,
			       (uint64_t)rec.job->timeout_ns, 0))
		rec.loop.stop = true;
}

static uint64_t own_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void on_child(void *data)
{
	/* Read both clocks first: the work below takes time. */
	uint64_t now = tr2_clock_now_ns(), cpu_ns = own_cpu_ns();
	bool ended_before = rec.run.ended;
	bool alone;

	(void)data;
	alone = !tr2_watch_reap(&rec.watch, &rec.run);
	if (rec.run.ended && !ended_before) {
		rec.wall_ns = now - rec.went_ns;
		rec.cpu_ns = cpu_ns - rec.cpu_before_ns;
	}
	if (rec.run.ended && alone)
		rec.loop.stop = true;
	else if (rec.run.ended && !ended_before)
		command_ended();
}

static void on_usr1(void *data)
{
	(void)data;
	tr2_service_say(&rec.service);
}

static void on_stop(void *data)
{
	(void)data;
	rec.loop.stop = true;
}

/*
 * At --max-size, stop recording data. Create the discard file, as in Git's
 * target directories: a program that starts later writes nothing.
 */
static void check_size(struct tr2_source *source, uint32_t events)
{
	struct tr2_stream_totals totals;
	uint64_t ticks;
	int fd;

	(void)events;
	if (read(source->fd, &ticks, sizeof(ticks)) < 0 ||
	    tr2_stream_totals_sizes(&totals, rec.store.events_fd) ||
	    (!rec.watch.log.is_full &&
	     totals.bytes + rec.rings.bytes + rec.watch.log.bytes +
			     rec.watch.kernel.file.bytes <
		     (uint64_t)rec.job->max_size_bytes))
		return;
	rec.over_size = rec.rings.over_size = true;
	rec.rings_before = rec.rings.files;
	/* Only a command and its descendants write into the directory. */
	if (rec.run.pid)
		rec.watch.procs.full_ns = tr2_kernel_now_ns();
	tr2_kernel_records_stop(&rec.watch.kernel);
	fd = openat(rec.store.events_fd, TR2_DISCARD,
		    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	tr2_loop_close(&rec.loop, source);
	tr2_switch_back(&rec.switched, &rec.watch, 0);
	rec.meta.cut_programs = tr2_switch_nr_on(&rec.switched);
}

static int watch_size(void)
{
	if (!rec.job->max_size_bytes)
		return 0;
	rec.watch.log.max_bytes = (uint64_t)rec.job->max_size_bytes;
	rec.watch.kernel.file.max_bytes = (uint64_t)rec.job->max_size_bytes;
	if (rec.listen.nr_listeners)
		return 0;
	rec.size.ready = check_size;
	return tr2_loop_add_timer(&rec.loop, &rec.size, SIZE_CHECK_NS,
				  SIZE_CHECK_NS);
}

/* Return 0, or the exit code after an error message. */
int tr2_job_check(const char *name)
{
	int code = tr2_run_check(name);

	if (code)
		tr2_error("cannot run '%s': %s", name,
			  code == TR2_EXIT_NOT_FOUND ? "command not found" :
						       strerror(errno));
	return code;
}

static int create_file(const char *name)
{
	return openat(rec.store.dir_fd, name,
		      O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static void fill_meta(const struct tr2_job *job)
{
	struct tr2_meta *m = &rec.meta;

	m->argv = *job->argv ? job->argv : NULL;
	m->pids = job->pids;
	m->nr_pids = job->nr_pids;
	m->switched = &rec.switched;
	m->nest = job->nest;
	m->timeout_ns = job->timeout_ns;
	m->max_size_bytes = job->max_size_bytes;
	m->rotate_bytes = job->rotate_bytes;
	m->keep = job->keep;
	m->listen = &rec.listen;
	if (m->argv)
		tr2_record_trace_begin(&m->trace);
	tr2_anchor_take(&m->start);
	tr2_cpu_limit_open(&rec.watch.limit, m->nr_pids ? m->pids[0] : 0);
	m->limit = &rec.watch.limit;
}

/* Lock the file while the recorder runs; readers check the lock. */
static void lock_file(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	(void)fcntl(fd, F_OFD_SETLK, &lock);
}

static void open_watch(void)
{
	tr2_watch_open(&rec.watch, &rec.loop, rec.kernel_fd);
	/* Without records of tasks, kernel.data stays empty. */
	if (rec.kernel_fd >= 0 && !rec.watch.has_tasks)
		unlinkat(rec.store.dir_fd, TR2_STORE_KERNEL, 0);
}

static int attach_job(void)
{
	rec.watch.is_needed = !tr2_attach_traces(&rec.attach);
	open_watch();
	if (rec.watch.is_needed && !rec.watch.has_tasks &&
	    !rec.watch.has_connector)
		return TR2_EXIT_FATAL;
	return tr2_attach_threads(&rec.attach, &rec.watch);
}

/* Open everything that may fail, before the command runs. Return -1 after an
 * error message. */
static int open_all(const struct tr2_job *job)
{
	if (tr2_store_open(&rec.store, job->dir,
			   job->rings || rec.attach.has_rings))
		return -1;
	fill_meta(job);
	if (tr2_meta_write(&rec.meta, &rec.store))
		goto fail;
	tr2_store_reserve_meta(&rec.store);
	rec.watch.log.fd = create_file(TR2_STORE_TASKS);
	if (rec.watch.log.fd < 0)
		goto fail;
	rec.watch.kernel.wanted = job->kernel;
	rec.watch.dir_fd = rec.store.dir_fd;
	rec.watch.wants_maps = job->kernel.hz != 0;
	rec.watch.kernel.wanted.of_command = *job->argv && !job->nr_pids;
	if ((job->kernel.states || job->kernel.hz) &&
	    (*job->argv || job->nr_pids)) {
		rec.kernel_fd = create_file(TR2_STORE_KERNEL);
		if (rec.kernel_fd < 0)
			goto fail;
	}
	lock_file(rec.watch.log.fd);
	if (tr2_run_prepare(&rec.run, &rec.loop))
		goto fail;
	rec.run.on_child = on_child;
	rec.run.on_stop = on_stop;
	rec.run.on_usr1 = on_usr1;
	if (!tr2_listen_open(&rec.listen, &rec.loop, job->addresses,
			     job->nr_addresses) &&
	    (!job->forward.url ||
	     (rec.listen.forward = tr2_forward_new(&job->forward))) &&
	    !(job->nr_pids && attach_job()))
		return 0;
	tr2_store_undo(&rec.store);
	return -1;
fail:
	tr2_error("cannot write to '%s': %s (use -o DIR for another place)",
		  rec.store.path, strerror(errno));
	tr2_store_undo(&rec.store);
	return -1;
}

/* Return 0, or the exit code after an error message. */
static int start_command(const struct tr2_job *job)
{
	const char *target = rec.listen.nr_listeners ?
				     rec.listen.listeners[0].address :
				     rec.store.events_path;
	const struct tr2_record_trace *trace = &rec.meta.trace;
	char traceparent[TR2_TRACEPARENT_BYTES + 1];
	struct tr2_environment_request request = {
		.target = target,
		.nest = job->nest,
		.heed_discard = job->max_size_bytes &&
				!rec.listen.nr_listeners,
		.counters = job->counters ? tr2_event_counters_for_programs(
						    job->counters) : NULL,
		.rings = rec.store.rings_path,
	};
	struct tr2_environment env;
	int failed, err;

	if (trace->self.id) {
		tr2_context_format(traceparent, &trace->self, trace->sampled);
		request.traceparent = traceparent;
	}
	open_watch();
	/* Stop the helper: it is no process of the recording. */
	tr2_elevate_stop();
	if (job->counters)
		rec.run.mark_fd = tr2_syscalls_mark_fd(job->counters->syscalls);
	failed = !tr2_environment_init(&env, &request) ||
		 tr2_run_start(&rec.run, job->argv, env.vars);
	err = errno;
	tr2_environment_release(&env);
	errno = err;
	if (failed) {
		tr2_error("cannot start '%s': %s", job->argv[0],
			  strerror(errno));
		return TR2_EXIT_FATAL;
	}
	tr2_watch_start(&rec.watch, &rec.run);
	if (job->counters)
		tr2_event_counters_open(job->counters, rec.run.pid);
	rec.raised = rec.kernel_fd >= 0 && tr2_priority_raise();
	rec.cpu_before_ns = own_cpu_ns();
	rec.went_ns = tr2_clock_now_ns();
	if (!tr2_run_go(&rec.run))
		return 0;
	err = errno;
	tr2_error("cannot run '%s': %s", job->argv[0], strerror(err));
	while (!rec.run.ended && tr2_watch_reap(&rec.watch, &rec.run))
		tr2_loop_once(&rec.loop, -1);
	return err == ENOENT ? TR2_EXIT_NOT_FOUND : TR2_EXIT_CANNOT_RUN;
}

static void start_attached(const struct tr2_job *job)
{
	size_t i;

	rec.raised = rec.kernel_fd >= 0 && tr2_priority_raise();
	tr2_attach_start(&rec.attach, &rec.loop, &rec.watch);
	for (i = 0; i < rec.attach.nr; i++)
		if (rec.attach.process[i].ring)
			tr2_rings_add(&rec.rings, rec.attach.process[i].ring);
	for (i = 0; !job->quiet && i < rec.attach.nr; i++)
		fprintf(stderr, "trace2 record: recording process %d (%s) "
			"until it ends, or Ctrl-C\n",
			(int)rec.attach.process[i].pid,
			rec.attach.process[i].name);
	tr2_switch_on(&rec.switched, &rec.attach, rec.store.events_path,
		      rec.store.events_fd, job->nest);
}

static void say_listening(void)
{
	size_t i;

	for (i = 0; i < rec.listen.nr_listeners; i++)
		fprintf(stderr, "trace2 record: listening on %s\n",
			rec.listen.listeners[i].address);
}

static int start_listening(const struct tr2_job *job)
{
	struct tr2_rotate rotate = {
		.dir_fd = rec.store.dir_fd,
		.events_fd = rec.store.events_fd,
		.max_bytes = (uint64_t)job->rotate_bytes,
		.keep = (unsigned int)job->keep,
	};

	errno = rec.listen.forward ? tr2_forward_start(rec.listen.forward) : 0;
	return errno ? -1 : tr2_listen_start(&rec.listen, &rotate,
					     (uint64_t)job->max_size_bytes);
}

/* Only a recorder without a command reports to a service manager: a command
 * that is a service reports by itself. */
static void start_service(const struct tr2_job *job)
{
	if (rec.listen.nr_listeners && !*job->argv &&
	    tr2_service_start(&rec.service, &rec.loop, &rec.listen,
			      (uint64_t)job->report_ns))
		tr2_warning("--report-every has no effect: %s",
			    strerror(errno));
}

/* Return 0, or the exit code after an error message. */
static int record_job(const struct tr2_job *job)
{
	int code = 0;

	if ((job->rings || rec.attach.has_rings) &&
	    tr2_rings_start(&rec.rings, &rec.loop, rec.store.rings_fd,
			    (uint64_t)job->max_size_bytes))
		tr2_warning("rings are not emptied while CMD runs, and may "
			    "lose records: %s", strerror(errno));
	if (*job->argv)
		code = start_command(job);
	else if (job->nr_pids)
		start_attached(job);
	if (!code && rec.listen.nr_listeners && start_listening(job)) {
		tr2_error("cannot listen: %s", strerror(errno));
		return TR2_EXIT_FATAL;
	}
	if (!code) {
		say_listening();
		start_service(job);
		if (watch_size())
			tr2_warning("--max-size has no effect: %s",
				    strerror(errno));
		if (tr2_loop_run(&rec.loop))
			tr2_error("cannot wait: %s", strerror(errno));
	}
	return code;
}

static int exit_code(int code)
{
	if (code || !rec.run.ended)
		return code;
	return WIFSIGNALED(rec.run.status) ? 128 + WTERMSIG(rec.run.status) :
					     WEXITSTATUS(rec.run.status);
}

static void say_stragglers(void)
{
	size_t nr = rec.meta.nr_stragglers, i;

	if (!nr)
		return;
	fprintf(stderr, "trace2 record: %zu process%s still running (", nr,
		nr == 1 ? "" : "es");
	for (i = 0; i < nr && i < SHOWN_STRAGGLERS; i++)
		fprintf(stderr, "%spid %d %s", i ? ", " : "",
			rec.stragglers[i].pid, rec.stragglers[i].comm);
	fprintf(stderr, "%s), not waited for\n",
		nr > SHOWN_STRAGGLERS ? ", ..." : "");
}

/* Warn if there are neither events nor records of tasks. */
static void say_silent(void)
{
	const struct tr2_meta *m = &rec.meta;

	if (m->no_task_records && !m->totals.events && m->started &&
	    !rec.listen.nr_listeners && !tr2_meta_lost(m))
		fputs("trace2 record: no program of this run writes Trace2 "
		      "events, and without the kernel's records only the exit "
		      "code is known\n", stderr);
}

static void say_not_looked_at(uint64_t nr)
{
	if (nr)
		fprintf(stderr, "trace2 record: cannot see what %llu process%s "
			"waited for: another user's, or hidden from its user "
			"(record as root)\n",
			(unsigned long long)nr, nr == 1 ? "" : "es");
}

static void say_rotate(const struct tr2_rotate *r)
{
	struct tr2_buf b = TR2_BUF_INIT;

	if (r->error)
		fprintf(stderr, "trace2 record: cannot rotate '%s', or remove "
				"old files: %s\n", rec.store.events_path,
			strerror(r->error));
	if (r->removed) {
		tr2_fmt_bytes(&b, r->removed_bytes);
		fprintf(stderr, "trace2 record: --keep removed %u director%s "
			"(%llu file%s, %s)\n", r->removed,
			r->removed == 1 ? "y" : "ies",
			(unsigned long long)r->removed_files,
			r->removed_files == 1 ? "" : "s", tr2_buf_str(&b));
	}
	tr2_buf_release(&b);
}

static void say_forward(struct tr2_forward *f)
{
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_forward_counts(f, &b);
	fprintf(stderr, "trace2 record: '%s': %s\n", tr2_forward_shown(f),
		tr2_buf_str(&b));
	tr2_buf_release(&b);
}

static void say_silent_programs(const struct tr2_meta *m)
{
	fprintf(stderr, "trace2 record: --max-size was reached: ");
	if (m->nr_pids)
		fprintf(stderr, "tracing was switched off in %llu process%s\n",
			(unsigned long long)m->cut_programs,
			m->cut_programs == 1 ? "" : "es");
	else if (m->no_task_records)
		fprintf(stderr, "programs that started later recorded nothing "
				"(their number is unknown without the kernel's "
				"records)\n");
	else
		fprintf(stderr, "%llu program%s started later, and recorded "
			"nothing\n", (unsigned long long)m->lost_programs,
			m->lost_programs == 1 ? " was" : "s were");
}

/* Add the summary. Leave out the number of events if no event was written or
 * lost: most programs emit none. */
static void add_sum(struct tr2_buf *b, int code)
{
	const struct tr2_meta *m = &rec.meta;
	const uint64_t events = m->totals.events, lost = tr2_meta_lost(m);

	tr2_buf_add_u64(b, m->processes);
	tr2_buf_addstr(b, m->processes == 1 ? " process, " : " processes, ");
	if (events || lost) {
		tr2_buf_add_u64(b, events);
		tr2_buf_addstr(b, events == 1 ? " event, " : " events, ");
	}
	tr2_fmt_bytes(b, m->totals.bytes + rec.watch.log.bytes +
				 rec.watch.kernel.file.bytes);
	tr2_buf_addall(b, " -> ", rec.store.path, "; ");
	if (events || lost)
		tr2_buf_add_u64(b, lost);
	tr2_buf_addstr(b, events || lost ? " lost, exit " : "exit ");
	tr2_buf_add_i64(b, code);
	if (m->started && WIFSIGNALED(m->status)) {
		tr2_buf_addlit(b, " (");
		tr2_signal_add(b, WTERMSIG(m->status));
		tr2_buf_addch(b, ')');
	}
}

/* Suggest the next command if a person reads stderr. */
static void say_next(void)
{
	if (isatty(2) && rec.meta.started && !rec.meta.no_task_records)
		fprintf(stderr, "trace2 record: 'trace2 report %s' shows where "
				"the time went\n", rec.store.path);
}

static void say_sum(int code)
{
	struct tr2_buf sum = TR2_BUF_INIT;
	const struct tr2_meta *m = &rec.meta;

	if (rec.over_size)
		say_silent_programs(m);
	if (rec.rings.over_size && rec.rings.files)
		fprintf(stderr, "trace2 record: --max-size was reached: later "
				"records of rings are lost\n");
	if (m->lost_kernel_data && !rec.watch.kernel.file.error)
		fprintf(stderr, "trace2 record: kernel.data ends early: "
				"--max-size was reached\n");
	if (rec.watch.log.is_full)
		fprintf(stderr, "trace2 record: tasks.jsonl ends early: "
				"--max-size was reached\n");
	say_rotate(&rec.listen.sink.rotate);
	if (rec.listen.forward)
		say_forward(rec.listen.forward);
	add_sum(&sum, code);
	fprintf(stderr, "[ trace2 record: %s ]\n", tr2_buf_str(&sum));
	tr2_buf_release(&sum);
	say_next();
}

/* Count programs whose events were dropped. Leave out programs with a ring,
 * which kept their events in the ring. */
static uint64_t lost_programs(void)
{
	uint64_t rings = rec.rings.files - rec.rings_before;
	uint64_t nr = rec.watch.procs.nr_silent;

	return nr > rings ? nr - rings : 0;
}

static void take_off(uint64_t *from, uint64_t value)
{
	*from -= value < *from ? value : *from;
}

/* Subtract the lines of events that programs wrote, one write() each: the
 * lengths of these lines vary from run to run. */
static void fill_io(struct tr2_io *io)
{
	*io = rec.run.io;
	if (rec.listen.nr_listeners)
		return;
	take_off(&io->written_bytes, rec.meta.totals.bytes);
	take_off(&io->writes, rec.meta.totals.events);
}

static void fill_result(int code)
{
	struct tr2_meta *m = &rec.meta;
	const struct tr2_stream_totals *done = &rec.listen.sink.rotate.done;

	tr2_watch_result(&rec.watch, m);
	m->lost_programs = lost_programs();
	m->complete = true;
	m->wall_ns = rec.wall_ns;
	m->recorder_cpu_ns = rec.cpu_ns;
	m->counters = rec.job->counters;
	m->started = rec.run.ended;
	m->status = rec.run.status;
	m->exit_code = code;
	if (m->started)
		tr2_usage_from_rusage(&m->usage, &rec.run.usage);
	m->command_pid = rec.run.pid;
	m->nr_stragglers = rec.job->nr_pids ?
		tr2_watch_running(&rec.watch, &rec.stragglers) :
		tr2_watch_stragglers(&rec.stragglers);
	m->stragglers = rec.stragglers;
	tr2_stream_totals_read(&m->totals, rec.store.events_fd);
	fill_io(&m->io);
	m->totals.continued = rec.listen.sink.rotate.nr ?
				     m->totals.continued + done->continued : 0;
	m->totals.files += done->files;
	m->totals.events += done->events;
	m->totals.bytes += done->bytes;
	m->totals.lost += done->lost;
	m->totals.files += rec.rings.files;
	m->totals.events += rec.rings.events;
	m->totals.bytes += rec.rings.bytes;
	m->totals.lost += rec.rings.lost;
	/* Count files: each belongs to one process, even if the kernel did not
	 * report the process. Files that continue other files do not count. */
	m->processes = m->totals.files - m->totals.continued;
	m->processes -= m->processes < rec.listen.nr_unknown ?
				m->processes : rec.listen.nr_unknown;
	if (m->processes < rec.watch.procs.nr_seen)
		m->processes = rec.watch.procs.nr_seen;
}

/* Print which parts of the recording are incomplete. Return false if any is. */
static bool say_unwritten(void)
{
	const struct {
		const char *name;
		int err;
	} part[] = {
		{ TR2_STORE_TASKS, rec.watch.log.write_errno },
		{ TR2_STORE_KERNEL, rec.watch.kernel.file.error },
		{ TR2_STORE_RINGS, rec.rings.write_errno },
		{ TR2_STORE_EVENTS, rec.listen.sink.write_errno },
	};
	bool all = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(part); i++) {
		if (!part[i].err)
			continue;
		all = false;
		tr2_error("'%s/%s' is incomplete: %s", rec.store.path,
			  part[i].name, strerror(part[i].err));
	}
	return all;
}

/* Write the names of kernel functions: causes of waits need them. */
static bool write_symbols(void)
{
	struct tr2_buf b = TR2_BUF_INIT;
	bool ok = tr2_kernel_records_symbols(&rec.watch.kernel, &b);
	int fd = ok && b.len ? create_file(TR2_STORE_SYMBOLS) : -1;

	if (b.len && (fd < 0 || tr2_store_write(fd, b.p, b.len)))
		ok = false;
	if (fd >= 0)
		close(fd);
	if (!ok)
		tr2_error("cannot write '%s/" TR2_STORE_SYMBOLS "': %s",
			  rec.store.path, strerror(errno));
	tr2_buf_release(&b);
	return ok;
}

/* With -p there is no command: return TR2_EXIT_FATAL. */
static int or_fatal(int code)
{
	return rec.job->nr_pids ? TR2_EXIT_FATAL : code;
}

/* Return the exit code. */
static int finish_job(int code)
{
	bool all;

	tr2_switch_back(&rec.switched, &rec.watch, rec.job->timeout_ns);
	if (rec.raised)
		tr2_priority_restore();
	if (rec.job->counters)
		tr2_event_counters_read(rec.job->counters,
			(uint64_t)rec.run.usage.ru_nvcsw +
				(uint64_t)rec.run.usage.ru_nivcsw);
	tr2_service_stop(&rec.service);
	if (rec.listen.nr_listeners)
		tr2_listen_finish(&rec.listen);
	tr2_forward_finish(rec.listen.forward, FORWARD_SECONDS);
	tr2_rings_finish(&rec.rings);
	tr2_watch_finish(&rec.watch);
	tr2_anchor_take(&rec.meta.end);
	all = write_symbols();
	rec.unwritten = !say_unwritten() || !all;
	if (rec.unwritten)
		code = or_fatal(code);
	fill_result(code);
	if (tr2_meta_write(&rec.meta, &rec.store)) {
		tr2_error("cannot write '%s/" TR2_STORE_META "': %s (the "
			  "recording says that it is still running)",
			  rec.store.path, strerror(errno));
		rec.unwritten = true;
		code = or_fatal(code);
	}
	if (rec.job->quiet)
		return code;
	/* If all records of tasks are missing, a warning at the start has said
	 * so. */
	if (!rec.meta.no_task_records) {
		tr2_kernel_records_say_refused(
			&rec.watch.kernel,
			rec.watch.traced ? "" : rec.watch.connector.why_not,
			!rec.watch.pidfds.is_missing);
		tr2_watch_say_remedy(&rec.watch);
	}
	tr2_ptrace_say(&rec.watch.ptrace);
	say_stragglers();
	tr2_switch_say(&rec.switched, rec.attach.nr);
	say_not_looked_at(rec.meta.observed.refused);
	say_silent();
	say_sum(code);
	return code;
}

static void init_job(const struct tr2_job *job)
{
	memset(&rec, 0, sizeof(rec));
	rec.job = job;
	rec.store.dir_fd = rec.store.events_fd = rec.kernel_fd = -1;
	rec.run.signals.fd = rec.patience.fd = rec.size.fd = -1;
	rec.rings.timer.fd = rec.rings.watch.fd = -1;
	rec.service.timer.fd = rec.switched.timer.fd = -1;
	tr2_watch_init(&rec.watch);
	rec.watch.quiet = job->quiet;
	rec.watch.wants_ptrace = *job->argv ? job->ptrace : TR2_PTRACE_NEVER;
}

static void release_job(void)
{
	tr2_loop_close(&rec.loop, &rec.patience);
	tr2_loop_close(&rec.loop, &rec.size);
	tr2_listen_release(&rec.listen);
	tr2_forward_free(rec.listen.forward);
	tr2_service_release(&rec.service);
	tr2_switch_release(&rec.switched);
	tr2_attach_release(&rec.attach);
	tr2_watch_release(&rec.watch);
	tr2_run_release(&rec.run);
	tr2_loop_release(&rec.loop);
	tr2_store_release(&rec.store);
	free(rec.stragglers);
}

static void fill_job_result(struct tr2_job_result *result)
{
	*result = (struct tr2_job_result){
		.started = rec.run.ended,
		.status = rec.run.status,
		.signo = rec.run.signo,
		.unwritten = rec.unwritten,
		.wall_ns = rec.wall_ns,
		.usage = rec.meta.usage,
	};
}

int tr2_job_run(const struct tr2_job *job, struct tr2_job_result *result)
{
	int code = *job->argv ? tr2_job_check(job->argv[0]) : 0;

	memset(result, 0, sizeof(*result));
	if (code)
		return code;
	init_job(job);
	if (tr2_loop_init(&rec.loop)) {
		tr2_error("cannot record: event loop: %s", strerror(errno));
		return TR2_EXIT_FATAL;
	}
	if (job->nr_pids)
		code = tr2_attach_open(&rec.attach, job->pids, job->nr_pids);
	if (code || open_all(job)) {
		code = TR2_EXIT_FATAL;
	} else {
		code = finish_job(exit_code(record_job(job)));
		fill_job_result(result);
	}
	release_job();
	tr2_elevate_stop();
	return code;
}

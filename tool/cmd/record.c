/* SPDX-License-Identifier: MIT */
/*
 * trace2 record - runs a command and keeps what it says by Trace2 and what the
 * kernel says of its processes, or collects from sockets what others say.
 *
 * The parts are under tool/record/; here is the order of things. Nothing is
 * written before it is known that the command can be run and that the
 * directory is ours to write; and whatever happens to the command, the
 * recording is finished.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "options.h"
#include "record/environment.h"
#include "record/listen.h"
#include "record/meta.h"
#include "record/run.h"
#include "record/store.h"
#include "record/tally.h"
#include "record/watch.h"

#define DEFAULT_DIR "trace2.data"
#define SIZE_CHECK_NS 100000000u
#define SHOWN_STRAGGLERS 5

static int64_t nest = 100;
static int64_t timeout_ns = 3000000000;
static int64_t max_size;
static struct tr2_list addresses;

static const struct tr2_option options[] = {
	{ 0, "nest", "N", TR2_OPT_INT, &nest,
	  "how deep regions are recorded (default 100)", NULL },
	{ 0, "listen", "SOCKET", TR2_OPT_LIST, &addresses,
	  "collect from a socket, [af_unix:[stream:|dgram:]]PATH, until "
	  "interrupted or until CMD has ended; may be given more than once",
	  NULL },
	{ 0, "timeout", "S", TR2_OPT_DURATION, &timeout_ns,
	  "how long to wait for processes that outlive CMD (default 3s)",
	  NULL },
	{ 0, "max-size", "N", TR2_OPT_SIZE, &max_size,
	  "stop taking in events at this size", NULL },
	TR2_OPT_END
};

/* One recording. Static, because a thread that hangs on a disk may outlive
 * everything but the process. */
static struct {
	struct tr2_loop loop;
	struct tr2_store store;
	struct tr2_listen listen;
	struct tr2_run run;
	struct tr2_watch watch;
	struct tr2_meta meta;
	struct tr2_source patience; /* runs when CMD has ended */
	struct tr2_source size;     /* with --max-size */
	struct tr2_straggler *stragglers;
	bool over_size;
} rec;

static void patience_over(struct tr2_source *source, uint32_t events)
{
	(void)events;
	tr2_loop_close(&rec.loop, source);
	rec.loop.stop = true;
}

/* CMD has ended; what it left behind is waited for, but not for ever. */
static void command_ended(void)
{
	rec.patience.ready = patience_over;
	if (!timeout_ns ||
	    tr2_loop_add_timer(&rec.loop, &rec.patience, (uint64_t)timeout_ns,
			       0))
		rec.loop.stop = true;
}

static void on_child(void *data)
{
	bool ended_before = rec.run.ended;
	bool alone;

	(void)data;
	alone = !tr2_watch_reap(&rec.watch, &rec.run);
	if (rec.run.ended && alone)
		rec.loop.stop = true;
	else if (rec.run.ended && !ended_before)
		command_ended();
}

static void on_stop(void *data)
{
	(void)data;
	rec.loop.stop = true;
}

/*
 * Programs write the files of a directory themselves. What stops them is the
 * way in which Git bounds such a directory: while that file is there, a program
 * that starts writes nothing.
 */
static void check_size(struct tr2_source *source, uint32_t events)
{
	struct tr2_tally tally;
	uint64_t ticks;
	int fd;

	(void)events;
	if (read(source->fd, &ticks, sizeof(ticks)) < 0 ||
	    tr2_tally_sizes(&tally, rec.store.events_fd) ||
	    tally.bytes + rec.watch.log.bytes < (uint64_t)max_size)
		return;
	rec.over_size = true;
	fd = openat(rec.store.events_fd, TR2_DISCARD,
		    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	tr2_loop_close(&rec.loop, source);
}

static int watch_size(void)
{
	if (!max_size)
		return 0;
	rec.watch.log.max_bytes = (uint64_t)max_size;
	if (rec.listen.nr_listeners)
		return 0;
	rec.size.ready = check_size;
	return tr2_loop_add_timer(&rec.loop, &rec.size, SIZE_CHECK_NS,
				  SIZE_CHECK_NS);
}

static int usage(int argc)
{
	extern const struct tr2_command tr2_command_record;

	if (!argc && !addresses.nr)
		return tr2_usage_error(&tr2_command_record,
				       "no command given");
	if (nest < 1)
		return tr2_usage_error(&tr2_command_record,
				       "--nest must be at least 1");
	return 0;
}

/* 0, or the exit code after an error message. */
static int check_command(const char *name)
{
	int code = tr2_run_check(name);

	if (code)
		tr2_error("cannot run '%s': %s", name,
			  code == TR2_EXIT_NOT_FOUND ? "command not found" :
						       strerror(errno));
	return code;
}

static int open_tasks_file(void)
{
	return openat(rec.store.dir_fd, TR2_STORE_TASKS,
		      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      0600);
}

static void fill_meta(char **argv)
{
	struct tr2_meta *m = &rec.meta;

	m->argv = *argv ? argv : NULL;
	m->nest = nest;
	m->timeout_ns = timeout_ns;
	m->max_size_bytes = max_size;
	m->listen = &rec.listen;
	tr2_anchor_take(&m->start);
}

/* All that may fail before something runs. -1: said why. */
static int open_all(char **argv)
{
	if (tr2_store_open(&rec.store,
			   tr2_common.output ? tr2_common.output :
					       DEFAULT_DIR))
		return -1;
	fill_meta(argv);
	if (tr2_meta_write(&rec.meta, &rec.store))
		goto fail;
	rec.watch.log.fd = open_tasks_file();
	if (rec.watch.log.fd < 0)
		goto fail;
	if (tr2_run_prepare(&rec.run, &rec.loop))
		goto fail;
	rec.run.on_child = on_child;
	rec.run.on_stop = on_stop;
	if (!tr2_listen_open(&rec.listen, &rec.loop, addresses.item,
			     addresses.nr))
		return 0;
	tr2_store_undo(&rec.store);
	return -1;
fail:
	tr2_error("cannot write to '%s': %s (use -o DIR for another place)",
		  rec.store.path, strerror(errno));
	tr2_store_undo(&rec.store);
	return -1;
}

/* 0, or the exit code after an error message. */
static int start_command(char **argv)
{
	const char *target = rec.listen.nr_listeners ?
				     rec.listen.listeners[0].address :
				     rec.store.events_path;
	char **env = tr2_environment_new(target, nest,
					 max_size && !rec.listen.nr_listeners);
	int failed = !env || tr2_run_start(&rec.run, argv, env);
	int err;

	tr2_environment_free(env);
	if (failed) {
		tr2_error("cannot start '%s': %s", argv[0], strerror(errno));
		return TR2_EXIT_FATAL;
	}
	tr2_watch_start(&rec.watch, &rec.loop, rec.run.pid);
	if (!tr2_run_go(&rec.run))
		return 0;
	err = errno;
	tr2_error("cannot run '%s': %s", argv[0], strerror(err));
	while (!rec.run.ended && tr2_watch_reap(&rec.watch, &rec.run))
		tr2_loop_once(&rec.loop, -1);
	return err == ENOENT ? TR2_EXIT_NOT_FOUND : TR2_EXIT_CANNOT_RUN;
}

static void say_listening(void)
{
	size_t i;

	for (i = 0; i < rec.listen.nr_listeners; i++)
		fprintf(stderr, "trace2 record: listening on %s\n",
			rec.listen.listeners[i].address);
}

/* 0, or the exit code after an error message. */
static int record(char **argv)
{
	int code = 0;

	if (*argv)
		code = start_command(argv);
	if (!code && rec.listen.nr_listeners &&
	    tr2_listen_start(&rec.listen, rec.store.events_fd,
			     (uint64_t)max_size)) {
		tr2_error("cannot listen: %s", strerror(errno));
		return TR2_EXIT_FATAL;
	}
	if (!code) {
		say_listening();
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

static void say_sum(int code)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	const struct tr2_meta *m = &rec.meta;
	double size = (double)m->tally.bytes;
	size_t unit = 0;

	for (; size >= 1024 && unit < 4; unit++)
		size /= 1024;
	if (rec.over_size)
		fprintf(stderr, "trace2 record: --max-size was reached: "
			"processes that started later recorded nothing\n");
	if (rec.listen.sink.write_errno)
		fprintf(stderr, "trace2 record: cannot write to '%s': %s\n",
			rec.store.events_path,
			strerror(rec.listen.sink.write_errno));
	fprintf(stderr, "[ trace2 record: %llu process%s, %llu event%s, "
		"%.*f %s -> %s; %llu lost, exit %d ]\n",
		(unsigned long long)m->processes, m->processes == 1 ? "" : "es",
		(unsigned long long)m->tally.events,
		m->tally.events == 1 ? "" : "s", unit ? 1 : 0, size,
		units[unit], rec.store.path,
		(unsigned long long)tr2_meta_lost(m), code);
}

static void fill_result(int code)
{
	struct tr2_meta *m = &rec.meta;

	tr2_watch_result(&rec.watch, m);
	m->complete = true;
	m->started = rec.run.ended;
	m->status = rec.run.status;
	m->exit_code = code;
	if (m->started)
		tr2_usage_from_rusage(&m->usage, &rec.run.usage);
	m->command_pid = rec.run.pid;
	m->nr_stragglers = tr2_watch_stragglers(&rec.stragglers);
	m->stragglers = rec.stragglers;
	tr2_tally_read(&m->tally, rec.store.events_fd);
	/* Each file is a process's, whether the kernel told of it or not. */
	m->processes = m->tally.files - rec.listen.nr_unknown;
	if (m->processes < rec.watch.procs.nr_seen)
		m->processes = rec.watch.procs.nr_seen;
	tr2_anchor_take(&m->end);
}

static void finish(int code)
{
	if (rec.listen.nr_listeners)
		tr2_listen_finish(&rec.listen);
	tr2_watch_finish(&rec.watch);
	fill_result(code);
	if (tr2_meta_write(&rec.meta, &rec.store))
		tr2_error("cannot write '%s/" TR2_STORE_META "': %s (the "
			  "recording says that it is still running)",
			  rec.store.path, strerror(errno));
	say_stragglers();
	say_sum(code);
}

static void init(void)
{
	memset(&rec, 0, sizeof(rec));
	rec.store.dir_fd = rec.store.events_fd = -1;
	rec.run.signals.fd = rec.patience.fd = rec.size.fd = -1;
	tr2_watch_init(&rec.watch);
}

static void release(void)
{
	tr2_loop_close(&rec.loop, &rec.patience);
	tr2_loop_close(&rec.loop, &rec.size);
	tr2_listen_release(&rec.listen);
	tr2_watch_release(&rec.watch);
	tr2_run_release(&rec.run);
	tr2_loop_release(&rec.loop);
	tr2_store_release(&rec.store);
	free(rec.stragglers);
}

static int run(int argc, char **argv)
{
	int code = usage(argc);

	if (!code && argc)
		code = check_command(argv[0]);
	if (code)
		return code;
	init();
	if (tr2_loop_init(&rec.loop)) {
		tr2_error("cannot record: %s", strerror(errno));
		return TR2_EXIT_FATAL;
	}
	if (open_all(argv)) {
		code = TR2_EXIT_FATAL;
	} else {
		code = exit_code(record(argv));
		finish(code);
	}
	release();
	return code;
}

const struct tr2_command tr2_command_record = {
	"record", "[--] CMD [ARG...]",
	"Runs a command and records what it does.",
	"Runs CMD with Trace2's event target pointed at DIR/events, keeps the "
	"kernel's records of its processes beside, and exits as CMD did: 128+N "
	"when signal N ended it, 127 when it was not found, 126 when it could "
	"not be run. DIR is trace2.data unless -o names another; a recording "
	"that is there already moves to DIR.old.",
	options, TR2_COMMON_OUTPUT, TR2_COMMAND_STOP | TR2_COMMAND_NO_PAGER,
	run
};

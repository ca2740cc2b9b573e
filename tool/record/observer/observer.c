/* SPDX-License-Identifier: MIT */
/* Run the observer: look at the processes, pass on records, pause. */
#include "record/observer/observer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/procfs.h"
#include "record/observer/proc_files.h"
#include "record/observer/wait_object.h"

/* Looks may take half of the CPU time that is earned; asking may take the rest.
 * In debt, looks may take only a quarter. */
#define PAUSE_PER_COST (2 * TR2_EARN_PART)
#define PAUSE_IN_DEBT (4 * TR2_EARN_PART)
/* A look may take this much more CPU time than was saved. Then it stops, and
 * the next look goes on with the remaining processes. */
#define LONG_LOOK_NS 1000000
/* The latest look counts for 1 / MEAN_PART of the average cost. */
#define MEAN_PART 4u
/* Record the sum of all memory this often, even if it has not changed. */
#define SUM_NS 500000000u
/* Time from a look to its second glance. */
#define REST_NS 10000000
/* A look may begin this much early, since the last tick may have come late. */
#define EARLY_NS 1000000u
/* At the end of the recording, wait at most this long for a look. */
#define PATIENCE_NS 200000000

static struct timespec deadline(long ns)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ns;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void free_process(struct tr2_observed *p)
{
	tr2_observed_memory_release(&p->memory);
	tr2_observed_waits_release(&p->waits);
	free(p);
}

/* Does the process still run, as another user? When a program becomes
 * set-user-ID, the kernel reports an end of the process to its user, but the
 * process keeps its descriptors. */
static bool is_privileged(pid_t pid)
{
	return kill(pid, 0) && errno == EPERM;
}

/* Forget the processes that have ended. */
static void drop_ended(struct tr2_observer *o)
{
	size_t i, nr = 0;

	for (i = 0; i < o->nr; i++) {
		struct tr2_observed *p = o->processes[i];

		if (p->ended && is_privileged(p->pid))
			p->waits.refused = true;
		else if (p->ended) {
			tr2_observe_memory_end(o, p);
			tr2_observe_waits_end(o, p);
			free_process(p);
			o->tree.is_changed = true;
			continue;
		}
		o->processes[nr++] = p;
	}
	o->nr = nr;
}

/* Look at a process. Memory is read only if the process may have changed it. */
static void look_at_process(struct tr2_observer *o, struct tr2_observed *p)
{
	if (p->ended || !tr2_observe_waits(o, p))
		return;
	tr2_observe_memory(o, p);
	o->tree.is_changed = true;
}

/* Look at all processes, beginning with those that the last look did not
 * reach. */
static void look_at_processes(struct tr2_observer *o)
{
	int64_t saved = o->pace.saved_ns > 0 ? o->pace.saved_ns : 0;
	size_t from = o->next, i;

	tr2_observe_waits_begin(o, (uint64_t)saved + LONG_LOOK_NS);
	for (i = 0; i < o->nr; i++) {
		o->next = (from + i) % o->nr;
		look_at_process(o, o->processes[o->next]);
		if (tr2_observe_waits_is_long(o))
			return;
	}
	o->next = 0;
}

static void sum_up(struct tr2_observer *o)
{
	if (!o->tree.is_changed && o->now_ns < o->tree.at_ns + SUM_NS)
		return;
	o->tree.is_changed = false;
	o->tree.at_ns = o->now_ns;
	tr2_observe_tree(o);
}

/* Look at all processes once. A process that has ended is dropped only after
 * its children have learnt what they share with it. */
static void look_once(struct tr2_observer *o)
{
	look_at_processes(o);
	drop_ended(o);
	sum_up(o);
	o->is_open = tr2_observe_objects(o);
	o->looks++;
}

/* Wait for the second glance, with the lock held. Return false if the recording
 * ends. */
static bool rest(struct tr2_observer *o)
{
	struct timespec until = deadline(REST_NS);
	int err = 0;

	while (!o->ends && !err)
		err = pthread_cond_timedwait(&o->changed, &o->lock, &until);
	return !o->ends;
}

/* Look again at threads that have just begun to wait: the next look may be too
 * late. */
static void look_again(struct tr2_observer *o)
{
	bool rested;

	if (!o->is_open)
		return;
	pthread_mutex_lock(&o->lock);
	rested = rest(o);
	pthread_mutex_unlock(&o->lock);
	if (rested)
		tr2_observe_objects_again(o);
}

/* Update the cost of a look, without the cost of asking and measuring. */
static void take_cost(struct tr2_observer *o)
{
	uint64_t looked_ns;

	(void)tr2_pace_update(&o->pace);
	looked_ns = o->pace.cpu_ns - o->sources.asking_ns -
		    o->tree.measuring_ns;
	o->last_ns = looked_ns - o->looked_ns;
	o->mean_ns = o->mean_ns - o->mean_ns / MEAN_PART +
		     o->last_ns / MEAN_PART;
	o->looked_ns = looked_ns;
}

static void *run_observer(void *data)
{
	struct tr2_observer *o = data;

	o->tid = gettid();
	pthread_mutex_lock(&o->lock);
	while (!o->stop) {
		if (!o->busy) {
			pthread_cond_wait(&o->changed, &o->lock);
			continue;
		}
		pthread_mutex_unlock(&o->lock);
		look_once(o);
		look_again(o);
		take_cost(o);
		pthread_mutex_lock(&o->lock);
		o->busy = false;
		pthread_cond_broadcast(&o->changed);
	}
	pthread_mutex_unlock(&o->lock);
	return NULL;
}

static void hand_over(struct tr2_observer *o)
{
	size_t i;

	for (i = 0; i < o->nr_records; i++)
		o->take(o->data, &o->records[i]);
	o->nr_records = 0;
}

static bool is_busy(struct tr2_observer *o)
{
	bool busy;

	pthread_mutex_lock(&o->lock);
	busy = o->busy;
	pthread_mutex_unlock(&o->lock);
	return busy;
}

static void begin_look(struct tr2_observer *o, uint64_t now_ns)
{
	o->update(o->data);
	o->now_ns = now_ns;
	pthread_mutex_lock(&o->lock);
	o->busy = true;
	pthread_cond_broadcast(&o->changed);
	pthread_mutex_unlock(&o->lock);
}

/* Return when the next look may begin. */
static uint64_t next_look(const struct tr2_observer *o)
{
	uint64_t pause = o->pace.saved_ns > 0 ? o->mean_ns * PAUSE_PER_COST :
						o->last_ns * PAUSE_IN_DEBT;
	uint64_t next = tr2_pace_until(&o->pace, TR2_MOST_SAVED_NS / 2);

	/* Begin early enough: CPU time that is earned above the limit of
	 * savings is lost. */
	if (o->now_ns + pause < next)
		next = o->now_ns + pause;
	return next > o->now_ns + TR2_OBSERVER_NS ? next :
						    o->now_ns + TR2_OBSERVER_NS;
}

static void next_tick(struct tr2_observer *o, uint64_t ns)
{
	tr2_loop_close(o->loop, &o->timer);
	(void)tr2_loop_add_timer(o->loop, &o->timer, ns, TR2_OBSERVER_NS);
}

static void tick(struct tr2_source *source, uint32_t events)
{
	struct tr2_observer *o = (struct tr2_observer *)source;
	uint64_t ticks, next, now = tr2_kernel_now_ns();

	(void)events;
	if (read(source->fd, &ticks, sizeof(ticks)) < 0 || is_busy(o))
		return;
	/* Pass on the records now: the log is sorted by time, and cannot wait
	 * for the next look. */
	hand_over(o);
	next = next_look(o);
	if (next > now + EARLY_NS)
		next_tick(o, next - now);
	else
		begin_look(o, now);
}

struct tr2_observer *tr2_observer_start(struct tr2_loop *loop)
{
	struct tr2_observer *o = calloc(1, sizeof(*o));
	sigset_t all, before; /* the loop handles signals */

	if (!o)
		return NULL;
	o->loop = loop;
	o->begun_ns = o->pace.at_ns = tr2_kernel_now_ns();
	/* Short commands have a peak of memory, too. */
	o->pace.saved_ns = TR2_MOST_SAVED_NS;
	o->timer.fd = -1;
	o->timer.ready = tick;
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->changed, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errno = pthread_create(&o->thread, NULL, run_observer, o);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (errno) {
		free(o);
		return NULL;
	}
	(void)tr2_loop_add_timer(loop, &o->timer, TR2_OBSERVER_NS,
				 TR2_OBSERVER_NS);
	return o;
}

/* Return false if the thread hangs in a look. */
static bool wait_for_look(struct tr2_observer *o)
{
	struct timespec until = deadline(PATIENCE_NS);
	int err = 0;

	pthread_mutex_lock(&o->lock);
	o->ends = true;
	pthread_cond_broadcast(&o->changed);
	while (o->busy && !err)
		err = pthread_cond_timedwait(&o->changed, &o->lock, &until);
	o->stop = true;
	pthread_cond_broadcast(&o->changed);
	pthread_mutex_unlock(&o->lock);
	return !err;
}

void tr2_observer_stop(struct tr2_observer *o, struct tr2_observer_sums *sums)
{
	size_t i;

	*sums = (struct tr2_observer_sums){ 0 };
	if (!o)
		return;
	tr2_loop_close(o->loop, &o->timer);
	/* A thread that hangs keeps the memory that it uses until the process
	 * ends. */
	if (!wait_for_look(o)) {
		pthread_detach(o->thread);
		return;
	}
	pthread_join(o->thread, NULL);
	*sums = (struct tr2_observer_sums){
		.looks = o->looks,
		.cpu_ns = o->pace.cpu_ns,
		.refused = o->refused,
		.tid = (uint64_t)o->tid,
	};
	o->update(o->data);
	for (i = 0; i < o->nr; i++) {
		tr2_observe_memory_end(o, o->processes[i]);
		tr2_observe_waits_end(o, o->processes[i]);
	}
	tr2_observe_tree_end(o);
	hand_over(o);
	for (i = 0; i < o->nr; i++)
		free_process(o->processes[i]);
	free(o->processes);
	free(o->records);
	tr2_observed_tree_release(&o->tree);
	tr2_wait_sources_free(&o->sources);
	tr2_buf_release(&o->text);
	pthread_cond_destroy(&o->changed);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

void tr2_observer_add(struct tr2_observer *o, pid_t pid, pid_t ppid,
		      uint64_t start_ns)
{
	size_t alloc = o->alloc ? o->alloc * 2 : 64;
	struct tr2_observed **grown, *p;

	if (o->nr == o->alloc) {
		grown = realloc(o->processes, alloc * sizeof(*grown));
		if (!grown)
			return;
		o->processes = grown;
		o->alloc = alloc;
	}
	p = calloc(1, sizeof(*p));
	if (!p)
		return;
	p->pid = pid;
	p->ppid = ppid;
	p->start_ns = start_ns;
	p->memory.statm = TR2_NOT_KEPT;
	o->processes[o->nr++] = p;
}

bool tr2_observer_is_late(struct tr2_observer *o)
{
	return tr2_pace_update(&o->pace) <= 0;
}

struct tr2_buf *tr2_observer_text(struct tr2_observer *o)
{
	tr2_buf_reset(&o->text);
	return &o->text;
}

void tr2_observer_record(struct tr2_observer *o, enum tr2_task_kind kind,
			 pid_t pid, pid_t tid, uint64_t time_ns)
{
	size_t alloc = o->alloc_records ? o->alloc_records * 2 : 64;
	struct tr2_task_event *grown;
	char *more = o->text.failed ? NULL : strdup(tr2_buf_str(&o->text));

	if (o->nr_records == o->alloc_records) {
		grown = realloc(o->records, alloc * sizeof(*grown));
		if (grown) {
			o->records = grown;
			o->alloc_records = alloc;
		}
	}
	if (!more || o->nr_records == o->alloc_records) {
		free(more);
		return;
	}
	o->records[o->nr_records++] = (struct tr2_task_event){
		.kind = kind, .pid = pid, .tid = tid, .time_ns = time_ns,
		.more = more,
	};
}

/* SPDX-License-Identifier: MIT */
/* Find the threads that wait, and record each wait's object. */
#include "record/observer/observed_waits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "common/procfs.h"
#include "record/observer/proc_files.h"
#include "record/observer/observer.h"
#include "record/observer/wait_object.h"

/* Read at most this many threads of a process. */
#define MOST_THREADS 4096u
/* If all processes together have more than MANY_THREADS threads, pause before a
 * thread that was asked is read again. The pause is as long as the thread had
 * waited when it was last read, but between SHORTEST_NS and LONGEST_NS. */
#define MANY_THREADS 64u
#define SHORTEST_NS 40000000u
#define LONGEST_NS 500000000u
/* If all threads of a process wait, read its memory only in each
 * MEMORY_LOOKS-th look: the kernel or another process may change it. */
#define MEMORY_LOOKS 32u
/* Check the CPU time after reading this many threads, and after asking this
 * many. */
#define READ_AT_ONCE 32u
#define ASKED_AT_ONCE 4u
/* Ask a thread at most this many times in one wait. */
#define MOST_TIMES 3u

/* The numbers of a thread's schedstat. If two readings are equal, the thread
 * did not run between them. */
struct turns {
	uint64_t run_ns, ready_ns, nr;
};

struct tr2_observed_thread {
	pid_t tid;
	int schedstat, syscall, stat; /* descriptors of files in
				       * /proc/PID/task/TID; see proc_files.h */
	struct turns turns;
	uint64_t still_ns; /* the thread has not run since this time */
	uint64_t seen_ns;  /* time at which schedstat was last read */
	bool is_still;     /* the thread has not run since the last look */
	bool asked;        /* do not ask the thread again in this wait */
	bool asked_before; /* the thread was asked in an earlier wait */
	uint8_t nr_asked;  /* number of answers in this wait that lack the
			    * peer */
	char *answer; /* the answer in this wait, for the record of the wait's
		       * end; NULL: none */
	bool listed, ended;
};

/* Close the files that are read only to find out what a thread waits for: many
 * processes wait only once. */
static void close_answers(struct tr2_observed_thread *t)
{
	tr2_proc_file_close(&t->syscall);
	tr2_proc_file_close(&t->stat);
}

static void close_thread(struct tr2_observed_thread *t)
{
	free(t->answer);
	tr2_proc_file_close(&t->schedstat);
	close_answers(t);
}

/* Return false if the thread has ended, or if this kernel does not count. */
static bool read_turns(const struct tr2_observed *p,
		       struct tr2_observed_thread *t, struct turns *turns)
{
	char text[80], *end;

	if (tr2_proc_file_read(&t->schedstat, p->pid, t->tid, "schedstat", text,
			       sizeof(text)) <= 0)
		return false;
	turns->run_ns = strtoull(text, &end, 10);
	turns->ready_ns = strtoull(end, &end, 10);
	turns->nr = strtoull(end, NULL, 10);
	return turns->nr != 0;
}

static bool same_turns(const struct turns *a, const struct turns *b)
{
	return a->run_ns == b->run_ns && a->ready_ns == b->ready_ns &&
	       a->nr == b->nr;
}

/* When a wait is over, record it a second time, with the time at which it was
 * last seen. Without states of threads, no other record shows how long the wait
 * was. */
static void record_end(struct tr2_observer *o, const struct tr2_observed *p,
		       struct tr2_observed_thread *t)
{
	if (!t->answer)
		return;
	tr2_buf_addstr(tr2_observer_text(o), t->answer);
	tr2_observer_record(o, TR2_TASK_OBJECT, p->pid, t->tid, t->seen_ns);
	free(t->answer);
	t->answer = NULL;
}

/* Return true if the thread ran since the last look, or has ended. */
static bool look_at(struct tr2_observer *o, const struct tr2_observed *p,
		    struct tr2_observed_thread *t)
{
	uint64_t now = tr2_kernel_now_ns();
	struct turns turns;

	t->ended = !read_turns(p, t, &turns);
	t->is_still = !t->ended && same_turns(&turns, &t->turns);
	if (!t->is_still)
		record_end(o, p, t);
	t->seen_ns = t->is_still ? now : tr2_kernel_now_ns();
	if (t->is_still || t->ended)
		return t->ended;
	t->turns = turns;
	t->still_ns = t->seen_ns;
	t->asked = false;
	t->nr_asked = 0;
	return true;
}

static struct tr2_observed_thread *find_thread(struct tr2_observed_waits *w,
					       pid_t tid, size_t from)
{
	size_t i;

	/* Begin at `from`: the list mostly has the order of the directory. */
	for (i = from; i < w->nr; i++)
		if (w->threads[i].tid == tid && !w->threads[i].ended)
			return &w->threads[i];
	for (i = 0; i < from && i < w->nr; i++)
		if (w->threads[i].tid == tid && !w->threads[i].ended)
			return &w->threads[i];
	return NULL;
}

static void note_reading(struct tr2_observer *o)
{
	struct tr2_wait_sources *s = &o->sources;

	if (!(++s->nr_read % READ_AT_ONCE))
		s->is_long = tr2_thread_cpu_ns() > s->until_ns;
}

static void add_thread(struct tr2_observer *o, const struct tr2_observed *p,
		       struct tr2_observed_waits *w, pid_t tid)
{
	size_t alloc = w->alloc ? w->alloc * 2 : 1;
	struct tr2_observed_thread *grown, *t;

	if (w->nr == w->alloc) {
		grown = realloc(w->threads, alloc * sizeof(*grown));
		if (!grown)
			return;
		w->threads = grown;
		w->alloc = alloc;
	}
	t = &w->threads[w->nr++];
	*t = (struct tr2_observed_thread){
		.tid = tid, .schedstat = TR2_NOT_KEPT, .syscall = TR2_NOT_KEPT,
		.stat = TR2_NOT_KEPT, .listed = true,
	};
	if (!o->sources.is_long)
		look_at(o, p, t);
	note_reading(o);
}

static void drop_unlisted(struct tr2_observed_waits *w)
{
	size_t i, nr = 0;

	for (i = 0; i < w->nr; i++) {
		if (w->threads[i].listed && !w->threads[i].ended) {
			w->threads[nr] = w->threads[i];
			w->threads[nr++].listed = false;
		} else {
			close_thread(&w->threads[i]);
		}
	}
	w->nr = nr;
}

static void list_threads(struct tr2_observer *o, const struct tr2_observed *p,
			 struct tr2_observed_waits *w)
{
	DIR *dir = tr2_procfs_open(p->pid);
	struct tr2_observed_thread *t;
	size_t i = 0;
	int32_t tid;

	while (dir && i < MOST_THREADS && tr2_procfs_next(dir, &tid)) {
		t = find_thread(w, tid, i++);
		if (t)
			t->listed = true;
		else
			add_thread(o, p, w, tid);
	}
	if (dir)
		closedir(dir);
	drop_unlisted(w);
}

/* The number of links of /proc/PID/task when the process has one thread. */
#define LINKS_OF_ONE 3u

bool tr2_observe_waits_is_long(struct tr2_observer *o)
{
	note_reading(o);
	return o->sources.is_long;
}

/* Should the thread be read now? If there are many threads, skip most of them.
 * A thread that will be asked is read before it is asked. */
static bool is_due(const struct tr2_observer *o,
		   const struct tr2_observed_thread *t)
{
	uint64_t pause = t->seen_ns - t->still_ns;

	if (o->sources.nr_threads <= MANY_THREADS || !t->is_still)
		return true;
	if (pause > LONGEST_NS)
		pause = LONGEST_NS;
	if (pause < SHORTEST_NS)
		pause = SHORTEST_NS;
	return t->asked && o->now_ns >= t->seen_ns + pause;
}

/* Update the threads of a process. List the threads again only if one of them
 * ran: a waiting thread begins no other. Return whether one ran. */
static bool update_threads(struct tr2_observer *o,
			   const struct tr2_observed *p,
			   struct tr2_observed_waits *w)
{
	bool ran = !w->nr, ended = !w->nr;
	struct tr2_observed_thread *t;
	struct stat st;
	char path[32];
	size_t i;

	for (i = 0; i < w->nr && !o->sources.is_long; i++) {
		t = &w->threads[(w->next + i) % w->nr];
		if (!is_due(o, t))
			continue;
		ran |= look_at(o, p, t);
		ended |= t->ended;
		note_reading(o);
	}
	w->next = o->sources.is_long ? (w->next + i) % w->nr : 0;
	if (!ran)
		return false;
	w->has_held = false;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	if (stat(path, &st))
		st.st_nlink = 0;
	if (!ended && w->links == (unsigned long)st.st_nlink)
		return true;
	w->links = (unsigned long)st.st_nlink;
	if (!w->nr && w->links == LINKS_OF_ONE)
		add_thread(o, p, w, p->pid);
	else
		list_threads(o, p, w);
	return true;
}

/* Read the system call in which a thread waits. Return false if it runs, or if
 * reading is refused. */
static bool read_call(struct tr2_observer *o, struct tr2_observed *p,
		      struct tr2_observed_thread *t, struct tr2_wait_call *call)
{
	char text[256];
	ssize_t n = tr2_proc_file_read(&t->syscall, p->pid, t->tid, "syscall",
				       text, sizeof(text));

	if (n < 0 && (errno == EPERM || errno == EACCES)) {
		p->waits.refused = true;
		o->refused++;
	}
	return n > 0 && tr2_wait_call_parse(text, call);
}

/* Is the thread stopped, or running? A stopped thread stays in its call,
 * too. */
static bool is_stopped(const struct tr2_observed *p,
		       struct tr2_observed_thread *t)
{
	char text[512], *after;

	if (tr2_proc_file_read(&t->stat, p->pid, t->tid, "stat", text,
			       sizeof(text)) <= 0)
		return true;
	/* "TID (COMM) STATE ...", where COMM may contain any character. */
	after = strrchr(text, ')');
	return !after || (strncmp(after, ") S", 3) != 0 &&
			  strncmp(after, ") D", 3) != 0);
}

/* Is the peer a recorded process that still runs? Any other process has no
 * number in the recording. */
static bool is_recorded(const struct tr2_observer *o, pid_t pid)
{
	size_t i;

	for (i = 0; i < o->nr; i++)
		if (o->processes[i]->pid == pid && !o->processes[i]->ended)
			return true;
	return false;
}

static void add_number(struct tr2_buf *b, const char *key, uint64_t value)
{
	tr2_buf_addall(b, ",\"", key, "\":");
	tr2_buf_add_u64(b, value);
}

static void add_string(struct tr2_buf *b, const char *key, const char *value)
{
	tr2_buf_addall(b, ",\"", key, "\":");
	tr2_json_add_string(b, value);
}

static void record_wait(struct tr2_observer *o, const struct tr2_observed *p,
			struct tr2_observed_thread *t,
			const struct tr2_wait *wait)
{
	const struct tr2_wait_object *object = &wait->object;
	struct tr2_buf *b = tr2_observer_text(o);

	add_number(b, "since_ns", t->still_ns);
	if (object->known_ns)
		add_number(b, "known_ns", object->known_ns);
	add_string(b, "call", wait->call_name);
	add_string(b, "what", object->what);
	if (object->name[0])
		add_string(b, "name", object->name);
	if (object->host)
		add_string(b, "host", object->host);
	if (object->peer)
		add_number(b, "peer", (uint64_t)object->peer);
	if (object->number > 1)
		add_number(b, "number", object->number);
	if (object->others[0])
		add_string(b, "others", object->others);
	free(t->answer);
	t->answer = o->records_ends && !b->failed ? strdup(tr2_buf_str(b)) :
						    NULL;
	tr2_observer_record(o, TR2_TASK_OBJECT, p->pid, t->tid, wait->now_ns);
}

/* Drop a peer that is not in the recording. A later look may know the peer, so
 * let it ask again, up to MOST_TIMES in all: the later record counts. */
static void check_peer(const struct tr2_observer *o,
		       struct tr2_observed_thread *t,
		       struct tr2_wait_object *object)
{
	if (object->peer && !is_recorded(o, object->peer)) {
		object->peer = 0;
		object->lacks_peer = true;
	}
	t->asked = !object->lacks_peer || ++t->nr_asked == MOST_TIMES;
}

/* Ask what a thread waits for. The answer belongs to this wait only if the
 * thread has not run since. */
static void ask_for_object(struct tr2_observer *o, struct tr2_observed *p,
			   struct tr2_observed_thread *t)
{
	struct tr2_wait wait = { .o = o, .p = p,
				 .now_ns = tr2_kernel_now_ns() };
	bool is_found;

	t->asked = read_call(o, p, t, &wait.call);
	is_found = t->asked && tr2_wait_find(&wait) && !is_stopped(p, t);
	if ((is_found || !t->asked) && look_at(o, p, t)) {
		p->waits.has_held = false;
	} else if (is_found) {
		check_peer(o, t, &wait.object);
		record_wait(o, p, t, &wait);
	}
	if (!t->asked_before && p->waits.nr == 1)
		close_answers(t);
	t->asked_before = true;
}

void tr2_observe_waits_begin(struct tr2_observer *o, uint64_t cost_ns)
{
	o->sources.is_long = false;
	o->sources.until_ns = tr2_thread_cpu_ns() + cost_ns;
}

bool tr2_observe_waits(struct tr2_observer *o, struct tr2_observed *p)
{
	return p->waits.refused || update_threads(o, p, &p->waits) ||
	       !(((uint64_t)p->pid + o->looks) % MEMORY_LOOKS);
}

/* Ask the threads of a process. Return whether one of them ran since the last
 * look. If not all can be asked, the next look begins with this process. */
static bool ask_threads(struct tr2_observer *o, size_t nr)
{
	struct tr2_wait_sources *s = &o->sources;
	struct tr2_observed *p = o->processes[nr];
	struct tr2_observed_waits *w = &p->waits;
	bool ran = false;
	size_t i;

	for (i = 0; i < w->nr && !w->refused && !p->ended; i++) {
		struct tr2_observed_thread *t =
			&w->threads[(i + o->looks) % w->nr];

		ran |= !t->is_still;
		if (!t->is_still || t->asked || s->is_late)
			continue;
		s->is_late = !(s->nr_asked++ % ASKED_AT_ONCE) &&
			     tr2_observer_is_late(o);
		if (s->is_late)
			s->next = nr;
		else
			ask_for_object(o, p, t);
	}
	return ran;
}

bool tr2_observe_objects(struct tr2_observer *o)
{
	uint64_t before_ns = tr2_thread_cpu_ns();
	size_t from = o->sources.next, i;
	bool ran = false;

	o->sources.is_late = false;
	o->sources.nr_threads = 0;
	for (i = 0; i < o->nr; i++) {
		o->sources.nr_threads += o->processes[i]->waits.nr;
		ran |= ask_threads(o, (from + i) % o->nr);
	}
	o->sources.asking_ns += tr2_thread_cpu_ns() - before_ns;
	return ran;
}

void tr2_observe_objects_again(struct tr2_observer *o)
{
	size_t i, j;

	for (i = 0; i < o->nr; i++) {
		struct tr2_observed *p = o->processes[i];

		for (j = 0; j < p->waits.nr; j++)
			if (!p->waits.threads[j].is_still &&
			    look_at(o, p, &p->waits.threads[j]))
				p->waits.has_held = false;
	}
	(void)tr2_observe_objects(o);
}

void tr2_observe_waits_end(struct tr2_observer *o, struct tr2_observed *p)
{
	size_t i;

	for (i = 0; i < p->waits.nr; i++)
		record_end(o, p, &p->waits.threads[i]);
}

void tr2_observed_waits_release(struct tr2_observed_waits *waits)
{
	size_t i;

	for (i = 0; i < waits->nr; i++)
		close_thread(&waits->threads[i]);
	free(waits->threads);
	free(waits->known);
	free(waits->held);
}

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
#include "record/observer/kept_files.h"
#include "record/observer/observer.h"
#include "record/observer/wait_object.h"

/* The most threads of a process that are looked at. */
#define MOST_THREADS 4096u
/* With more threads in all processes, each look reads only a part of those that
 * were asked already: 1 / PARTS. */
#define MANY_THREADS 64u
#define PARTS 8u
/* The most threads that one look asks. */
#define MOST_ASKED 4096u
/* The most times that a thread is asked in one wait. */
#define MOST_TIMES 3u

/* The numbers of schedstat. If they are the same at two times, the thread did
 * not run between. */
struct turns {
	uint64_t run_ns, ready_ns, nr;
};

struct tr2_observed_thread {
	pid_t tid;
	int schedstat, syscall, stat; /* kept_files.h */
	struct turns turns;
	uint64_t still_ns; /* the thread has not run since this time */
	bool is_still;     /* it has not run since the last look */
	bool asked;        /* asked already what it waits for */
	bool asked_before; /* asked in an earlier wait */
	uint8_t nr_asked;  /* how often in this wait */
	bool listed, ended;
};

/* Close what is read only to ask. Many threads wait only once. */
static void close_answers(struct tr2_observed_thread *t)
{
	tr2_kept_close(&t->syscall);
	tr2_kept_close(&t->stat);
}

static void close_thread(struct tr2_observed_thread *t)
{
	tr2_kept_close(&t->schedstat);
	close_answers(t);
}

/* Return false if the thread has ended, or if this kernel does not count. */
static bool read_turns(const struct tr2_observed *p,
		       struct tr2_observed_thread *t, struct turns *turns)
{
	char text[80], *end;

	if (tr2_kept_read(&t->schedstat, p->pid, t->tid, "schedstat", text,
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

/* Return true if the thread ran since the last look, or has ended. */
static bool look_at(const struct tr2_observed *p, struct tr2_observed_thread *t)
{
	struct turns turns;

	t->ended = !read_turns(p, t, &turns);
	t->is_still = !t->ended && same_turns(&turns, &t->turns);
	if (t->is_still || t->ended)
		return t->ended;
	t->turns = turns;
	t->still_ns = tr2_kernel_now_ns();
	t->asked = false;
	t->nr_asked = 0;
	return true;
}

static struct tr2_observed_thread *find_thread(struct tr2_observed_waits *w,
					       pid_t tid, size_t from)
{
	size_t i;

	/* The list mostly has the order of the directory. */
	for (i = from; i < w->nr; i++)
		if (w->threads[i].tid == tid && !w->threads[i].ended)
			return &w->threads[i];
	for (i = 0; i < from && i < w->nr; i++)
		if (w->threads[i].tid == tid && !w->threads[i].ended)
			return &w->threads[i];
	return NULL;
}

static void add_thread(const struct tr2_observed *p,
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
	look_at(p, t);
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

static void list_threads(const struct tr2_observed *p,
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
			add_thread(p, w, tid);
	}
	if (dir)
		closedir(dir);
	drop_unlisted(w);
}

/* The number of links of /proc/PID/task when the process has one thread. */
#define LINKS_OF_ONE 3u

/* Update the threads of a process. List them again only if one of them ran: a
 * thread that waits begins no other. */
static void update_threads(const struct tr2_observer *o,
			   const struct tr2_observed *p,
			   struct tr2_observed_waits *w)
{
	bool many = o->sources.nr_threads > MANY_THREADS;
	bool ran = !w->nr, ended = !w->nr;
	struct stat st;
	char path[32];
	size_t i;

	for (i = 0; i < w->nr; i++) {
		if (many && w->threads[i].asked &&
		    ((size_t)w->threads[i].tid + o->looks) % PARTS)
			continue;
		ran |= look_at(p, &w->threads[i]);
		ended |= w->threads[i].ended;
	}
	if (!ran)
		return;
	w->has_held = false;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	if (stat(path, &st))
		st.st_nlink = 0;
	if (!ended && w->links == (unsigned long)st.st_nlink)
		return;
	w->links = (unsigned long)st.st_nlink;
	if (!w->nr && w->links == LINKS_OF_ONE)
		add_thread(p, w, p->pid);
	else
		list_threads(p, w);
}

/* Read the system call in which a thread waits. Return false if it runs, or if
 * reading is refused. */
static bool read_call(struct tr2_observer *o, struct tr2_observed *p,
		      struct tr2_observed_thread *t, struct tr2_wait_call *call)
{
	char text[256];
	ssize_t n = tr2_kept_read(&t->syscall, p->pid, t->tid, "syscall", text,
				  sizeof(text));

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

	if (tr2_kept_read(&t->stat, p->pid, t->tid, "stat", text,
			  sizeof(text)) <= 0)
		return true;
	/* "TID (COMM) STATE ...", where COMM may contain any character. */
	after = strrchr(text, ')');
	return !after || (strncmp(after, ") S", 3) != 0 &&
			  strncmp(after, ") D", 3) != 0);
}

/* Is the peer recorded, and still running? Otherwise it has no number in the
 * recording. */
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

static void record(struct tr2_observer *o, const struct tr2_observed *p,
		   const struct tr2_observed_thread *t,
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
	tr2_observer_record(o, TR2_TASK_OBJECT, p->pid, t->tid, wait->now_ns);
}

/* Drop an unrecorded peer. Ask again where the next look may know the peer: the
 * later record counts. */
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
	struct turns turns;

	t->asked = read_call(o, p, t, &wait.call);
	if (t->asked && tr2_wait_find(&wait) && !is_stopped(p, t) &&
	    read_turns(p, t, &turns) && same_turns(&turns, &t->turns)) {
		check_peer(o, t, &wait.object);
		record(o, p, t, &wait);
	}
	if (!t->asked_before)
		close_answers(t);
	t->asked_before = true;
}

static void begin_counting(struct tr2_wait_sources *s, uint64_t look)
{
	if (s->look == look)
		return;
	s->look = look;
	s->nr_threads = s->nr_counted;
	s->nr_counted = s->nr_asked = 0;
}

void tr2_observe_waits(struct tr2_observer *o, struct tr2_observed *p)
{
	struct tr2_wait_sources *s = &o->sources;
	struct tr2_observed_waits *w = &p->waits;

	if (w->refused)
		return;
	begin_counting(s, o->looks + 1);
	update_threads(o, p, w);
	s->nr_counted += w->nr;
}

/* Ask the threads of a process. Return whether one of them ran since the last
 * look. */
static bool ask_threads(struct tr2_observer *o, struct tr2_observed *p)
{
	struct tr2_wait_sources *s = &o->sources;
	struct tr2_observed_waits *w = &p->waits;
	bool ran = false;
	size_t i;

	for (i = 0; i < w->nr && !w->refused; i++) {
		ran |= !w->threads[i].is_still;
		if (!w->threads[i].is_still || w->threads[i].asked ||
		    s->nr_asked == MOST_ASKED || tr2_observer_is_late(o))
			continue;
		s->nr_asked++;
		ask_for_object(o, p, &w->threads[i]);
	}
	return ran;
}

bool tr2_observe_objects(struct tr2_observer *o)
{
	bool ran = false;
	size_t i;

	for (i = 0; i < o->nr; i++)
		if (!o->processes[i]->ended)
			ran |= ask_threads(o, o->processes[i]);
	return ran;
}

void tr2_observe_objects_again(struct tr2_observer *o)
{
	size_t i, j;

	for (i = 0; i < o->nr; i++) {
		struct tr2_observed *p = o->processes[i];

		for (j = 0; j < p->waits.nr; j++)
			if (!p->waits.threads[j].is_still &&
			    look_at(p, &p->waits.threads[j]))
				p->waits.has_held = false;
	}
	(void)tr2_observe_objects(o);
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

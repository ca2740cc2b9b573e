/* SPDX-License-Identifier: MIT */
/* Switch tracing on in running processes while they are recorded. */
#include "record/job/live_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "common/memory.h"
#include "common/say.h"
#include "config/control_block.h"

#define FIRST_DELAY_NS 1000000u
#define MAX_DELAY_NS 1000000000u
#define LOOK_MS 2
#define LOOK_BACK_NS 100000000u

static void say_refused(pid_t pid, const char *why)
{
	tr2_warning("process %d writes no events: %s", (int)pid, why);
}

/* Does the path name the same directory for the process, which may have another
 * root? */
static bool can_reach(pid_t pid, const char *target, int target_fd)
{
	struct stat ours, theirs;
	char *path = tr2_strf("/proc/%d/root%s", (int)pid, target);
	bool same;

	same = !fstat(target_fd, &ours) && !stat(path, &theirs) &&
	       ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
	free(path);
	return same;
}

static void ask_back(struct tr2_control_page *page, const char *target)
{
	char *text = tr2_strf("restore=%s\n", target);

	(void)tr2_control_page_ask(page, text);
	free(text);
}

static int ask_on(struct tr2_control_page *page, const char *target,
		  int64_t nest)
{
	char *text = tr2_strf("record\nGIT_TRACE2_EVENT=%s\n"
			      "GIT_TRACE2_EVENT_BRIEF=0\n"
			      "GIT_TRACE2_EVENT_NESTING=%lld\n",
			      target, (long long)nest);
	int error = strchr(target, '\n') ? EINVAL :
					   tr2_control_page_ask(page, text);

	free(text);
	return error;
}

/* Note that the process refused the request. Ask it to undo what it has
 * done. */
static void refused(struct tr2_switch *s, struct tr2_switched *p, int error)
{
	p->state = TR2_SWITCH_REFUSED;
	say_refused(p->page.pid, strerror(error));
	ask_back(&p->page, s->target);
}

/* Return the number of processes that have not answered. */
static size_t look_at_all(struct tr2_switch *s)
{
	size_t i, waiting = 0;
	int error;

	for (i = 0; i < s->nr; i++) {
		struct tr2_switched *p = &s->process[i];

		if (p->state != TR2_SWITCH_ASKED)
			continue;
		switch (tr2_control_page_look(&p->page, &error)) {
		case TR2_CONTROL_ANSWERED:
			if (error)
				refused(s, p, error);
			else
				p->state = TR2_SWITCH_ON;
			break;
		case TR2_CONTROL_WAITS:
			waiting++;
			break;
		case TR2_CONTROL_REPLACED:
			p->state = TR2_SWITCH_UNKNOWN;
			tr2_warning("process %d may write no events: another "
				    "'trace2 set' or 'trace2 record' changed "
				    "its settings", (int)p->page.pid);
			break;
		case TR2_CONTROL_GONE:
			break;
		}
	}
	return waiting;
}

static void look_later(struct tr2_switch *s);

static void look_at_switches(struct tr2_source *source, uint32_t events)
{
	struct tr2_switch *s = (struct tr2_switch *)source;

	(void)events;
	tr2_loop_close(s->loop, &s->timer);
	if (!look_at_all(s))
		return;
	s->delay_ns *= s->delay_ns < MAX_DELAY_NS ? 2 : 1;
	look_later(s);
}

static void look_later(struct tr2_switch *s)
{
	s->timer.ready = look_at_switches;
	(void)tr2_loop_add_timer(s->loop, &s->timer, s->delay_ns, 0);
}

static void add_switch(struct tr2_switch *s, pid_t pid, int target_fd,
		       int64_t nest)
{
	struct tr2_switched *p = &s->process[s->nr];
	int error = tr2_control_page_open(&p->page, pid);

	if (error)
		return;
	s->nr++;
	p->state = TR2_SWITCH_REFUSED;
	if (!can_reach(pid, s->target, target_fd)) {
		say_refused(pid, "it cannot reach the recording's directory");
		return;
	}
	error = ask_on(&p->page, s->target, nest);
	if (error)
		say_refused(pid, strerror(error));
	else
		p->state = TR2_SWITCH_ASKED;
}

void tr2_switch_on(struct tr2_switch *s, const struct tr2_attach *attach,
		   const char *target, int target_fd, int64_t nest)
{
	size_t i;

	s->loop = attach->loop;
	s->target = target;
	s->delay_ns = FIRST_DELAY_NS;
	s->process = tr2_calloc(attach->nr, sizeof(*s->process));
	for (i = 0; i < attach->nr; i++)
		add_switch(s, attach->process[i].pid, target_fd, nest);
	if (s->nr)
		look_later(s);
}

static bool is_ours(const struct tr2_switch *s, pid_t pid)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (s->process[i].page.pid == pid)
			return true;
	return false;
}

static bool is_known(const struct tr2_switch *s, pid_t pid)
{
	size_t i;

	for (i = 0; i < s->nr_children; i++)
		if (s->child[i].pid == pid)
			return true;
	return is_ours(s, pid);
}

/* Does the page belong to one of the asked processes? A child has its parent's
 * page open until it creates its own page. */
static bool is_parents(const struct tr2_switch *s,
		       const struct tr2_control_page *page)
{
	struct stat a, b;
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (!fstat(page->fd, &a) && !fstat(s->process[i].page.fd, &b) &&
		    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
			return true;
	return false;
}

/* Ask a child to return to its former target. Return false if the child has no
 * page of its own yet. */
static bool ask_child(struct tr2_switch *s, pid_t pid)
{
	struct tr2_control_page page;

	if (tr2_control_page_open(&page, pid))
		return false;
	if (is_parents(s, &page)) {
		tr2_control_page_release(&page);
		return false;
	}
	tr2_grow(s->child, s->nr_children, s->alloc_children);
	s->child[s->nr_children] = page;
	ask_back(&s->child[s->nr_children++], s->target);
	return true;
}

/* Find children that the asked processes have forked, and ask these children to
 * return to their former targets, too. Return whether any was asked. */
static bool ask_children(struct tr2_switch *s, struct tr2_watch *watch)
{
	struct tr2_straggler *running;
	bool any = false;
	size_t i, nr;

	tr2_watch_read(watch);
	nr = tr2_watch_running(watch, &running);
	for (i = 0; i < nr; i++)
		if (!is_known(s, running[i].pid))
			any |= ask_child(s, running[i].pid);
	free(running);
	return any;
}

/* Ask all processes to return to their former targets. If a process has not
 * taken up the first request, withdraw that request instead. A process that
 * writes elsewhere by now ignores the new request. */
static void ask_all_back(struct tr2_switch *s)
{
	size_t i;

	(void)look_at_all(s);
	for (i = 0; i < s->nr; i++) {
		struct tr2_switched *p = &s->process[i];

		if (p->state == TR2_SWITCH_ASKED &&
		    tr2_control_page_withdraw(&p->page))
			continue;
		if (p->state == TR2_SWITCH_ASKED)
			p->state = TR2_SWITCH_ON;
		if (p->state != TR2_SWITCH_REFUSED)
			ask_back(&p->page, s->target);
	}
}

static bool is_waiting(struct tr2_control_page *page)
{
	int error;

	return page->block &&
	       tr2_control_page_look(page, &error) == TR2_CONTROL_WAITS;
}

/* Look at all processes, and repeat requests to busy ones. Return a process
 * that has not taken up its request; 0: all have. Do not wait for a child
 * without a session: it takes up the request when it begins a session. */
static pid_t waiting_for(const struct tr2_switch *s)
{
	pid_t pid = 0;
	size_t i;

	for (i = 0; i < s->nr; i++)
		if ((s->process[i].state == TR2_SWITCH_ON ||
		     s->process[i].state == TR2_SWITCH_UNKNOWN) &&
		    is_waiting(&s->process[i].page))
			pid = s->process[i].page.pid;
	for (i = 0; i < s->nr_children; i++)
		if (is_waiting(&s->child[i]) && s->child[i].block->is_on)
			pid = s->child[i].pid;
	return pid;
}

static void look_back(struct tr2_source *source, uint32_t events)
{
	struct tr2_switch *s = (struct tr2_switch *)source;

	(void)events;
	if (!waiting_for(s))
		tr2_loop_close(s->loop, &s->timer);
}

/* Wait until all processes have answered, and return the result of
 * waiting_for(). A process that has not answered may fork, and its children
 * then have the target, too: look for children once more after the last
 * answer. */
static pid_t wait_for_answers(struct tr2_switch *s, struct tr2_watch *watch,
			      int64_t wait_ns)
{
	uint64_t from = tr2_clock_now_ns();
	bool is_over = false;
	pid_t pid;

	for (;;) {
		pid = waiting_for(s);
		if (is_over || (!ask_children(s, watch) && !pid))
			return pid;
		if (pid)
			tr2_loop_once(s->loop, LOOK_MS);
		is_over = s->loop->stop ||
			  tr2_clock_now_ns() - from >= (uint64_t)wait_ns;
	}
}

static void release_children(struct tr2_switch *s)
{
	size_t i;

	for (i = 0; i < s->nr_children; i++)
		tr2_control_page_release(&s->child[i]);
	free(s->child);
	s->child = NULL;
	s->nr_children = s->alloc_children = 0;
}

void tr2_switch_back(struct tr2_switch *s, struct tr2_watch *watch,
		     int64_t wait_ns)
{
	pid_t pid;

	if (!s->nr)
		return;
	tr2_loop_close(s->loop, &s->timer);
	/* Only the next signal shall end the wait. */
	if (wait_ns)
		s->loop->stop = false;
	ask_all_back(s);
	if (wait_ns) {
		pid = wait_for_answers(s, watch, wait_ns);
		if (pid)
			tr2_warning("process %d writes to '%s' until its next "
				    "call of the library", (int)pid, s->target);
	} else {
		(void)ask_children(s, watch);
		s->timer.ready = look_back;
		(void)tr2_loop_add_timer(s->loop, &s->timer, LOOK_BACK_NS,
					 LOOK_BACK_NS);
	}
	release_children(s);
}

static size_t count_switches(const struct tr2_switch *s,
			     enum tr2_switch_state state)
{
	size_t i, nr = 0;

	for (i = 0; i < s->nr; i++)
		nr += s->process[i].state == state;
	return nr;
}

size_t tr2_switch_nr_on(const struct tr2_switch *s)
{
	return count_switches(s, TR2_SWITCH_ON);
}

void tr2_switch_say(const struct tr2_switch *s, size_t nr_attached)
{
	size_t on = count_switches(s, TR2_SWITCH_ON);
	size_t asked = count_switches(s, TR2_SWITCH_ASKED);

	if (s->nr)
		fprintf(stderr, "trace2 record: tracing was switched on in %zu "
			"of %zu process%s%s\n", on, nr_attached,
			nr_attached == 1 ? "" : "es",
			asked ? "; others have not called the library" : "");
}

void tr2_switch_release(struct tr2_switch *s)
{
	size_t i;

	if (s->loop)
		tr2_loop_close(s->loop, &s->timer);
	for (i = 0; i < s->nr; i++)
		tr2_control_page_release(&s->process[i].page);
	free(s->process);
}

/* SPDX-License-Identifier: MIT */
/* Look through the descriptors of all recorded processes. */
#include "record/observer/holders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/map.h"
#include "common/procfs.h"
#include "record/observer/descriptors.h"

/* Read at most this many descriptors of a process. */
#define MOST 1024u
/* While the number of a process's descriptors is unchanged, assume for this
 * long that the descriptors are unchanged, too. */
#define LIKELY_NS 1000000000u

struct tr2_held_file {
	uint64_t hash; /* hash of the link text */
	int fd;
};

static bool add_holder(struct tr2_observed_waits *w, int fd, const char *link)
{
	size_t alloc = w->alloc_held ? w->alloc_held * 2 : 8;
	struct tr2_held_file *grown;

	if (w->nr_held == w->alloc_held) {
		grown = w->nr_held < MOST ?
				realloc(w->held, alloc * sizeof(*grown)) :
				NULL;
		if (!grown)
			return false;
		w->held = grown;
		w->alloc_held = alloc;
	}
	w->held[w->nr_held++] =
		(struct tr2_held_file){ tr2_hash(link, strlen(link)), fd };
	return true;
}

/* Return how many descriptors a process has; 0: this kernel does not count. */
static uint64_t count_files(const struct tr2_observed *p)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)p->pid);
	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

/* Read the descriptors of a process. Set hides_held if reading is refused or
 * there are too many: the process may then have any other descriptor. */
static void read_files(struct tr2_observed *p)
{
	char path[32], link[TR2_OBJECT_NAME_SIZE];
	struct dirent *e;
	ssize_t n;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)p->pid);
	p->waits.held_ns = tr2_kernel_now_ns();
	p->waits.nr_open = count_files(p);
	p->waits.has_held = true;
	p->waits.is_likely = false;
	p->waits.nr_held = 0;
	dir = opendir(path);
	p->waits.hides_held = !dir && errno != ENOENT;
	while (dir && (e = readdir(dir))) {
		n = readlinkat(dirfd(dir), e->d_name, link, sizeof(link) - 1);
		if (n <= 0)
			continue;
		link[n] = '\0';
		if (!add_holder(&p->waits, atoi(e->d_name), link)) {
			p->waits.hides_held = true;
			break;
		}
	}
	if (dir)
		closedir(dir);
}

enum tr2_ends tr2_holders_ends(pid_t pid, int fd)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
	if (lstat(path, &st))
		return 0;
	return (st.st_mode & S_IRUSR ? TR2_READING : 0) |
	       (st.st_mode & S_IWUSR ? TR2_WRITING : 0);
}

static bool holds(pid_t pid, int fd, const char *link, enum tr2_ends ends)
{
	char now[TR2_OBJECT_NAME_SIZE];

	return tr2_descriptor_link(pid, fd, now) && !strcmp(now, link) &&
	       (ends == TR2_BOTH || tr2_holders_ends(pid, fd) & ends);
}

/* Are both descriptors the same file? In a container, or after a removal, the
 * same path may be another file. */
static bool same_file(pid_t pid, int fd, pid_t other, int other_fd)
{
	char its[TR2_INFO_SIZE], others[TR2_INFO_SIZE];

	return tr2_descriptor_info(pid, fd, its) &&
	       tr2_descriptor_info(other, other_fd, others) &&
	       tr2_descriptor_number(its, "ino") ==
		       tr2_descriptor_number(others, "ino");
}

/* Does the process probably have the same descriptors as when they were
 * read? */
static bool is_likely(const struct tr2_observed *p)
{
	const struct tr2_observed_waits *w = &p->waits;

	return w->nr_open && !w->hides_held &&
	       tr2_kernel_now_ns() - w->held_ns < LIKELY_NS &&
	       count_files(p) == w->nr_open;
}

static void update_files(struct tr2_observed *p)
{
	struct tr2_observed_waits *w = &p->waits;

	if (w->has_held)
		return;
	if (is_likely(p))
		w->has_held = w->is_likely = true;
	else
		read_files(p);
}

struct question {
	const struct tr2_wait *wait;
	int fd;
	const char *link;
	uint64_t hash;
	enum tr2_ends ends;
	bool (*is_it)(pid_t pid, int fd);
	struct tr2_held all;
	bool is_unsure; /* a process whose descriptors cannot be read may have
			 * the file, too */
	bool is_likely; /* the descriptors of some processes are only assumed to
			 * be unchanged */
};

static void look_at(struct question *q, struct tr2_observed *p)
{
	bool is_one = false;
	size_t i;

	update_files(p);
	q->is_unsure |= p->waits.hides_held;
	q->is_likely |= p->waits.is_likely;
	for (i = 0; i < p->waits.nr_held; i++) {
		int fd = p->waits.held[i].fd;

		if (p->waits.held[i].hash != q->hash ||
		    !holds(p->pid, fd, q->link, q->ends) ||
		    (q->link[0] == '/' &&
		     !same_file(p->pid, fd, q->wait->p->pid, q->fd)) ||
		    (q->is_it && !q->is_it(p->pid, fd)))
			continue;
		is_one = true;
	}
	if (is_one) {
		q->all.pid = p->pid;
		q->all.nr++;
	}
}

/* Read a process's descriptors again if they were only assumed to be
 * unchanged. */
static void make_sure(struct tr2_observed *p)
{
	if (p->waits.is_likely)
		read_files(p);
}

static void look_at_others(struct question *q)
{
	const struct tr2_observer *o = q->wait->o;
	size_t i;

	for (i = 0; i < o->nr; i++) {
		q->is_unsure |= o->processes[i]->waits.refused;
		if (o->processes[i] != q->wait->p && !o->processes[i]->ended &&
		    !o->processes[i]->waits.refused)
			look_at(q, o->processes[i]);
	}
}

struct tr2_held tr2_holders_find(const struct tr2_wait *wait, int fd,
				 const char *link, enum tr2_ends ends,
				 bool (*is_it)(pid_t pid, int fd))
{
	struct question q = {
		.wait = wait, .fd = fd, .link = link, .ends = ends,
		.hash = tr2_hash(link, strlen(link)), .is_it = is_it,
	};
	const struct tr2_observer *o = wait->o;
	size_t i;

	look_at_others(&q);
	/* Read the descriptors again: another process may have opened the file
	 * since then, and may be the one that the thread waits for. A socket
	 * cannot be opened again, so one holder is enough. */
	if (q.all.nr < (strncmp(link, "socket:[", 8) ? 2u : 1u) &&
	    q.is_likely && !q.is_unsure) {
		for (i = 0; i < o->nr; i++)
			make_sure(o->processes[i]);
		q.all = (struct tr2_held){ 0 };
		look_at_others(&q);
	}
	if (q.is_unsure)
		return (struct tr2_held){ 0 };
	/* With several holders, name no process: the thread may wait for any of
	 * them. */
	if (q.all.nr > 1)
		q.all.pid = 0;
	return q.all;
}

bool tr2_holders_self(const struct tr2_wait *wait, int fd, const char *link,
		      enum tr2_ends ends)
{
	struct question q = {
		.wait = wait, .fd = fd, .link = link, .ends = ends,
		.hash = tr2_hash(link, strlen(link)),
	};

	look_at(&q, wait->p);
	if (!q.all.nr && q.is_likely) {
		make_sure(wait->p);
		look_at(&q, wait->p);
	}
	return q.all.nr;
}

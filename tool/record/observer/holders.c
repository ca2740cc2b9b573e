/* SPDX-License-Identifier: MIT */
/* An index of the descriptors of all recorded processes, made once a look. */
#include "record/observer/holders.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/map.h"
#include "record/observer/descriptors.h"

/* More descriptors are not looked at. */
#define MOST 32768u

struct holder {
	uint64_t hash; /* of the link text */
	pid_t pid;
	int fd;
};

struct tr2_holders {
	struct holder *all;
	size_t nr, alloc;
	uint64_t look; /* that it was made in, from 1 */
};

static bool add(struct tr2_holders *h, pid_t pid, int fd, const char *link)
{
	size_t alloc = h->alloc ? h->alloc * 2 : 256;
	struct holder *grown;

	if (h->nr == MOST)
		return false;
	if (h->nr == h->alloc) {
		grown = realloc(h->all, alloc * sizeof(*grown));
		if (!grown)
			return false;
		h->all = grown;
		h->alloc = alloc;
	}
	h->all[h->nr++] = (struct holder){ tr2_hash(link, strlen(link)), pid,
					   fd };
	return true;
}

static void add_process(struct tr2_holders *h, pid_t pid)
{
	char path[32], link[TR2_OBJECT_NAME_SIZE];
	struct dirent *e;
	ssize_t n;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		n = readlinkat(dirfd(dir), e->d_name, link, sizeof(link) - 1);
		if (n <= 0)
			continue;
		link[n] = '\0';
		if (!add(h, pid, atoi(e->d_name), link))
			break;
	}
	if (dir)
		closedir(dir);
}

static struct tr2_holders *index_of(const struct tr2_wait *wait)
{
	struct tr2_observer *o = wait->o;
	struct tr2_holders *h = o->sources.holders;
	size_t i;

	if (!h)
		h = o->sources.holders = calloc(1, sizeof(*h));
	if (!h || h->look == o->looks + 1)
		return h;
	h->look = o->looks + 1;
	h->nr = 0;
	for (i = 0; i < o->nr; i++)
		if (!o->processes[i]->ended && !o->processes[i]->waits.refused)
			add_process(h, o->processes[i]->pid);
	return h;
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

static bool holds(const struct holder *holder, const char *link,
		  enum tr2_ends ends)
{
	char now[TR2_OBJECT_NAME_SIZE];

	return tr2_descriptor_link(holder->pid, holder->fd, now) &&
	       !strcmp(now, link) &&
	       tr2_holders_ends(holder->pid, holder->fd) & ends;
}

/* The same path is another file elsewhere, in a container or after a removal. */
static bool same_file(const struct holder *holder, pid_t pid, int fd)
{
	char its[TR2_INFO_SIZE], own[TR2_INFO_SIZE];

	return tr2_descriptor_info(holder->pid, holder->fd, its) &&
	       tr2_descriptor_info(pid, fd, own) &&
	       tr2_descriptor_number(its, "ino") ==
		       tr2_descriptor_number(own, "ino");
}

/* Add a process that holds it; its descriptors are next to each other. */
static void count(struct tr2_held *held, pid_t pid)
{
	if (held->nr && held->pid == pid)
		return;
	held->pid = pid;
	held->nr++;
}

struct tr2_held tr2_holders_find(const struct tr2_wait *wait, int fd,
				 const char *link, enum tr2_ends ends,
				 bool (*is_it)(pid_t pid, int fd))
{
	const struct tr2_holders *h = index_of(wait);
	uint64_t hash = tr2_hash(link, strlen(link));
	struct tr2_held all = { 0 }, standard = { 0 };
	size_t i;

	for (i = 0; h && i < h->nr; i++) {
		const struct holder *holder = &h->all[i];

		if (holder->hash != hash || holder->pid == wait->p->pid ||
		    !holds(holder, link, ends) ||
		    (link[0] == '/' && !same_file(holder, wait->p->pid, fd)) ||
		    (is_it && !is_it(holder->pid, holder->fd)))
			continue;
		count(&all, holder->pid);
		if (holder->fd <= STDERR_FILENO)
			count(&standard, holder->pid);
	}
	if (all.nr > 1)
		all.pid = standard.nr == 1 ? standard.pid : 0;
	if (all.pid)
		all.nr = 1;
	return all;
}

bool tr2_holders_self(const struct tr2_wait *wait, const char *link,
		      enum tr2_ends ends)
{
	const struct tr2_holders *h = index_of(wait);
	uint64_t hash = tr2_hash(link, strlen(link));
	size_t i;

	for (i = 0; h && i < h->nr; i++)
		if (h->all[i].hash == hash && h->all[i].pid == wait->p->pid &&
		    holds(&h->all[i], link, ends))
			return true;
	return false;
}

void tr2_holders_free(struct tr2_holders *holders)
{
	if (holders)
		free(holders->all);
	free(holders);
}

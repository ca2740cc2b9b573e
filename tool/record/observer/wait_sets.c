/* SPDX-License-Identifier: MIT */
/* Read sets of descriptors, describe each descriptor, and group them. */
#include "record/observer/wait_sets.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>

#include "record/observer/descriptors.h"
#include "record/observer/proc_lines.h"

/* A set with more members than this has no object. */
#define MOST_MEMBERS 256u
#define MOST_GROUPS 32u

struct set {
	struct tr2_wait *wait;
	struct tr2_wait_object group[MOST_GROUPS];
	unsigned int nr, nr_members;
	uint64_t known_ns;
	bool failed; /* some members of the set are unknown */
};

static struct tr2_wait_object *group_of(struct set *set,
					const struct tr2_wait_object *member)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		if (!strcmp(set->group[i].what, member->what) &&
		    !strcmp(set->group[i].name, member->name) &&
		    set->group[i].peer == member->peer)
			return &set->group[i];
	if (set->nr == MOST_GROUPS)
		return NULL;
	set->group[set->nr] = *member;
	set->group[set->nr].number = 0;
	return &set->group[set->nr++];
}

static void add_member(struct set *set, int fd)
{
	struct tr2_wait_object member = { 0 }, *group;

	if (set->failed || ++set->nr_members > MOST_MEMBERS ||
	    !tr2_describe_descriptor(set->wait, fd, &member)) {
		set->failed = true;
		return;
	}
	if (member.known_ns > set->known_ns)
		set->known_ns = member.known_ns;
	group = group_of(set, &member);
	if (group)
		group->number++;
	else
		set->failed = true;
}

/* Choose the group that becomes the object, and move it to the front: the
 * largest group. Groups outside of the process come before inner groups. Of
 * equal groups, take the first. */
static void choose_group(struct set *set)
{
	struct tr2_wait_object first;
	unsigned int best = 0, i;

	for (i = 1; i < set->nr; i++)
		if (set->group[i].is_inner == set->group[best].is_inner ?
			    set->group[i].number > set->group[best].number :
			    set->group[best].is_inner)
			best = i;
	first = set->group[best];
	set->group[best] = set->group[0];
	set->group[0] = first;
}

/* Add a kind once: "timer, eventfd, pipe x 3". */
static void add_kind(struct tr2_wait_object *to, const struct set *set,
		     unsigned int i)
{
	size_t len = strlen(to->others);
	uint64_t nr = 0;
	unsigned int j;

	for (j = 1; j < set->nr; j++) {
		if (strcmp(set->group[j].what, set->group[i].what) != 0)
			continue;
		if (j < i)
			return;
		nr += set->group[j].number;
	}
	snprintf(to->others + len, sizeof(to->others) - len,
		 nr > 1 ? "%s%s x %llu" : "%s%s", len ? ", " : "",
		 set->group[i].what, (unsigned long long)nr);
}

static void sum_up(struct set *set)
{
	struct tr2_wait_object *object = &set->wait->object;
	unsigned int i;

	if (set->failed || !set->nr)
		return;
	choose_group(set);
	*object = set->group[0];
	if (object->known_ns < set->known_ns)
		object->known_ns = set->known_ns;
	object->others[0] = '\0';
	for (i = 1; i < set->nr; i++)
		add_kind(object, set, i);
}

void tr2_wait_find_poll(struct tr2_wait *wait, uint64_t address, uint64_t nr)
{
	struct pollfd fds[MOST_MEMBERS];
	struct set set = { .wait = wait };
	uint64_t i;

	if (nr > MOST_MEMBERS ||
	    !tr2_wait_read_memory(wait, address, fds, nr * sizeof(*fds)))
		return;
	for (i = 0; i < nr; i++)
		if (fds[i].fd >= 0)
			add_member(&set, fds[i].fd);
	sum_up(&set);
}

/* Add the members of a set to `all`. */
static bool read_set(const struct tr2_wait *wait, uint64_t address, int nr,
		     fd_set *all)
{
	size_t bits = 8 * sizeof(long), i;
	size_t words = ((size_t)nr + bits - 1) / bits;
	unsigned long set[FD_SETSIZE / (8 * sizeof(long))];

	if (!address)
		return true;
	if (!tr2_wait_read_memory(wait, address, set, words * sizeof(*set)))
		return false;
	for (i = 0; i < (size_t)nr; i++)
		if (set[i / bits] >> i % bits & 1)
			FD_SET(i, all);
	return true;
}

bool tr2_wait_find_select(struct tr2_wait *wait, const uint64_t *arg)
{
	struct set set = { .wait = wait };
	int nr = (int)arg[0], fd;
	fd_set all;

	FD_ZERO(&all);
	if (nr < 0 || nr > FD_SETSIZE)
		return true;
	if (nr && (!read_set(wait, arg[1], nr, &all) ||
		   !read_set(wait, arg[2], nr, &all) ||
		   !read_set(wait, arg[3], nr, &all)))
		return true;
	for (fd = 0; fd < nr; fd++)
		if (FD_ISSET(fd, &all))
			add_member(&set, fd);
	sum_up(&set);
	return set.nr_members;
}

/* Is the descriptor still the file that was added to the set? */
static bool has_inode(const struct tr2_wait *wait, int fd,
		      unsigned long long inode)
{
	char link[TR2_OBJECT_NAME_SIZE], info[TR2_INFO_SIZE], expected[32];

	if (!tr2_descriptor_link(wait->p->pid, fd, link) ||
	    !tr2_descriptor_info(wait->p->pid, fd, info))
		return false;
	snprintf(expected, sizeof(expected), ":[%llu]", inode);
	return strstr(link, expected) ||
	       tr2_descriptor_number(info, "ino") == (long long)inode;
}

void tr2_wait_find_epoll(struct tr2_wait *wait, int fd)
{
	struct set set = { .wait = wait };
	struct tr2_wait_object own = { 0 };
	struct tr2_proc_lines lines;
	unsigned long long inode;
	char path[32];
	int member;

	if (!tr2_describe_descriptor(wait, fd, &own) ||
	    strcmp(own.what, "epoll") != 0)
		return;
	snprintf(path, sizeof(path), "fdinfo/%d", fd);
	if (!tr2_proc_lines_open(&lines, wait->p->pid, path))
		return;
	while (tr2_proc_lines_next(&lines)) {
		if (sscanf(lines.line, "tfd: %d events: %*x data: %*x pos:%*d "
			   "ino:%llx", &member, &inode) != 2)
			continue;
		if (has_inode(wait, member, inode))
			add_member(&set, member);
		else
			set.failed = true;
	}
	/* Members of an epoll set may be added or closed during a wait, and the
	 * thread waits for the present ones. So take known_ns from the epoll
	 * set itself alone. */
	sum_up(&set);
	wait->object.known_ns = own.known_ns;
}

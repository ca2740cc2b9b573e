/* SPDX-License-Identifier: MIT */
/* Read /proc/locks, and the locks that fdinfo lists. */
#include "record/observer/file_locks.h"

#include <stdio.h>
#include <string.h>

#include "record/observer/descriptors.h"
#include "record/observer/holders.h"
#include "record/observer/proc_lines.h"

struct lock {
	unsigned long number; /* number of the lock; the lines of waiting
			       * processes have the same number */
	bool waits;
	char type[16];
	pid_t pid; /* the process that took the lock, which may have ended; -1:
		    * no process */
	unsigned long long inode;
};

/* "1: -> FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF" */
static bool parse_lock(const char *text, struct lock *lock)
{
	int at = 0, pid;

	if (sscanf(text, " %lu: %n", &lock->number, &at) != 1 || !at)
		return false;
	text += at;
	lock->waits = !strncmp(text, "->", 2);
	text += lock->waits ? 2 : 0;
	if (sscanf(text, " %15s %*s %*s %d %*x:%*x:%llu", lock->type, &pid,
		   &lock->inode) != 3)
		return false;
	lock->pid = pid;
	return true;
}

/*
 * Find the lock that a process waits for: /proc/locks lists the waiting
 * processes after the lock. Return false if the process waits for no lock, or
 * its threads wait for several. OFD locks belong to no process, so for them
 * return false if the file has several.
 */
static bool find_lock(const struct tr2_wait *wait, const char *type,
		      unsigned long long inode, struct lock *found)
{
	bool is_ofd = !strcmp(type, "OFDLCK");
	pid_t pid = is_ofd ? -1 : wait->p->pid;
	struct lock held = { 0 }, lock;
	struct tr2_proc_lines lines;
	unsigned int nr = 0, nr_held = 0;

	if (!tr2_proc_lines_open(&lines, 0, "locks"))
		return false;
	while (tr2_proc_lines_next(&lines)) {
		if (!parse_lock(lines.line, &lock) || lock.inode != inode)
			continue;
		if (!lock.waits) {
			held = lock;
			nr_held++;
		} else if (lock.pid == pid && lock.number == held.number &&
			   !strcmp(lock.type, type)) {
			nr += !nr || found->number != held.number;
			*found = held;
		}
	}
	tr2_proc_lines_close(&lines);
	return nr == 1 && (!is_ofd || nr_held == 1);
}

/* Does the open file have a lock of this type? */
static bool has_lock(pid_t pid, int fd, const char *type)
{
	char info[TR2_INFO_SIZE], *line;

	if (!tr2_descriptor_info(pid, fd, info))
		return false;
	line = strstr(info, "\nlock:");
	return line && strstr(line, type);
}

static bool has_flock(pid_t pid, int fd)
{
	return has_lock(pid, fd, " FLOCK ");
}

static bool has_ofd_lock(pid_t pid, int fd)
{
	return has_lock(pid, fd, " OFDLCK ");
}

/* Does the process that took the lock still have it? The process may have
 * closed the file, while another process that had inherited the file holds the
 * lock. */
static bool still_has(const struct tr2_wait *wait, pid_t pid, const char *link)
{
	char its[TR2_OBJECT_NAME_SIZE];
	int fd;

	for (fd = 0; fd < 1024; fd++)
		if (tr2_descriptor_link(pid, fd, its) && !strcmp(its, link) &&
		    has_flock(pid, fd))
			return pid != wait->p->pid;
	return false;
}

static pid_t holder_of(const struct tr2_wait *wait, const struct lock *lock,
		       int fd, const char *link)
{
	if (!strcmp(lock->type, "POSIX"))
		return lock->pid > 0 && lock->pid != wait->p->pid ? lock->pid :
								    0;
	if (lock->pid > 0 && still_has(wait, lock->pid, link))
		return lock->pid;
	return tr2_holders_find(wait, fd, link, TR2_BOTH,
				!strcmp(lock->type, "FLOCK") ? has_flock :
							       has_ofd_lock).pid;
}

void tr2_file_lock_find(struct tr2_wait *wait, int fd, const char *type)
{
	struct tr2_wait_object *object = &wait->object;
	char link[TR2_OBJECT_NAME_SIZE], info[TR2_INFO_SIZE];
	struct lock lock;
	long long inode;

	if (!tr2_describe_descriptor(wait, fd, object))
		return;
	object->what = "lock";
	object->peer = 0;
	if (!tr2_descriptor_link(wait->p->pid, fd, link) ||
	    !tr2_descriptor_info(wait->p->pid, fd, info))
		return;
	inode = tr2_descriptor_number(info, "ino");
	if (inode >= 0 &&
	    find_lock(wait, type, (unsigned long long)inode, &lock))
		object->peer = holder_of(wait, &lock, fd, link);
	object->lacks_peer = !object->peer;
}

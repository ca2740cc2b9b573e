/* SPDX-License-Identifier: MIT */
/* Empty the rings of recorded programs while they run. */
#include "record/streams/rings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "format/ring/ring_file.h"
#include "record/store.h"
#include "record/streams/ring_copy.h"

/* Check all rings at this interval for changes that send no wake-up: new
 * threads, ends by SIGKILL, a few records in a ring that does not fill. */
#define LOOK_NS 50000000u
/* While a ring is being set up, check it every SOON_NS, at most MAX_TRIES
 * times. */
#define SOON_NS 1000000u
#define MAX_TRIES 1000

struct tr2_ring_client {
	struct tr2_source wake; /* the pipe by which the process wakes the
				 * recorder; fd -1: none */
	struct tr2_rings *rings;
	struct tr2_ring_client *next;
	struct tr2_ring_file file;
	struct tr2_control *control[TR2_MAX_SLOTS];
	int pieces_fd; /* file of taken records; -1: no records were taken
			* yet */
	bool foreign;  /* the ring belongs to a process that ran already */
	bool open;     /* the ring's header is complete */
	int tries;     /* checks of a ring whose header is not complete */
	bool ended;    /* no more records will come */
	/* For each slot: the end of the taken records and, in a foreign ring,
	 * the number of records that were overwritten before. */
	uint64_t taken[TR2_MAX_SLOTS], overwritten[TR2_MAX_SLOTS];
	char name[];
};

static int open_pieces(struct tr2_ring_client *c)
{
	char *name;

	if (c->pieces_fd >= 0)
		return 0;
	if (asprintf(&name, "%s" TR2_PIECES_SUFFIX, c->name) < 0)
		return -1;
	c->pieces_fd = openat(c->rings->dir_fd, name,
			      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
				      O_CLOEXEC, 0600);
	free(name);
	return c->pieces_fd < 0 ? -1 : 0;
}

/* Write the whole piece, or remove the written part. */
static int write_piece(struct tr2_ring_client *c, uint32_t slot,
		       const struct tr2_ring_records *records)
{
	const struct tr2_piece piece = {
		.magic = TR2_PIECE_MAGIC, .slot = slot,
		.position = records->position, .len = records->len,
		.ring_size = records->ring_size,
	};
	off_t before;

	if (open_pieces(c))
		return -1;
	before = lseek(c->pieces_fd, 0, SEEK_CUR);
	if (!tr2_store_write(c->pieces_fd, &piece, sizeof(piece)) &&
	    !tr2_store_write(c->pieces_fd, records->p, records->len))
		return 0;
	if (!c->rings->write_errno)
		c->rings->write_errno = errno;
	if (before >= 0 && !ftruncate(c->pieces_fd, before))
		lseek(c->pieces_fd, before, SEEK_SET);
	return -1;
}

static void count_events(struct tr2_rings *r,
			 const struct tr2_ring_records *records)
{
	const struct tr2_record *record;
	size_t at = 0;
	bool bad;

	while ((record = tr2_ring_records_next(records, &at, &bad)))
		if (record->type >= TR2_RECORD_EVENT)
			r->events++;
}

/* Cut the records to the part that fits into the limit of size. */
static void cut_to_room(struct tr2_rings *r, struct tr2_ring_records *records)
{
	uint64_t left = r->max_bytes - r->bytes, room = 0;
	size_t at = 0, end = 0;
	bool bad;

	if (left > sizeof(struct tr2_piece))
		room = left - sizeof(struct tr2_piece);
	if (!r->max_bytes || records->len <= room)
		return;
	r->over_size = true;
	while (tr2_ring_records_next(records, &at, &bad) && at <= room)
		end = at;
	records->len = end;
}

/* Return the control page of a slot. The page stays valid once nr_slots
 * includes the slot. */
static struct tr2_control *control_of(struct tr2_ring_client *c, uint32_t slot)
{
	if (!c->control[slot])
		c->control[slot] = tr2_ringmap_add(
			c->file.fd, tr2_ring_file_slot(&c->file, slot));
	return c->control[slot];
}

/* Begin to read a slot. Return false if the ring is not in mode `consume`: its
 * owner then moves the tail, and the ring is read at the end of the
 * recording. */
static bool begin_slot(struct tr2_ring_client *c, uint32_t slot)
{
	struct tr2_control *control = control_of(c, slot);

	if (!control || __atomic_load_n(&control->mode, __ATOMIC_RELAXED) !=
				TR2_RING_CONSUME)
		return false;
	/* Ask for a wake-up before reading, so that later records wake this
	 * process. */
	if (c->wake.fd >= 0)
		__atomic_fetch_or(&control->sleepers, TR2_SLEEPS_POLL,
				  __ATOMIC_SEQ_CST);
	return true;
}

static bool begin_foreign(struct tr2_ring_client *c, uint32_t slot)
{
	struct tr2_control control;

	if (!c->taken[slot] && tr2_ring_file_control(&c->file, slot, &control))
		c->overwritten[slot] = control.overwritten;
	return true;
}

/* Release the space of records before `until`, which have been written. */
static void release_slot(struct tr2_ring_client *c, uint32_t slot,
			 uint64_t until)
{
	c->taken[slot] = until;
	/* Order: release the space after the records were copied. The owner may
	 * then overwrite this space. */
	if (!c->foreign)
		__atomic_store_n(&c->control[slot]->data_tail, until,
				 __ATOMIC_RELEASE);
}

static void take_slot(struct tr2_ring_client *c, uint32_t slot)
{
	struct tr2_ring_records records;

	if (c->rings->over_size || c->rings->write_errno ||
	    !(c->foreign ? begin_foreign : begin_slot)(c, slot) ||
	    !tr2_ring_file_records(&c->file, slot,
				   c->foreign ? c->taken[slot] : 0, &records) ||
	    !records.p)
		return;
	cut_to_room(c->rings, &records);
	if (records.len && !write_piece(c, slot, &records)) {
		count_events(c->rings, &records);
		c->rings->bytes += sizeof(struct tr2_piece) + records.len;
		release_slot(c, slot, records.position + records.len);
	}
	free(records.p);
}

/* Take the records of all slots, slot 0 last. Slot 0 has a record for each new
 * thread, which is older than the thread's own first record. So, if a thread's
 * record was taken, slot 0's record of the thread is taken, too. */
static void take_all(struct tr2_ring_client *c)
{
	uint32_t nr = c->file.nr_slots, i;

	if (nr > TR2_MAX_SLOTS)
		nr = TR2_MAX_SLOTS;
	for (i = 1; i <= nr; i++)
		take_slot(c, i % nr);
}

/* Free the disk space of empty rings whose process has ended. */
static void give_back_space(struct tr2_ring_client *c)
{
	struct tr2_ring_place place;
	struct tr2_control control;
	uint32_t slot;

	for (slot = 0; slot < c->file.nr_slots; slot++) {
		if (!tr2_ring_file_control(&c->file, slot, &control) ||
		    control.data_tail != control.data_head)
			continue;
		place = tr2_ring_file_place(&c->file, slot, &control);
		if (place.size)
			(void)fallocate(c->file.fd,
					FALLOC_FL_PUNCH_HOLE |
						FALLOC_FL_KEEP_SIZE,
					(off_t)place.offset, (off_t)place.size);
	}
}

/* Count events that were left in the rings. */
static void count_left(struct tr2_ring_client *c)
{
	struct tr2_ring_records records;
	uint32_t slot;

	for (slot = 0; slot < c->file.nr_slots; slot++)
		if (tr2_ring_file_records(&c->file, slot, 0, &records) &&
		    records.p) {
			count_events(c->rings, &records);
			free(records.p);
		}
}

static void copy_client(struct tr2_ring_client *c)
{
	if (!tr2_ring_copy(&c->file, c->rings->dir_fd, c->name, c->taken,
			   c->overwritten) && !c->rings->write_errno)
		c->rings->write_errno = errno;
}

/* Close a process's ring. The client stays in the list, so that its name is
 * known. */
static void close_client(struct tr2_ring_client *c)
{
	uint32_t slot;

	if (c->open) {
		c->rings->lost += tr2_ring_file_lost(&c->file);
		if (c->foreign)
			copy_client(c);
		else
			count_left(c);
		if (!c->foreign && !tr2_ring_file_is_alive(&c->file))
			give_back_space(c);
	}
	tr2_loop_close(c->rings->loop, &c->wake);
	for (slot = 0; slot < TR2_MAX_SLOTS; slot++) {
		tr2_ringmap_remove(c->control[slot]);
		c->control[slot] = NULL;
	}
	if (c->pieces_fd >= 0)
		close(c->pieces_fd);
	if (c->file.fd >= 0)
		close(c->file.fd);
	tr2_ring_file_release(&c->file);
	c->pieces_fd = -1;
	c->open = false;
	c->ended = true;
}

static void look_at_client(struct tr2_ring_client *c);

static void woken(struct tr2_source *source, uint32_t events)
{
	struct tr2_ring_client *c = (struct tr2_ring_client *)source;
	char bytes[256];

	while (read(source->fd, bytes, sizeof(bytes)) > 0)
		;
	if (events & EPOLLHUP)
		tr2_loop_close(c->rings->loop, source);
	look_at_client(c);
}

/* Open the process's pipe by its descriptor number. Check that the number still
 * means the pipe: the process may have closed the pipe and opened another
 * file. */
static void open_wake(struct tr2_ring_client *c)
{
	const struct tr2_arena_header *h = &c->file.header;
	struct stat st;
	char path[64];

	if (h->wake_fd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/%u/fd/%d", h->pid, h->wake_fd);
	c->wake.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (c->wake.fd < 0)
		return;
	c->wake.ready = woken;
	if (fstat(c->wake.fd, &st) || !S_ISFIFO(st.st_mode) ||
	    st.st_ino != h->wake_inode ||
	    tr2_loop_add(c->rings->loop, &c->wake, EPOLLIN)) {
		close(c->wake.fd);
		c->wake.fd = -1;
	}
}

static void try_open(struct tr2_ring_client *c)
{
	if (c->file.fd < 0) {
		c->file.fd =
			openat(c->rings->dir_fd, c->name,
			       O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (c->file.fd < 0) {
			c->ended = true;
			return;
		}
	}
	if (tr2_ring_file_update(&c->file) != TR2_RING_IS_GOOD) {
		if (++c->tries >= MAX_TRIES)
			c->ended = true;
		return;
	}
	c->open = true;
	if (c->foreign)
		copy_client(c);
	else
		open_wake(c);
}

/* Take all records. Check first whether the process runs: if it has ended, no
 * more records will come. */
static void look_at_client(struct tr2_ring_client *c)
{
	bool alive;

	if (!c->open && !c->ended)
		try_open(c);
	if (!c->open || c->ended)
		return;
	alive = tr2_ring_file_is_alive(&c->file);
	if (tr2_ring_file_update(&c->file) == TR2_RING_IS_GOOD)
		take_all(c);
	else
		alive = false;
	if (!alive)
		close_client(c);
}

static void set_pace(struct tr2_rings *r, uint64_t ns)
{
	const struct itimerspec when = {
		.it_value.tv_nsec = (long)ns,
		.it_interval.tv_nsec = (long)ns,
	};

	if (r->pace_ns != ns && r->timer.fd >= 0 &&
	    !timerfd_settime(r->timer.fd, 0, &when, NULL))
		r->pace_ns = ns;
}

static struct tr2_ring_client *find_client(struct tr2_rings *r,
					   const char *name)
{
	struct tr2_ring_client *c;

	for (c = r->first; c && strcmp(c->name, name); c = c->next)
		;
	return c;
}

/* Add a client to the list. NULL: memory is short. */
static struct tr2_ring_client *new_client(struct tr2_rings *r, const char *name)
{
	size_t len = strlen(name);
	struct tr2_ring_client *c = calloc(1, sizeof(*c) + len + 1);

	if (!c)
		return NULL;
	memcpy(c->name, name, len);
	c->rings = r;
	c->wake.fd = c->file.fd = c->pieces_fd = -1;
	c->next = r->first;
	r->first = c;
	r->files++;
	return c;
}

static void add_client(struct tr2_rings *r, const char *name)
{
	size_t len = strlen(name), suffix = sizeof(TR2_PIECES_SUFFIX) - 1;
	struct tr2_ring_client *c;

	if (*name == '.' || find_client(r, name) ||
	    (len > suffix && !strcmp(name + len - suffix, TR2_PIECES_SUFFIX)))
		return;
	c = new_client(r, name);
	if (!c)
		return;
	look_at_client(c);
	if (!c->open && !c->ended)
		set_pace(r, SOON_NS);
}

void tr2_rings_add(struct tr2_rings *r, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct tr2_ring_client *c;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	path = slash ? slash + 1 : path;
	c = fd >= 0 && !find_client(r, path) ? new_client(r, path) : NULL;
	if (!c) {
		if (fd >= 0)
			close(fd);
		return;
	}
	c->foreign = true;
	c->file.fd = fd;
	look_at_client(c);
}

static void new_files(struct tr2_source *source, uint32_t events)
{
	struct tr2_rings *r = (struct tr2_rings *)(void *)(
		(char *)source - offsetof(struct tr2_rings, watch));
	/* The union aligns the bytes for the events. */
	union {
		struct inotify_event event;
		char bytes[4096];
	} buf;
	const struct inotify_event *e;
	ssize_t n, at;

	(void)events;
	while ((n = read(source->fd, &buf, sizeof(buf))) > 0)
		for (at = 0; at < n; at += (ssize_t)(sizeof(*e) + e->len)) {
			e = (const void *)(buf.bytes + at);
			if (e->len)
				add_client(r, e->name);
		}
}

static void find_files(struct tr2_rings *r)
{
	int fd = openat(r->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	while (d && (e = readdir(d)))
		add_client(r, e->d_name);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
}

static void look_at_all(struct tr2_source *source, uint32_t events)
{
	struct tr2_rings *r = (struct tr2_rings *)(void *)(
		(char *)source - offsetof(struct tr2_rings, timer));
	struct tr2_ring_client *c;
	uint64_t ticks;
	bool waits = false;

	(void)events;
	if (read(source->fd, &ticks, sizeof(ticks)) < 0)
		return;
	if (r->watch.fd < 0)
		find_files(r);
	for (c = r->first; c; c = c->next) {
		look_at_client(c);
		waits |= !c->open && !c->ended;
	}
	set_pace(r, waits ? SOON_NS : LOOK_NS);
}

/* Watch for new files; without inotify, poll for them. */
static void watch_directory(struct tr2_rings *r)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->dir_fd);
	r->watch.ready = new_files;
	r->watch.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (r->watch.fd < 0)
		return;
	if (inotify_add_watch(r->watch.fd, path, IN_CREATE | IN_MOVED_TO) < 0 ||
	    tr2_loop_add(r->loop, &r->watch, EPOLLIN)) {
		close(r->watch.fd);
		r->watch.fd = -1;
	}
}

int tr2_rings_start(struct tr2_rings *r, struct tr2_loop *loop, int dir_fd,
		    uint64_t max_bytes)
{
	r->loop = loop;
	r->dir_fd = dir_fd;
	r->max_bytes = max_bytes;
	r->timer.ready = look_at_all;
	r->pace_ns = LOOK_NS;
	watch_directory(r);
	return tr2_loop_add_timer(loop, &r->timer, LOOK_NS, LOOK_NS);
}

void tr2_rings_finish(struct tr2_rings *r)
{
	struct tr2_ring_client *c, *next;

	if (r->timer.fd < 0)
		return;
	find_files(r);
	tr2_loop_close(r->loop, &r->timer);
	tr2_loop_close(r->loop, &r->watch);
	for (c = r->first; c; c = next) {
		next = c->next;
		look_at_client(c);
		close_client(c);
		free(c);
	}
	r->first = NULL;
}

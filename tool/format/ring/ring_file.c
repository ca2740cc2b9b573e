/* SPDX-License-Identifier: MIT */
/* ring_file - read and check the header, slots and records of the file. */
#include "format/ring/ring_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/time.h"

/* If data changes during a reading, read it again, at most this often. */
#define TRIES 100

#define NO_MAGIC "\0\0\0\0\0\0\0" /* the process writes the magic last */

bool tr2_ring_file_looks(const char *start, size_t len)
{
	return len >= 8 && !memcmp(start, TR2_ARENA_MAGIC, 8);
}

bool tr2_ring_file_is(int fd)
{
	char start[offsetof(struct tr2_arena_header, header_size)];
	uint32_t order;

	if (pread(fd, start, sizeof(start), 0) != (ssize_t)sizeof(start))
		return false;
	memcpy(&order, start + offsetof(struct tr2_arena_header, byte_order),
	       sizeof(order));
	return tr2_ring_file_looks(start, sizeof(start)) ||
	       (!memcmp(start, NO_MAGIC, 8) && order == TR2_ARENA_BYTE_ORDER);
}

/* Set the problem, unless the file already has one. */
static void set_problem(struct tr2_ring_file *f, uint64_t offset,
			const char *text)
{
	if (f->problem[0])
		return;
	snprintf(f->problem, sizeof(f->problem), "%s", text);
	f->problem_offset = offset;
}

bool tr2_ring_file_read(const struct tr2_ring_file *f, uint64_t offset,
			void *out, size_t len)
{
	char *p = out;
	ssize_t n;

	if (offset > f->size || len > f->size - offset)
		return false;
	while (len) {
		n = pread(f->fd, p, len, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

static enum tr2_ring_is damaged(struct tr2_ring_file *f, uint64_t offset,
				const char *text)
{
	set_problem(f, offset, text);
	return TR2_RING_IS_DAMAGED;
}

static enum tr2_ring_is check_versions(struct tr2_ring_file *f)
{
	const struct tr2_arena_header *h = &f->header;

	if (h->byte_order != TR2_ARENA_BYTE_ORDER)
		return damaged(f, offsetof(struct tr2_arena_header, byte_order),
			       "its numbers are not little-endian");
	if (h->compat_version > TR2_LAYOUT_VERSION) {
		snprintf(f->problem, sizeof(f->problem),
			 "its version is %u, and this trace2 reads up to %d: "
			 "use a newer trace2", h->compat_version,
			 TR2_LAYOUT_VERSION);
		return TR2_RING_IS_NEWER;
	}
	if (h->header_size < sizeof(*h))
		return damaged(f,
			       offsetof(struct tr2_arena_header, header_size),
			       "its header is too short");
	return TR2_RING_IS_GOOD;
}

static bool fits_file(uint64_t offset, uint64_t count, uint64_t each,
		      uint64_t size)
{
	return offset <= size && (!count || each <= (size - offset) / count);
}

/* Does the header have valid sizes of a slot? */
static bool slot_makes_sense(const struct tr2_arena_header *h)
{
	return h->slot_size >= sizeof(struct tr2_control) &&
	       h->slot_size % 8 == 0 &&
	       h->timer_size >= sizeof(struct tr2_timer_cell) &&
	       fits_file(h->counters_offset, h->max_counters, sizeof(uint64_t),
			 h->slot_size) &&
	       fits_file(h->timers_offset, h->max_timers, h->timer_size,
			 h->slot_size) &&
	       fits_file(h->histograms_offset, h->max_histograms,
			 h->histogram_size, h->slot_size) &&
	       h->histogram_size / sizeof(uint64_t) >= h->histogram_buckets;
}

static enum tr2_ring_is read_header(struct tr2_ring_file *f)
{
	struct tr2_arena_header *h = &f->header;
	enum tr2_ring_is is;

	memset(h, 0, sizeof(*h));
	if (f->size < sizeof(*h))
		return damaged(f, f->size, "it was cut short in its header");
	if (!tr2_ring_file_read(f, 0, h, sizeof(*h)))
		return damaged(f, 0, "it cannot be read");
	if (memcmp(h->magic, TR2_ARENA_MAGIC, sizeof(h->magic)))
		return memcmp(h->magic, NO_MAGIC, sizeof(h->magic)) ?
			       TR2_RING_IS_NONE : TR2_RING_IS_BEGUN;
	is = check_versions(f);
	if (is != TR2_RING_IS_GOOD)
		return is;
	if (!slot_makes_sense(h))
		return damaged(f,
			       offsetof(struct tr2_arena_header, slots_offset),
			       "the sizes in its header are invalid");
	return TR2_RING_IS_GOOD;
}

/* Count the slots that are wholly in the file: in a truncated file, some are
 * not. */
static void count_slots(struct tr2_ring_file *f)
{
	const struct tr2_arena_header *h = &f->header;
	uint64_t there = 0;

	if (h->slots_offset < f->size)
		there = (f->size - h->slots_offset) / h->slot_size;
	f->nr_slots = h->nr_slots;
	if (f->nr_slots > there) {
		set_problem(f, f->size,
			    "it was cut short: threads are missing");
		f->nr_slots = (uint32_t)there;
	}
}

static bool read_strings(struct tr2_ring_file *f)
{
	const struct tr2_arena_header *h = &f->header;
	uint64_t used = h->strings_used;
	char *strings;

	if (used > h->strings_size ||
	    !fits_file(h->strings_offset, 1, used, f->size)) {
		set_problem(f, h->strings_offset,
			    "some of its strings are missing");
		used = 0;
	}
	strings = realloc(f->strings, used + 1);
	if (!strings)
		return false;
	f->strings = strings;
	if (!tr2_ring_file_read(f, h->strings_offset, strings, used))
		used = 0;
	strings[used] = '\0';
	f->strings_used = used;
	return true;
}

static bool read_definitions(struct tr2_ring_file *f)
{
	const struct tr2_arena_header *h = &f->header;
	uint32_t nr = h->nr_definitions, i;
	struct tr2_definition *rows;

	if (nr > h->max_definitions || h->definition_size < sizeof(*rows) ||
	    !fits_file(h->definitions_offset, nr, h->definition_size,
		       f->size)) {
		set_problem(f, h->definitions_offset,
			    "some of its definitions are missing");
		nr = 0;
	}
	rows = realloc(f->definitions, (nr + 1) * sizeof(*rows));
	if (!rows)
		return false;
	f->definitions = rows;
	for (i = 0; i < nr; i++)
		if (!tr2_ring_file_read(f, h->definitions_offset +
					(uint64_t)i * h->definition_size,
			     &rows[i], sizeof(*rows)))
			break;
	f->nr_definitions = i;
	return true;
}

enum tr2_ring_is tr2_ring_file_update(struct tr2_ring_file *f)
{
	enum tr2_ring_is is;
	struct stat st;

	f->problem[0] = '\0';
	if (fstat(f->fd, &st) || st.st_size < 0)
		return damaged(f, 0, "it cannot be read");
	f->size = (uint64_t)st.st_size;
	is = read_header(f);
	if (is != TR2_RING_IS_GOOD)
		return is;
	count_slots(f);
	if (!read_strings(f) || !read_definitions(f))
		return TR2_RING_IS_NO_MEMORY;
	return TR2_RING_IS_GOOD;
}

bool tr2_ring_file_update_strings(struct tr2_ring_file *f)
{
	uint64_t *used = &f->header.strings_used;

	return tr2_ring_file_read(f, offsetof(struct tr2_arena_header,
					      strings_used),
				  used, sizeof(*used)) &&
	       read_strings(f);
}

enum tr2_ring_is tr2_ring_file_open(struct tr2_ring_file *f, int fd)
{
	memset(f, 0, sizeof(*f));
	f->fd = fd;
	return tr2_ring_file_update(f);
}

void tr2_ring_file_release(struct tr2_ring_file *f)
{
	free(f->strings);
	free(f->definitions);
	memset(f, 0, sizeof(*f));
	f->fd = -1;
}

const char *tr2_ring_file_string(const struct tr2_ring_file *f, uint32_t offset)
{
	return offset < f->strings_used ? f->strings + offset : "";
}

uint64_t tr2_ring_file_ns(const struct tr2_ring_file *f, uint64_t ticks)
{
	const struct tr2_arena_header *h = &f->header;
	__int128 past = (__int128)ticks - (__int128)h->clock_base_ticks;

	return h->clock_base_ns +
	       (uint64_t)(past * h->clock_mult >> (h->clock_shift & 63));
}

int64_t tr2_ring_file_since_start(const struct tr2_ring_file *f, uint64_t ticks)
{
	uint64_t ns = tr2_ring_file_ns(f, ticks);

	if (ns <= f->header.start_ns)
		return 0;
	ns -= f->header.start_ns;
	return (int64_t)(ns < TR2_MAX_AT_NS ? ns : TR2_MAX_AT_NS);
}

bool tr2_ring_file_is_alive(const struct tr2_ring_file *f)
{
	const struct tr2_arena_header *h = &f->header;

	if (h->state != TR2_ARENA_RUNNING)
		return false;
	/* Try to lock the file: the process holds a lock on it, if the file
	 * system has locks. */
	if (!flock(f->fd, LOCK_SH | LOCK_NB)) {
		flock(f->fd, LOCK_UN);
		return false;
	}
	if (errno == EWOULDBLOCK)
		return true;
	return h->pid && (!kill((pid_t)h->pid, 0) || errno == EPERM);
}

uint64_t tr2_ring_file_slot(const struct tr2_ring_file *f, uint32_t slot)
{
	return f->header.slots_offset + slot * f->header.slot_size;
}

/*
 * Read data that a sequence lock guards. Reads happen in order, so compare the
 * lock before and after. Return false if the data changed during every try;
 * `out` then has the last reading.
 */
static bool read_guarded(const struct tr2_ring_file *f, uint64_t offset,
			 uint64_t lock_offset, void *out, size_t len)
{
	uint32_t before, after;
	int i;

	for (i = 0; i < TRIES; i++) {
		if (!tr2_ring_file_read(f, lock_offset, &before,
					sizeof(before)) ||
		    !tr2_ring_file_read(f, offset, out, len) ||
		    !tr2_ring_file_read(f, lock_offset, &after, sizeof(after)))
			break;
		if (before == after && !(before & 1))
			return true;
	}
	return false;
}

bool tr2_ring_file_control(struct tr2_ring_file *f, uint32_t slot,
			   struct tr2_control *out)
{
	uint64_t at = tr2_ring_file_slot(f, slot);

	memset(out, 0, sizeof(*out));
	if (slot >= f->nr_slots)
		return false;
	if (!read_guarded(f, at, at + offsetof(struct tr2_control, lock), out,
			  sizeof(*out)) &&
	    !tr2_ring_file_read(f, at, out, sizeof(*out)))
		return false;
	out->name[sizeof(out->name) - 1] = '\0';
	return true;
}

uint64_t tr2_ring_file_lost(struct tr2_ring_file *f)
{
	bool has_reported = f->header.state == TR2_ARENA_EXITED;
	struct tr2_control control;
	uint64_t lost = 0;
	uint32_t slot;
	int i;

	/* Each slot counts its own records for which there was no space. */
	for (i = 0; i < TR2_MAX_LOST_CAUSES; i++)
		if (i != TR2_LOST_NO_SPACE &&
		    !(i == TR2_LOST_DEFINITION && has_reported))
			lost += f->header.lost[i];
	for (slot = 0; slot < f->nr_slots; slot++)
		if (tr2_ring_file_control(f, slot, &control))
			for (i = 0; i < TR2_MAX_LOST_CAUSES; i++)
				lost += control.lost[i];
	return lost;
}

struct tr2_ring_place tr2_ring_file_place(struct tr2_ring_file *f,
					  uint32_t slot,
					  const struct tr2_control *c)
{
	struct tr2_ring_place place = { 0, 0 };
	uint64_t at = tr2_ring_file_slot(f, slot);

	if (!c->data_size)
		return place;
	if (c->data_size & (c->data_size - 1) ||
	    c->data_size < TR2_RING_MIN_SIZE || c->data_offset % 8 ||
	    !fits_file(c->data_offset, 1, c->data_size, f->header.slot_size)) {
		set_problem(f, at + offsetof(struct tr2_control, data_offset),
			    "the position of a thread's ring is invalid");
		return place;
	}
	place.offset = at + c->data_offset;
	place.size = c->data_size;
	return place;
}

static uint64_t word_at(const struct tr2_ring_file *f, uint32_t slot,
			size_t offset)
{
	uint64_t word = 0;

	tr2_ring_file_read(f, tr2_ring_file_slot(f, slot) + offset, &word,
			   sizeof(word));
	return word;
}

#define HEAD_AT offsetof(struct tr2_control, data_head)
#define TAIL_AT offsetof(struct tr2_control, data_tail)

static bool copy_out(const struct tr2_ring_file *f,
		     const struct tr2_ring_place *place, uint64_t from,
		     uint8_t *out, size_t len)
{
	uint64_t at = from % place->size;
	size_t first = len < place->size - at ? len : place->size - at;

	return tr2_ring_file_read(f, place->offset + at, out, first) &&
	       tr2_ring_file_read(f, place->offset, out + first, len - first);
}

static void drop_start(struct tr2_ring_records *out, uint64_t until)
{
	size_t n;

	if (until <= out->position)
		return;
	n = until - out->position < out->len ? until - out->position : out->len;
	memmove(out->p, out->p + n, out->len - n);
	out->len -= n;
	out->position += n;
}

/* Can a ring of this size contain the range from tail to head? */
static bool is_range(uint64_t tail, uint64_t head, uint64_t size)
{
	return tail <= head && head - tail <= size && head % 8 == 0 &&
	       tail % 8 == 0;
}

bool tr2_ring_file_records(struct tr2_ring_file *f, uint32_t slot,
			   uint64_t from, struct tr2_ring_records *out)
{
	struct tr2_ring_place place;
	struct tr2_control c;
	uint64_t head, tail;

	memset(out, 0, sizeof(*out));
	if (!tr2_ring_file_control(f, slot, &c))
		return true;
	place = tr2_ring_file_place(f, slot, &c);
	if (!place.size)
		return true;
	head = word_at(f, slot, HEAD_AT);
	tail = word_at(f, slot, TAIL_AT);
	/* If the tail has passed the head that was read before, all records up
	 * to that head were overwritten. */
	if (!is_range(tail, head, place.size) &&
	    !(tail > head && tail <= word_at(f, slot, HEAD_AT))) {
		set_problem(f, tr2_ring_file_slot(f, slot) + HEAD_AT,
			    "a ring's head and tail are invalid");
		return true;
	}
	if (tail < from)
		tail = from;
	if (tail >= head)
		return true;
	out->len = head - tail;
	out->position = tail;
	out->ring_size = place.size;
	out->p = malloc(out->len);
	if (!out->p)
		return false;
	if (!copy_out(f, &place, tail, out->p, out->len)) {
		set_problem(f, place.offset, "a ring cannot be read");
		out->len = 0;
	}
	/* Drop records that the owner released during the copy: they may be
	 * partly overwritten. */
	drop_start(out, word_at(f, slot, TAIL_AT));
	return true;
}

const struct tr2_record *tr2_ring_records_next(const struct tr2_ring_records *r,
					       size_t *at, bool *bad)
{
	const struct tr2_record *record;
	uint64_t in_ring;

	*bad = false;
	while (*at < r->len) {
		record = (const struct tr2_record *)(const void *)(r->p + *at);
		in_ring = (r->position + *at) % r->ring_size;
		if (r->len - *at < sizeof(*record) ||
		    record->size < sizeof(*record) || record->size % 8 ||
		    record->size > r->len - *at ||
		    record->size > r->ring_size - in_ring) {
			*bad = true;
			return NULL;
		}
		*at += record->size;
		if (record->type != TR2_RECORD_FILLER)
			return record;
	}
	return NULL;
}

/* Return the path in a line of /proc/PID/maps, if the file is mapped shared and
 * writable; else NULL. */
static char *file_of_mapping(char *line)
{
	char *path = strchr(line, '/');
	char *modes = strchr(line, ' ');

	if (!path || !modes || strncmp(modes, " rw-s", 5))
		return NULL;
	path[strcspn(path, "\n")] = '\0';
	return path;
}

static bool is_ring(const char *path)
{
	struct tr2_ring_file file;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is;

	if (fd < 0)
		return false;
	is = tr2_ring_file_is(fd);
	if (is) {
		is = tr2_ring_file_open(&file, fd) == TR2_RING_IS_GOOD;
		tr2_ring_file_release(&file);
	}
	close(fd);
	return is;
}

char *tr2_ring_mapped(int32_t pid)
{
	char name[64], *line = NULL, *path, *found = NULL;
	size_t alloc = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	while (maps && !found && getline(&line, &alloc, maps) > 0) {
		path = file_of_mapping(line);
		if (path && is_ring(path))
			found = strdup(path);
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

bool tr2_ring_is_pieces(const char *name)
{
	size_t len = strlen(name), suffix = sizeof(TR2_PIECES_SUFFIX) - 1;

	return len > suffix && !strcmp(name + len - suffix, TR2_PIECES_SUFFIX);
}

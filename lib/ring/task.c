/* SPDX-License-Identifier: MIT */
/* Write records of threads, and of executable mappings of this process, into
 * the ring of slot 0. */
#include "ring/task.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/build_id.h"
#include "base/clock.h"
#include "base/macros.h"
#include "ring/ring.h"

#define NAME_MAX_BYTES 64

static void put_task(uint32_t type, const struct tr2_task *task,
		     uint64_t time_ns)
{
	const struct tr2_record_task record = {
		.head = { type, 0, sizeof(record) },
		.pid = task->pid,
		.ppid = task->ppid,
		.tid = task->tid,
		.ptid = task->ptid,
		.time = time_ns,
	};

	if (tr2_arena_header())
		tr2_ring_put(tr2_arena_totals(), &record);
}

void tr2_task_fork(const struct tr2_task *task, uint64_t time_ns)
{
	put_task(TR2_RECORD_FORK, task, time_ns);
}

void tr2_task_exit(const struct tr2_task *task, uint64_t time_ns)
{
	put_task(TR2_RECORD_EXIT, task, time_ns);
}

void tr2_task_comm(const struct tr2_task *task, const char *name)
{
	size_t len = strnlen(name, NAME_MAX_BYTES - 1);
	struct tr2_record_comm comm = {
		.head = { .type = TR2_RECORD_COMM },
		.pid = task->pid,
		.tid = task->tid,
	};
	_Alignas(TR2_RECORD_ALIGN) char record[sizeof(comm) + NAME_MAX_BYTES];

	if (!tr2_arena_header())
		return;
	comm.head.size = (uint16_t)((sizeof(comm) + len + 8) &
				    -(size_t)TR2_RECORD_ALIGN);
	memset(record, 0, sizeof(record));
	memcpy(record, &comm, sizeof(comm));
	memcpy(record + sizeof(comm), name, len);
	tr2_ring_put(tr2_arena_totals(), record);
}

/* Mappings */

#define LINE_BYTES 4608 /* room for a path of maximal length, and for the
			 * columns before it */
#define MAX_KNOWN 512
/* A program that generates code all the time would otherwise cause a scan for
 * each sample. The first FREE_LOOKS scans are free; later ones may take a
 * fiftieth of the time. */
#define FREE_LOOKS 16
#define TIMES_AS_LONG 50

/* Recorded mappings that existed at the last scan, ordered by address, as in
 * /proc/self/maps. */
struct known_mapping {
	uint64_t start, end;
	uint64_t line; /* a hash */
};

TR2_LARGE struct known_mapping tr2_maps_known[2][MAX_KNOWN];
static struct known_mapping *known = tr2_maps_known[0];
static unsigned int nr_known;
static uint64_t looked_ns; /* 0: never */
static uint64_t not_before_ns;
static unsigned int nr_looks;

/* Memory that is not on the stack: a signal handler may have a small stack. */
TR2_LARGE char tr2_maps_text[LINE_BYTES];
TR2_LARGE _Alignas(TR2_RECORD_ALIGN) char
	tr2_maps_record[sizeof(struct tr2_record_mmap2) + LINE_BYTES +
			sizeof(uint64_t)];

/* One scan of all mappings. */
struct look {
	const struct tr2_task *task;
	uint64_t now_ns;
	struct known_mapping *known; /* the list of mappings after the scan */
	unsigned int nr_known;
	int mem_fd;
	/* The file of the last line with a file's first byte: the address of
	 * that byte, and a hash that identifies the file. */
	uint64_t start_of_file, file;
};

/* One line of /proc/self/maps; name points into it. */
struct mapping {
	uint64_t start, end, offset, inode;
	uint32_t dev_major, dev_minor;
	const char *flags, *name;
	uint64_t file; /* a hash of device, inode and name */
};

void tr2_task_mmaps_reset(void)
{
	nr_known = 0;
	looked_ns = 0;
	nr_looks = 0;
}

/* Return the hash FNV-1a (Fowler, Noll, Vo) of a text. */
static uint64_t hash_text(const char *s)
{
	uint64_t value = UINT64_C(14695981039346656037);

	for (; *s; s++)
		value = (value ^ (unsigned char)*s) * UINT64_C(1099511628211);
	return value;
}

/* Return the first mapping that ends after the address. */
static unsigned int find_mapping(uint64_t address)
{
	unsigned int low = 0, high = nr_known, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (known[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_recorded(uint64_t address)
{
	unsigned int i = find_mapping(address);

	return i < nr_known && known[i].start <= address;
}

/* Add the mapping to the list of the scan, and return whether it must be
 * recorded. Mappings that do not fit into the list are recorded once, by the
 * first scan. */
static bool is_new(struct look *look, const struct mapping *mapping,
		   const char *line)
{
	struct known_mapping this = { mapping->start, mapping->end,
				      hash_text(line) };
	unsigned int i = find_mapping(mapping->start);

	if (look->nr_known == MAX_KNOWN)
		return !looked_ns;
	look->known[look->nr_known++] = this;
	return i >= nr_known || known[i].line != this.line;
}

static void set_build_id(struct tr2_record_mmap2 *mmap, struct look *look,
			 const struct mapping *mapping)
{
	uint8_t id[TR2_BUILD_ID_MAX];
	unsigned int len;

	if (mapping->file != look->file)
		return;
	if (look->mem_fd < 0)
		look->mem_fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	len = tr2_build_id_at(look->mem_fd, look->start_of_file, id);
	if (!len)
		return;
	memset(mmap->build_id, 0, sizeof(mmap->build_id));
	memcpy(mmap->build_id, id, len);
	memset(mmap->reserved_1, 0, sizeof(mmap->reserved_1));
	mmap->build_id_size = (uint8_t)len;
	mmap->head.misc |= TR2_MISC_BUILD_ID;
}

/* Write the record. The file's name is cut to fit the ring. */
static void put_mmap(const struct tr2_record_mmap2 *mmap, const char *name,
		     uint64_t now_ns)
{
	char *const record = tr2_maps_record;
	char *text = record + sizeof(*mmap);
	struct tr2_record_mmap2 fixed = *mmap;
	size_t most = tr2_arena_rings.data_size / 4 - sizeof(*mmap) -
		      sizeof(now_ns) - 8;
	size_t len = strlen(name), end;

	if (len > most)
		len = most;
	if (len > LINE_BYTES - 8)
		len = LINE_BYTES - 8;
	end = (len + 8) & -(size_t)TR2_RECORD_ALIGN;
	fixed.head.type = TR2_RECORD_MMAP2;
	fixed.head.size = (uint16_t)(sizeof(fixed) + end + sizeof(now_ns));
	memcpy(record, &fixed, sizeof(fixed));
	memset(text + len, 0, 8);
	memcpy(text, name, len);
	memcpy(text + end, &now_ns, sizeof(now_ns));
	tr2_ring_put(tr2_arena_totals(), record);
}

static void record_mapping(struct look *look, const struct mapping *mapping)
{
	struct tr2_record_mmap2 mmap = {
		.head.misc = TR2_MISC_USER,
		.pid = look->task->pid,
		.tid = look->task->tid,
		.addr = mapping->start,
		.len = mapping->end - mapping->start,
		.pgoff = mapping->offset,
		.dev_major = mapping->dev_major,
		.dev_minor = mapping->dev_minor,
		.inode = mapping->inode,
		.prot = PROT_EXEC,
		.flags = mapping->flags[3] == 's' ? MAP_SHARED : MAP_PRIVATE,
	};

	mmap.prot |= mapping->flags[0] == 'r' ? PROT_READ : 0;
	mmap.prot |= mapping->flags[1] == 'w' ? PROT_WRITE : 0;
	set_build_id(&mmap, look, mapping);
	put_mmap(&mmap, *mapping->name ? mapping->name : "//anon",
		 look->now_ns);
}

/* Parse "start-end rwxp offset major:minor inode path". */
static bool parse_mapping(struct mapping *mapping, const char *line)
{
	char *end;

	mapping->start = strtoull(line, &end, 16);
	if (*end != '-')
		return false;
	mapping->end = strtoull(end + 1, &end, 16);
	if (*end != ' ' || strlen(end) < 6)
		return false;
	mapping->flags = end + 1;
	mapping->offset = strtoull(end + 6, &end, 16);
	mapping->file = hash_text(end);
	mapping->dev_major = (uint32_t)strtoul(end, &end, 16);
	mapping->dev_minor = *end == ':' ? (uint32_t)strtoul(end + 1, &end, 16)
					 : 0;
	mapping->inode = strtoull(end, &end, 10);
	mapping->name = end + strspn(end, " ");
	return true;
}

static void read_line(struct look *look, const char *line)
{
	struct mapping mapping;

	if (!parse_mapping(&mapping, line))
		return;
	if (!mapping.offset && *mapping.name) {
		look->start_of_file = mapping.start;
		look->file = mapping.file;
	}
	if (mapping.flags[2] == 'x' && is_new(look, &mapping, line))
		record_mapping(look, &mapping);
}

/* Process the whole lines in text, and move the incomplete last line to the
 * beginning. */
static size_t read_lines(struct look *look, char *text, size_t len)
{
	char *line = text, *end;

	while ((end = memchr(line, '\n', len - (size_t)(line - text)))) {
		*end = '\0';
		read_line(look, line);
		line = end + 1;
	}
	len -= (size_t)(line - text);
	memmove(text, line, len);
	return len;
}

static void look_at(struct look *look, int fd)
{
	char *const text = tr2_maps_text;
	size_t len = 0;
	ssize_t n;

	while (len < LINE_BYTES &&
	       (n = read(fd, text + len, LINE_BYTES - len)) > 0)
		len = read_lines(look, text, len + (size_t)n);
}

void tr2_task_mmaps(const struct tr2_task *task, uint64_t now_ns)
{
	struct look look = {
		.task = task,
		.now_ns = now_ns,
		.known = tr2_maps_known[known == tr2_maps_known[0]],
		.mem_fd = -1,
	};
	uint64_t start_ns = tr2_clock_now_ns();
	int fd;

	if (!tr2_arena_header())
		return;
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	look_at(&look, fd);
	close(fd);
	if (look.mem_fd >= 0)
		close(look.mem_fd);
	known = look.known;
	nr_known = look.nr_known;
	looked_ns = start_ns;
	not_before_ns = start_ns + TIMES_AS_LONG * (tr2_clock_now_ns() -
						    start_ns);
}

void tr2_task_mmaps_of(const struct tr2_task *task, const uint64_t *address,
		       unsigned int nr, uint64_t sampled_ns)
{
	unsigned int i;

	/* A scan was made after the sample, and found all mappings that still
	 * exist: do not scan again. */
	if (sampled_ns <= looked_ns ||
	    (nr_looks == FREE_LOOKS && sampled_ns < not_before_ns))
		return;
	for (i = 0; i < nr && is_recorded(address[i]);)
		i++;
	if (i == nr)
		return;
	nr_looks += nr_looks < FREE_LOOKS;
	tr2_task_mmaps(task, sampled_ns);
}

/* SPDX-License-Identifier: MIT */
/* A ring as written by the kernel, and the log made from it. */
#include <linux/perf_event.h>

#include "fuzz.h"
#include "record/kernel/kernel_rings.h"

#define RING_BYTES 4096

static void take(void *data, const struct tr2_task_event *event)
{
	struct tr2_task_event copy = *event;

	fuzz_check(memchr(copy.comm, '\0', sizeof(copy.comm)),
		   "comm has no end");
	tr2_tasklog_add(data, &copy);
}

/* The memory ends where the ring does. */
static void read_ring(struct fuzz_input *in, struct tr2_tasklog *log)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE), i;
	uint64_t at = fuzz_number(in);
	unsigned char *map = calloc(1, page_size + RING_BYTES);
	struct perf_event_mmap_page *page = (void *)map;
	struct tr2_tasks tasks = { .take = take, .data = log };
	struct tr2_kernel_ring ring = { .map = map,
					.data = (char *)map + page_size };
	struct tr2_kernel_rings rings = { .ring = &ring, .nr = 1,
					  .size_bytes = RING_BYTES,
					  .tasks = &tasks };

	if (!map)
		abort();
	if (in->n > RING_BYTES)
		in->n = RING_BYTES;
	if (at > UINT64_MAX - in->n)
		at = 0;
	for (i = 0; i < in->n; i++)
		map[page_size + (at + i) % RING_BYTES] = in->p[i];
	page->data_tail = at;
	page->data_head = at + in->n;
	ring.rings = &rings;
	ring.scanned = ring.whole = at;
	tr2_kernel_rings_copy(&rings);
	fuzz_check(page->data_tail == at + in->n, "something was left");
	tr2_tasks_release(&tasks);
	free(map);
}

static void check_log(const char *path)
{
	static char text[65536 * 4];
	struct fuzz_input in = { (const unsigned char *)text, 0 };
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	const char *line;
	size_t len;

	fuzz_check(n >= 0, "cannot read the log");
	close(fd);
	in.n = (size_t)n;
	fuzz_check(!n || text[n - 1] == '\n', "no newline at its end");
	while (fuzz_line(&in, &line, &len))
		fuzz_check(fuzz_is_json(line, len) &&
				   fuzz_json(line, len, NULL, NULL) ==
					   TR2_JSON_OK,
			   "not JSON: %.*s", (int)len, line);
}

void fuzz_kernel_records(struct fuzz_input *in)
{
	const char *path = fuzz_file("", 0);
	struct tr2_tasklog log;

	tr2_tasklog_init(&log, open(path, O_RDWR | O_CLOEXEC));
	read_ring(in, &log);
	tr2_tasklog_write(&log, UINT64_MAX);
	fuzz_check(!log.nr && !log.lost, "%zu records are held", log.nr);
	tr2_tasklog_release(&log);
	check_log(path);
}

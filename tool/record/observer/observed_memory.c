/* SPDX-License-Identifier: MIT */
/* Read /proc/PID/statm, and record what changed. */
#include "record/observer/observed_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "common/procfs.h"
#include "record/observer/proc_files.h"
#include "record/observer/observer.h"

/* A process gets a record when its RSS changed by 1 / RSS_PART, or its share by
 * 1 / SHARE_PART, and by at least LEAST_BYTES. SHARE_PART demands more, since
 * each fork changes the shares of a whole group. */
#define RSS_PART 100u
#define SHARE_PART 8u
#define LEAST_BYTES (256u << 10)
/* All processes together get a record when their sum changed by 1 /
 * TREE_PART. */
#define TREE_PART 100u

void tr2_observe_memory(struct tr2_observer *o, struct tr2_observed *p)
{
	struct tr2_observed_memory *m = &p->memory;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned long long size, resident, of_files;
	char text[128];

	/* A process that is ending has no memory. */
	m->rss_bytes = m->file_bytes = 0;
	if (tr2_proc_file_read(&m->statm, p->pid, p->pid, "statm", text,
			       sizeof(text)) > 0 &&
	    sscanf(text, "%llu %llu %llu", &size, &resident, &of_files) == 3) {
		m->rss_bytes = resident * page;
		m->file_bytes = of_files * page;
	}
	/* Take the time after reading: another process may have the pid
	 * later. */
	m->at_ns = tr2_kernel_now_ns();
	tr2_share_look(o, p);
}

static bool has_changed(uint64_t now, uint64_t before, unsigned int part,
			uint64_t least)
{
	uint64_t by = now > before ? now - before : before - now;

	return by && by >= before / part && by >= least;
}

static void record_process(struct tr2_observer *o, const struct tr2_observed *p,
			   uint64_t rss_bytes, uint64_t share_bytes,
			   uint64_t at_ns)
{
	struct tr2_buf *b = tr2_observer_text(o);

	tr2_buf_addlit(b, ",\"rss_bytes\":");
	tr2_buf_add_u64(b, rss_bytes);
	if (share_bytes < rss_bytes) {
		tr2_buf_addlit(b, ",\"pss_bytes\":");
		tr2_buf_add_u64(b, share_bytes);
	}
	tr2_observer_record(o, TR2_TASK_MEMORY, p->pid, 0, at_ns);
}

static void record_tree(struct tr2_observer *o, uint64_t bytes, uint64_t at_ns)
{
	struct tr2_buf *b = tr2_observer_text(o);

	tr2_buf_addlit(b, ",\"tree_bytes\":");
	tr2_buf_add_u64(b, bytes);
	tr2_observer_record(o, TR2_TASK_MEMORY, 0, 0, at_ns);
}

/* Record the memory of the process p; NULL: the memory of all processes
 * together. */
static void record_memory(struct tr2_observer *o, const struct tr2_observed *p,
			  uint64_t bytes, uint64_t share_bytes, uint64_t at_ns)
{
	if (p)
		record_process(o, p, bytes, share_bytes, at_ns);
	else
		record_tree(o, bytes, at_ns);
}

static void record_high(struct tr2_observer *o, const struct tr2_observed *p,
			struct tr2_observed_curve *c)
{
	if (!c->high_bytes)
		return;
	record_memory(o, p, c->high_bytes, c->high_share_bytes, c->high_ns);
	c->peak_bytes = c->high_bytes;
	c->high_bytes = 0;
}

static void note_high(struct tr2_observed_curve *c, uint64_t bytes,
		      uint64_t share_bytes, uint64_t at_ns)
{
	if (bytes <= c->peak_bytes || bytes <= c->high_bytes)
		return;
	c->high_bytes = bytes;
	c->high_share_bytes = share_bytes;
	c->high_ns = at_ns;
}

static void add_value(struct tr2_observer *o, const struct tr2_observed *p,
		      struct tr2_observed_curve *c, uint64_t bytes,
		      uint64_t share_bytes, uint64_t at_ns)
{
	if (bytes < c->high_bytes)
		record_high(o, p, c);
	record_memory(o, p, bytes, share_bytes, at_ns);
	c->bytes = bytes;
	c->share_bytes = share_bytes;
	c->high_bytes = 0;
	if (bytes > c->peak_bytes)
		c->peak_bytes = bytes;
}

static void measure_process(struct tr2_observer *o, struct tr2_observed *p)
{
	struct tr2_observed_memory *m = &p->memory;
	uint64_t share = tr2_share_bytes(o, p);

	if (has_changed(m->rss_bytes, m->curve.bytes, RSS_PART, LEAST_BYTES) ||
	    has_changed(share, m->curve.share_bytes, SHARE_PART, LEAST_BYTES))
		add_value(o, p, &m->curve, m->rss_bytes, share, m->at_ns);
	else
		note_high(&m->curve, m->rss_bytes, share, m->at_ns);
}

void tr2_observe_tree(struct tr2_observer *o)
{
	struct tr2_observed_curve *c = &o->tree.curve;
	uint64_t bytes = tr2_share_sum(o), now = tr2_kernel_now_ns();
	size_t i;

	for (i = 0; i < o->nr; i++)
		measure_process(o, o->processes[i]);
	if (has_changed(bytes, c->bytes, TREE_PART, 0))
		add_value(o, NULL, c, bytes, bytes, now);
	else
		note_high(c, bytes, bytes, now);
}

void tr2_observe_memory_end(struct tr2_observer *o, struct tr2_observed *p)
{
	record_high(o, p, &p->memory.curve);
}

void tr2_observe_tree_end(struct tr2_observer *o)
{
	record_high(o, NULL, &o->tree.curve);
}

void tr2_observed_memory_release(struct tr2_observed_memory *memory)
{
	tr2_proc_file_close(&memory->statm);
	tr2_share_release(&memory->share);
}

void tr2_observed_tree_release(struct tr2_observed_tree *tree)
{
	free(tree->programs.program);
}

/* SPDX-License-Identifier: MIT */
/* Read /proc/PID/statm. */
#include "record/observer/observed_memory.h"

#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "common/procfs.h"
#include "record/observer/observer.h"

void tr2_observe_memory(struct tr2_observer *o, struct tr2_observed *p)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), rss;
	unsigned long long size, resident;
	struct tr2_buf *b;
	char text[128];

	if (!tr2_procfs_text(p->pid, 0, "statm", text, sizeof(text)) ||
	    sscanf(text, "%llu %llu", &size, &resident) != 2)
		return;
	rss = resident * page;
	if (rss == p->memory.rss_bytes)
		return;
	p->memory.rss_bytes = rss;
	b = tr2_observer_text(o);
	tr2_buf_addlit(b, ",\"rss_bytes\":");
	tr2_buf_add_u64(b, rss);
	tr2_observer_record(o, TR2_TASK_MEMORY, p->pid, 0, o->now_ns);
}

void tr2_observe_tree(struct tr2_observer *o)
{
	(void)o;
}

void tr2_observed_memory_release(struct tr2_observed_memory *memory)
{
	(void)memory;
}

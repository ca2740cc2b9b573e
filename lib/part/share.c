/* SPDX-License-Identifier: MIT */
/* Count the descriptors of opened events against their share of the limit. */
#include "part/share.h"

#include <sys/resource.h>

#include "part/part.h"

#define PARTS 4 /* events may take 1 / PARTS of the limit */
#define TEXT_BYTES 256

static unsigned long nr_taken;

static unsigned long soft_limit(void)
{
	struct rlimit limit;

	/* RLIM_INFINITY needs no case of its own: it is a large number. */
	return getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_cur;
}

bool tr2_share_take(unsigned int nr)
{
	if (nr_taken + nr > soft_limit() / PARTS)
		return false;
	nr_taken += nr;
	return true;
}

void tr2_share_give(unsigned int nr)
{
	nr_taken -= nr < nr_taken ? nr : nr_taken;
}

void tr2_share_after_fork(void)
{
	nr_taken = 0;
}

static void add_why(struct tr2_buf *b)
{
	tr2_buf_addlit(b, "events take a quarter of the ");
	tr2_buf_add_u64(b, soft_limit());
	tr2_buf_addlit(b, " descriptors that the process may have, and not "
			  "more: raise the limit (ulimit -n), or name fewer "
			  "events");
}

void tr2_share_explain(const struct tr2_perfevent *event, int error, char *text,
		       size_t size_bytes)
{
	char memory[TEXT_BYTES];
	struct tr2_buf why;

	if (error != TR2_SHARE_ERROR) {
		tr2_perfevent_explain(event, -error, text, size_bytes);
		return;
	}
	tr2_buf_init_fixed(&why, memory, sizeof(memory));
	add_why(&why);
	tr2_perfevent_fail(0, text, size_bytes, event, tr2_buf_str(&why));
}

void tr2_share_add_error(unsigned int nr_threads, const char *lack)
{
	char memory[TEXT_BYTES];
	struct tr2_buf b;

	if (!nr_threads)
		return;
	tr2_buf_init_fixed(&b, memory, sizeof(memory));
	tr2_buf_add_u64(&b, nr_threads);
	tr2_buf_addstr(&b, nr_threads == 1 ? " thread has no " :
					     " threads have no ");
	tr2_buf_addstr(&b, lack);
	tr2_buf_addlit(&b, ": ");
	add_why(&b);
	tr2_pending_errors_add(tr2_buf_str(&b));
}

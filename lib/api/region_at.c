/* SPDX-License-Identifier: MIT */
/*
 * Frequent events of sites. This file writes them if the thread's events go
 * into its ring alone. In other threads the public functions only jump to
 * functions such as tr2_region_enter_in_frame(), so that no further return
 * follows a write to a file (see base/raw.h).
 */
#include "api/region.h"
#include "session/fastpath_at.h"
#include "trace2.h"

#define NOINLINE __attribute__((noinline))

/*
 * Return the mark of the write that the slow path must end; NULL: the fast path
 * announced no write. Then overwrite the mark that an earlier write may have
 * left at this address. Do not pass q on, so that q stays in registers.
 */
TR2_INLINE struct tr2_call_mark *announced(const struct tr2_fastpath *q)
{
	if (q->is_announced)
		return q->in;
	tr2_call_mark_end(q->in);
	return NULL;
}

static NOINLINE void enter_region(struct trace2_site *site,
				  const char *category, const char *label,
				  const struct trace2_repo *repo)
{
	struct tr2_call_mark in;
	struct tr2_fastpath q = { .in = &in };

	if (unlikely(!tr2_fastpath_find(&q, site, repo)) ||
	    unlikely(!tr2_fastpath_put_enter(&q, true, category, label)))
		tr2_region_enter_slow(site, category, label, repo,
			announced(&q));
}

static NOINLINE void leave_region(struct trace2_site *site,
				  const char *category, const char *label,
				  const struct trace2_repo *repo)
{
	struct tr2_call_mark in;
	struct tr2_fastpath q = { .in = &in };

	if (unlikely(!tr2_fastpath_find(&q, site, repo)) ||
	    unlikely(!tr2_fastpath_put_leave(&q, true)))
		tr2_region_leave_slow(site, category, label, repo,
			announced(&q));
}

static NOINLINE void data_string(struct trace2_site *site, const char *category,
				 const struct trace2_repo *repo,
				 const char *key, const char *value)
{
	struct tr2_call_mark in;
	struct tr2_fastpath q = { .in = &in };

	if (unlikely(!tr2_fastpath_find(&q, site, repo)) ||
	    unlikely(!tr2_fastpath_put_data(&q, true, TR2_FAST_SITE,
					    tr2_fast_measure(value))))
		tr2_data_string_slow(site, category, repo, key, value,
			announced(&q));
}

static NOINLINE void data_intmax(struct trace2_site *site, const char *category,
				 const struct trace2_repo *repo,
				 const char *key, intmax_t value)
{
	const struct tr2_fast_text number = { .len = (size_t)value };
	struct tr2_call_mark in;
	struct tr2_fastpath q = { .in = &in };

	if (unlikely(!tr2_fastpath_find(&q, site, repo)) ||
	    unlikely(!tr2_fastpath_put_data(&q, true, TR2_FAST_NUMBER,
					    number)))
		tr2_data_intmax_slow(site, category, repo, key, value,
			announced(&q));
}

void trace2_region_enter_at_(struct trace2_site *site, const char *category,
			     const char *label, const struct trace2_repo *repo)
{
	if (tr2_fastpath_is_on())
		enter_region(site, category, label, repo);
	else
		tr2_region_enter_in_frame(site, category, label, repo);
}

void trace2_region_leave_at_(struct trace2_site *site, const char *category,
			     const char *label, const struct trace2_repo *repo)
{
	if (tr2_fastpath_is_on())
		leave_region(site, category, label, repo);
	else
		tr2_region_leave_in_frame(site, category, label, repo);
}

void trace2_data_string_at_(struct trace2_site *site, const char *category,
			    const struct trace2_repo *repo, const char *key,
			    const char *value)
{
	if (tr2_fastpath_is_on())
		data_string(site, category, repo, key, value);
	else
		tr2_data_string_in_frame(site, category, repo, key, value);
}

void trace2_data_intmax_at_(struct trace2_site *site, const char *category,
			    const struct trace2_repo *repo, const char *key,
			    intmax_t value)
{
	if (tr2_fastpath_is_on())
		data_intmax(site, category, repo, key, value);
	else
		tr2_data_intmax_in_frame(site, category, repo, key, value);
}

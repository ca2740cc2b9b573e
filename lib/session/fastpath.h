/* SPDX-License-Identifier: MIT */
/*
 * fastpath - events of hot paths, when the ring is the only target. They are
 * written straight into the ring, without the frame of a call (see call.h),
 * which would cost more than the record. A write in progress blocks no signal
 * handler: events may nest where calls may not. Each function returns false,
 * having done nothing, if the slow path must write the event, for example
 * because a string may contain a secret. fastpath_at.h has the fastest
 * functions, which most calls use from their second event on.
 */
#pragma once

#include <stdbool.h>

#include "base/fork_guard.h"
#include "site/site.h"

/* Return whether the ring is the only target, and takes events. */
static inline bool tr2_fastpath_is_on(void)
{
	return tr2_fork_guard_flags() == (TR2_GUARD_SET | TR2_GUARD_FASTPATH);
}

/* Send all events to the slow path from now on: tracing ends, or a part needs a
 * hook at each call. */
static inline void tr2_fastpath_disable(void)
{
	tr2_fork_guard_set_fastpath(false);
}

bool tr2_fastpath_region_enter(const char *file, int line, const char *category,
			       const char *label, int repo_id);
bool tr2_fastpath_region_leave(const char *file, int line, const char *category,
			       const char *label, int repo_id);
bool tr2_fastpath_data(const char *file, int line, const char *category,
		       int repo_id, const char *key, const char *value);

/*
 * Write short records, which name a site; site NULL: return false. These
 * functions are for the first events of a thread or a site, and for other
 * events that fastpath_at.h does not handle.
 */
bool tr2_fastpath_region_enter_at(const struct tr2_site *site,
				  const char *category, const char *label,
				  const struct trace2_repo *repo);
bool tr2_fastpath_region_leave_at(const struct tr2_site *site,
				  const struct trace2_repo *repo);
bool tr2_fastpath_data_at(const struct tr2_site *site,
			  const struct trace2_repo *repo, const char *value);
bool tr2_fastpath_number_at(const struct tr2_site *site,
			    const struct trace2_repo *repo, int64_t value);

/* End an attempt of fastpath_at.h that has announced a write. */
struct tr2_call_mark;
void tr2_fastpath_back_out(struct tr2_call_mark *announced);

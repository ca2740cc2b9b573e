/* SPDX-License-Identifier: MIT */
/*
 * region - functions for frequent events of sites. The fast path into rings is
 * in region_at.c. announced: the mark of the write that the fast path has
 * announced and not ended; NULL: there is no such write.
 */
#pragma once

#include "session/fastpath.h"
#include "trace2.h"

/* Emit the event with the frame of a call (session/call.h). */
void tr2_region_enter_in_frame(struct trace2_site *site, const char *category,
			       const char *label,
			       const struct trace2_repo *repo);
void tr2_region_leave_in_frame(struct trace2_site *site, const char *category,
			       const char *label,
			       const struct trace2_repo *repo);
void tr2_data_string_in_frame(struct trace2_site *site, const char *category,
			      const struct trace2_repo *repo, const char *key,
			      const char *value);
void tr2_data_intmax_in_frame(struct trace2_site *site, const char *category,
			      const struct trace2_repo *repo, const char *key,
			      intmax_t value);

/* Write the event into the ring, or emit it with the frame of a call, after the
 * fast path in region_at.c has failed. */
void tr2_region_enter_slow(struct trace2_site *site, const char *category,
			   const char *label, const struct trace2_repo *repo,
			   struct tr2_call_mark *announced);
void tr2_region_leave_slow(struct trace2_site *site, const char *category,
			   const char *label, const struct trace2_repo *repo,
			   struct tr2_call_mark *announced);
void tr2_data_string_slow(struct trace2_site *site, const char *category,
			  const struct trace2_repo *repo, const char *key,
			  const char *value,
			  struct tr2_call_mark *announced);
void tr2_data_intmax_slow(struct trace2_site *site, const char *category,
			  const struct trace2_repo *repo, const char *key,
			  intmax_t value, struct tr2_call_mark *announced);

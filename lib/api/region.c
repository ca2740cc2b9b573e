/* SPDX-License-Identifier: MIT */
/* Regions, data, and plain messages. */
#include "api/region.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/double.h"
#include "base/macros.h"
#include "base/put.h"
#include "session/call.h"
#include "session/fastpath.h"
#include "session/repo.h"
#include "thread/emit_inline.h"
#include "trace2.h"

/* INLINE puts all code of a frequent event into one function. */
#define INLINE TR2_INLINE

static int id_of(const struct trace2_repo *repo)
{
	return repo ? repo->repo_id : 0;
}

/* Return whether the repository needs no definition: the fast path defines
 * none. */
static bool has_definition(const struct trace2_repo *repo)
{
	return !repo || tr2_repo_is_defined(repo);
}

/* Format "category/label" in messages; either name may be missing. */
#define NAMES "'%s%s%s'"
#define NAMES_ARGS(category, label)                              \
	(category) ? (category) : "",                            \
		(category) && (label) ? "/" : "", (label) ? (label) : ""

static struct tr2_regions *regions_of(const struct tr2_call *call)
{
	return &call->thread->regions;
}

/*
 * End the innermost region. category and label: the region's names, if they
 * differ from those that the program gives.
 */
INLINE void end_region(struct tr2_call *call, const char *category,
		       const char *label, const char *message)
{
	struct tr2_regions *regions = regions_of(call);

	call->t_rel_ns = tr2_clock_since(tr2_region_start(call->thread),
					 call->now_ns);
	tr2_region_pop(regions);
	TR2_EMIT_INLINE(call, region_leave, .category.s = category,
			.label.s = label, .msg.s = message);
}

/* End the innermost region, because the leave of another region, or an enter,
 * implies its end. */
static __attribute__((noinline)) void end_implied(struct tr2_call *call)
{
	struct tr2_region *region = tr2_region_top(regions_of(call));
	const struct tr2_site *site = call->site;
	int repo_id = call->repo_id;

	if (region) {
		region->was_implied = true;
		call->repo_id = region->repo_id;
	}
	call->site = NULL;
	end_region(call, tr2_region_category(region), tr2_region_label(region),
		   NULL);
	call->site = site;
	call->repo_id = repo_id;
}

/*
 * Call this when a region is entered after a leave that may have been meant for
 * another region than it named. If the new region has the names of the
 * innermost one, the leave was meant for the innermost region: end that region.
 */
static __attribute__((noinline)) void
settle_doubt(struct tr2_call *call, const char *category, const char *label)
{
	struct tr2_regions *regions = regions_of(call);
	const struct tr2_region *region = tr2_region_top(regions);

	if (regions->nr_open == regions->in_doubt && region &&
	    tr2_region_is(region, category, label))
		end_implied(call);
	if (regions->nr_open < regions->in_doubt)
		tr2_region_trust(regions);
}

/* Open a region; a region of a site needs no copies of its names. */
INLINE void open_region(struct tr2_call *call, const char *category,
			const char *label)
{
	struct tr2_regions *regions = regions_of(call);
	struct tr2_region *region;

	if (!call->site || unlikely(regions->nr_open >= regions->alloc)) {
		tr2_region_push(regions, call->now_ns, category, label,
				call->repo_id);
		return;
	}
	region = tr2_region_count(regions);
	tr2_region_fill_at(region, call->site, category, label, call->now_ns,
			   call->repo_id, TR2_REGION_SLOW);
}

INLINE void enter_region(struct tr2_call *call, const char *category,
			 const char *label, const struct trace2_repo *repo,
			 const char *message)
{
	call->repo_id = tr2_repo_id(call, repo);
	if (regions_of(call)->in_doubt)
		settle_doubt(call, category, label);
	TR2_EMIT_INLINE(call, region_enter, .category.s = category,
			.label.s = label, .msg.s = message);
	open_region(call, category, label);
}

/* Drop a leave that matches no region. */
static void drop_leave(struct tr2_call *call, const char *category,
		       const char *label, bool has_ended)
{
	struct tr2_regions *regions = regions_of(call);

	if (regions->nr_implicit_leaves)
		regions->nr_implicit_leaves--;
	else if (has_ended)
		tr2_call_report_once(call,
				"trace2: region_leave of " NAMES
				", which has ended",
				NAMES_ARGS(category, label));
	else
		tr2_call_report_once(call,
				"trace2: region_leave of '%s' without "
				"region_enter",
				label ? label : "");
}

/* End the nr_inside regions inside the region that is left: an early return has
 * left them open, or the regions cross. */
static void end_inner(struct tr2_call *call, const char *category,
		      const char *label, size_t nr_inside)
{
	const struct tr2_region *inner = tr2_region_top(regions_of(call));

	tr2_call_report_once(call,
			"trace2: region_leave of " NAMES " before that of "
			NAMES,
			NAMES_ARGS(category, label),
			NAMES_ARGS(tr2_region_category(inner),
				   tr2_region_label(inner)));
	while (nr_inside--)
		end_implied(call);
}

/* Handle a leave whose names are wrong, or whose region was entered before
 * tracing began. */
static bool take_unknown(struct tr2_call *call, const char *category,
			 const char *label)
{
	const struct tr2_region *region = tr2_region_top(regions_of(call));

	if (regions_of(call)->nr_implicit_leaves) {
		regions_of(call)->nr_implicit_leaves--;
		return false;
	}
	tr2_call_report_once(call, "trace2: region " NAMES " is left as " NAMES,
			NAMES_ARGS(tr2_region_category(region),
				   tr2_region_label(region)),
			NAMES_ARGS(category, label));
	return true;
}

static __attribute__((noinline)) bool
take_slow(struct tr2_call *call, const char *category, const char *label)
{
	struct tr2_regions *regions = regions_of(call);
	size_t nr_inside = 0;

	switch (tr2_region_find(regions, category, label, &nr_inside)) {
	case TR2_REGION_OUTER:
		end_inner(call, category, label, nr_inside);
		return true;
	case TR2_REGION_ENDED:
		tr2_region_doubt(regions);
		drop_leave(call, category, label, true);
		return false;
	case TR2_REGION_IMPLIED:
		drop_leave(call, category, label, true);
		return false;
	case TR2_REGION_NONE_OPEN:
		drop_leave(call, category, label, false);
		return false;
	case TR2_REGION_UNKNOWN:
		return take_unknown(call, category, label);
	case TR2_REGION_INNERMOST:
		break;
	}
	return true;
}

/* Return whether the innermost region is the region that ends now. If the
 * function reports misuse, the text of the error overwrites the call's
 * message. */
static inline bool take_innermost(struct tr2_call *call, const char *category,
				  const char *label)
{
	const struct tr2_region *region = tr2_region_top(regions_of(call));

	return likely(region && region->category == category &&
		      region->label == label) ||
	       take_slow(call, category, label);
}

/*
 * Emit the leave under the names with which the region was entered. If the
 * library's copies of those names were cut, use the names of this leave.
 */
INLINE void leave_region(struct tr2_call *call, const char *category,
			 const char *label, const struct trace2_repo *repo,
			 const char *message)
{
	const struct tr2_region *region = tr2_region_top(regions_of(call));
	bool is = region && tr2_region_is(region, category, label);

	call->repo_id = tr2_repo_id(call, repo);
	if (region && (region->is_whole || !is)) {
		category = tr2_region_category(region);
		label = tr2_region_label(region);
	}
	/* Use the site only if its names are the region's names. A NULL name
	 * matches an empty name, but a site with a NULL name does not fit. */
	if (region && !(is && category && label))
		call->site = NULL;
	end_region(call, category, label, message);
}

void trace2_region_enter_fl(const char *file, int line, const char *category,
			    const char *label, const struct trace2_repo *repo)
{
	struct tr2_call call;

	if (tr2_fastpath_is_on() && has_definition(repo) &&
	    tr2_fastpath_region_enter(file, line, category, label, id_of(repo)))
		return;
	if (!tr2_call_begin_inline(&call, file, line))
		return;
	enter_region(&call, category, label, repo, NULL);
	tr2_call_end_inline(&call);
}

void tr2_region_enter_in_frame(struct trace2_site *site, const char *category,
			       const char *label,
			       const struct trace2_repo *repo)
{
	struct tr2_call call;

	if (!tr2_call_begin_at_inline(&call, site))
		return;
	enter_region(&call, category, label, repo, NULL);
	tr2_call_end_inline(&call);
}

void tr2_region_enter_slow(struct trace2_site *site, const char *category,
			   const char *label, const struct trace2_repo *repo,
			   struct tr2_call_mark *announced)
{
	if (unlikely(announced))
		tr2_fastpath_back_out(announced);
	if (tr2_fastpath_is_on() && site &&
	    (tr2_fastpath_region_enter_at(tr2_site_get(site), category, label,
					  repo) ||
	     (has_definition(repo) &&
	      tr2_fastpath_region_enter(site->file, site->line, category, label,
				       id_of(repo)))))
		return;
	tr2_region_enter_in_frame(site, category, label, repo);
}

void trace2_region_leave_fl(const char *file, int line, const char *category,
			    const char *label, const struct trace2_repo *repo)
{
	struct tr2_call call;

	if (tr2_fastpath_is_on() && has_definition(repo) &&
	    tr2_fastpath_region_leave(file, line, category, label, id_of(repo)))
		return;
	if (!tr2_call_begin_inline(&call, file, line))
		return;
	if (take_innermost(&call, category, label))
		leave_region(&call, category, label, repo, NULL);
	tr2_call_end_inline(&call);
}

void tr2_region_leave_in_frame(struct trace2_site *site, const char *category,
			       const char *label,
			       const struct trace2_repo *repo)
{
	struct tr2_call call;

	if (!tr2_call_begin_at_inline(&call, site))
		return;
	if (take_innermost(&call, category, label))
		leave_region(&call, category, label, repo, NULL);
	tr2_call_end_inline(&call);
}

void tr2_region_leave_slow(struct trace2_site *site, const char *category,
			   const char *label, const struct trace2_repo *repo,
			   struct tr2_call_mark *announced)
{
	if (unlikely(announced))
		tr2_fastpath_back_out(announced);
	if (tr2_fastpath_is_on() && site &&
	    (tr2_fastpath_region_leave_at(tr2_site_get(site), repo) ||
	     (has_definition(repo) &&
	      tr2_fastpath_region_leave(site->file, site->line, category, label,
				       id_of(repo)))))
		return;
	tr2_region_leave_in_frame(site, category, label, repo);
}

void trace2_region_enter_printf_at_(struct trace2_site *site,
				    const char *category, const char *label,
				    const struct trace2_repo *repo,
				    const char *fmt, ...)
{
	struct tr2_call call;
	va_list ap;

	if (!tr2_call_begin_at_inline(&call, site))
		return;
	va_start(ap, fmt);
	enter_region(&call, category, label, repo,
		     tr2_call_format(&call, fmt, ap));
	va_end(ap);
	tr2_call_end_inline(&call);
}

void trace2_region_leave_printf_at_(struct trace2_site *site,
				    const char *category, const char *label,
				    const struct trace2_repo *repo,
				    const char *fmt, ...)
{
	struct tr2_call call;
	va_list ap;

	if (!tr2_call_begin_at_inline(&call, site))
		return;
	va_start(ap, fmt);
	if (take_innermost(&call, category, label))
		leave_region(&call, category, label, repo,
			     tr2_call_format(&call, fmt, ap));
	va_end(ap);
	tr2_call_end_inline(&call);
}

void trace2_region_enter_printf_va_fl(const char *file, int line,
				      const char *category, const char *label,
				      const struct trace2_repo *repo,
				      const char *fmt, va_list ap)
{
	struct tr2_call call;

	if (!tr2_call_begin_inline(&call, file, line))
		return;
	enter_region(&call, category, label, repo,
		     tr2_call_format(&call, fmt, ap));
	tr2_call_end_inline(&call);
}

void trace2_region_leave_printf_va_fl(const char *file, int line,
				      const char *category, const char *label,
				      const struct trace2_repo *repo,
				      const char *fmt, va_list ap)
{
	struct tr2_call call;

	if (!tr2_call_begin_inline(&call, file, line))
		return;
	if (take_innermost(&call, category, label))
		leave_region(&call, category, label, repo,
			     tr2_call_format(&call, fmt, ap));
	tr2_call_end_inline(&call);
}

void trace2_region_enter_printf_fl(const char *file, int line,
				   const char *category, const char *label,
				   const struct trace2_repo *repo,
				   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_region_enter_printf_va_fl(file, line, category, label, repo, fmt,
					 ap);
	va_end(ap);
}

void trace2_region_leave_printf_fl(const char *file, int line,
				   const char *category, const char *label,
				   const struct trace2_repo *repo,
				   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_region_leave_printf_va_fl(file, line, category, label, repo, fmt,
					 ap);
	va_end(ap);
}

INLINE void prepare_data(struct tr2_call *call, const struct trace2_repo *repo)
{
	tr2_call_announce(call, NULL);
	call->repo_id = tr2_repo_id(call, repo);
	call->t_rel_ns = tr2_clock_since(tr2_region_start(call->thread),
					 call->now_ns);
}

INLINE void data_string(struct tr2_call *call, const char *category,
			const struct trace2_repo *repo, const char *key,
			const char *value)
{
	prepare_data(call, repo);
	TR2_EMIT_INLINE(call, data, .category.s = category, .key.s = key,
			.value.s = value);
	tr2_call_end_inline(call);
}

static void data_json(struct tr2_call *call, const char *category,
		      const struct trace2_repo *repo, const char *key,
		      const char *json_text)
{
	prepare_data(call, repo);
	TR2_EMIT(call, data_json, .category.s = category, .key.s = key,
		 .value.s = json_text);
	tr2_call_end_inline(call);
}

void trace2_data_string_fl(const char *file, int line, const char *category,
			   const struct trace2_repo *repo, const char *key,
			   const char *value)
{
	struct tr2_call call;

	if (tr2_fastpath_is_on() && has_definition(repo) &&
	    tr2_fastpath_data(file, line, category, id_of(repo), key, value))
		return;
	if (tr2_call_begin_inline(&call, file, line))
		data_string(&call, category, repo, key, value);
}

void tr2_data_string_in_frame(struct trace2_site *site, const char *category,
			      const struct trace2_repo *repo, const char *key,
			      const char *value)
{
	struct tr2_call call;

	if (tr2_call_begin_at_inline(&call, site))
		data_string(&call, category, repo, key, value);
}

void tr2_data_string_slow(struct trace2_site *site, const char *category,
			  const struct trace2_repo *repo, const char *key,
			  const char *value,
			  struct tr2_call_mark *announced)
{
	if (unlikely(announced))
		tr2_fastpath_back_out(announced);
	if (tr2_fastpath_is_on() && site &&
	    (tr2_fastpath_data_at(tr2_site_get(site), repo, value) ||
	     (has_definition(repo) &&
	      tr2_fastpath_data(site->file, site->line, category, id_of(repo),
			       key, value))))
		return;
	tr2_data_string_in_frame(site, category, repo, key, value);
}

#define NUMBER_BYTES 24
static const char *number_text(char memory[NUMBER_BYTES], intmax_t value)
{
	*tr2_put_i64(memory, value) = '\0';
	return memory;
}

void trace2_data_intmax_fl(const char *file, int line, const char *category,
			   const struct trace2_repo *repo, const char *key,
			   intmax_t value)
{
	char memory[NUMBER_BYTES];

	trace2_data_string_fl(file, line, category, repo, key,
			      number_text(memory, value));
}

static const char *unsigned_text(char memory[NUMBER_BYTES], uintmax_t value)
{
	struct tr2_buf text;

	tr2_buf_init_fixed(&text, memory, NUMBER_BYTES);
	tr2_buf_add_u64(&text, value);
	return tr2_buf_str(&text);
}

void trace2_data_uintmax_fl(const char *file, int line, const char *category,
			    const struct trace2_repo *repo, const char *key,
			    uintmax_t value)
{
	char memory[NUMBER_BYTES];

	trace2_data_string_fl(file, line, category, repo, key,
			      unsigned_text(memory, value));
}

void trace2_data_uintmax_at_(struct trace2_site *site, const char *category,
			     const struct trace2_repo *repo, const char *key,
			     uintmax_t value)
{
	char memory[NUMBER_BYTES];

	tr2_data_string_slow(site, category, repo, key,
			     unsigned_text(memory, value), NULL);
}

static const char *double_text(char memory[TR2_DOUBLE_BYTES + 1], double value)
{
	*tr2_put_double(memory, tr2_double_bits(value)) = '\0';
	return memory;
}

void trace2_data_double_fl(const char *file, int line, const char *category,
			   const struct trace2_repo *repo, const char *key,
			   double value)
{
	char memory[TR2_DOUBLE_BYTES + 1];

	trace2_data_string_fl(file, line, category, repo, key,
			      double_text(memory, value));
}

void trace2_data_double_at_(struct trace2_site *site, const char *category,
			    const struct trace2_repo *repo, const char *key,
			    double value)
{
	char memory[TR2_DOUBLE_BYTES + 1];

	tr2_data_string_slow(site, category, repo, key,
			     double_text(memory, value), NULL);
}

void tr2_data_intmax_in_frame(struct trace2_site *site, const char *category,
			      const struct trace2_repo *repo, const char *key,
			      intmax_t value)
{
	char memory[NUMBER_BYTES];

	tr2_data_string_in_frame(site, category, repo, key,
				 number_text(memory, value));
}

void tr2_data_intmax_slow(struct trace2_site *site, const char *category,
			  const struct trace2_repo *repo, const char *key,
			  intmax_t value, struct tr2_call_mark *announced)
{
	char memory[NUMBER_BYTES];

	if (unlikely(announced))
		tr2_fastpath_back_out(announced);
	if (tr2_fastpath_is_on() && site &&
	    tr2_fastpath_number_at(tr2_site_get(site), repo, value))
		return;
	tr2_data_string_slow(site, category, repo, key,
			     number_text(memory, value), NULL);
}

void trace2_data_json_fl(const char *file, int line, const char *category,
			 const struct trace2_repo *repo, const char *key,
			 const char *json_text)
{
	struct tr2_call call;

	if (tr2_call_begin_inline(&call, file, line))
		data_json(&call, category, repo, key, json_text);
}

void trace2_data_json_at_(struct trace2_site *site, const char *category,
			  const struct trace2_repo *repo, const char *key,
			  const char *json_text)
{
	struct tr2_call call;

	if (tr2_call_begin_at_inline(&call, site))
		data_json(&call, category, repo, key, json_text);
}

void trace2_printf_va_fl(const char *file, int line, const char *fmt,
			 va_list ap)
{
	struct tr2_call call;

	if (!tr2_call_begin_inline(&call, file, line))
		return;
	TR2_EMIT_INLINE(&call, printf,
			.msg.s = tr2_call_format(&call, fmt, ap));
	tr2_call_end_inline(&call);
}

void trace2_printf_fl(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_printf_va_fl(file, line, fmt, ap);
	va_end(ap);
}

void trace2_printf_at_(struct trace2_site *site, const char *fmt, ...)
{
	struct tr2_call call;
	va_list ap;

	if (!tr2_call_begin_at_inline(&call, site))
		return;
	va_start(ap, fmt);
	TR2_EMIT_INLINE(&call, printf,
			.msg.s = tr2_call_format(&call, fmt, ap));
	va_end(ap);
	tr2_call_end_inline(&call);
}

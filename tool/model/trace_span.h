/* SPDX-License-Identifier: MIT */
/*
 * trace_span - the program's spans, each a data_json event of the category
 * `trace2`: see trace2-format(5).
 */
#ifndef TR2_MODEL_TRACE_SPAN_H
#define TR2_MODEL_TRACE_SPAN_H

#include "model/model.h"
#include "model/view.h"

struct tr2_trace_span {
	/* As in the text of the event, whose life they have. */
	struct tr2_view trace_id, span_id, parent_id; /* p NULL: none */
	struct tr2_view attributes; /* JSON; p NULL: none */
	const char *failed; /* NULL: it did not; may be empty */
	tr2_str category, name;
	int64_t start_ns, end_ns; /* since the start of the session */
	/* How long threads worked for it, as far as that is known: two at once
	 * count twice. TR2_NO_TIME: none is known to have. */
	int64_t worked_ns;
	uint64_t one_in; /* it stands for so many */
	bool is_unfinished;
};

/* Read one; false: the point is no span. Interns its names. */
bool tr2_trace_span_read(struct tr2_model *m, const struct tr2_point *p,
			 struct tr2_trace_span *span);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * otlp_private - declarations shared by the files that write spans: otlp.c
 * walks through the model, otlp_tree.c computes ids and parents, otlp_spans.c
 * writes.
 */
#pragma once

#include "export/otlp/otlp.h"

struct tr2_otlp {
	const struct tr2_otlp_names *names;
	struct tr2_post *post; /* NULL: write to the sink */
	struct tr2_buf body;
	/* Number of spans in `body`, and number of trees that begin in
	 * `body`. */
	uint32_t nr_spans, nr_trees;
	bool begins_tree; /* the next span begins a tree */
	/* Lists of points by the object around them: a shown span, a span of
	 * the program, or a thread. */
	uint32_t *of_span, *of_trace_span, *of_thread, *next_point;
	uint32_t *ordinal;     /* by span: number of the span in its thread */
	struct tr2_context *trace_of; /* by node: trace of the process; the span
				       * id in it is not used */
	uint32_t *sid_of;      /* by node: the node itself or its nearest
				* ancestor with a SID; else the topmost
				* process */
	uint32_t node, session; /* process of the open resource; session may be
				 * 0 */
	/* With sampling. top_of: by node, the topmost process of its tree.
	 * failed: by topmost process, a span of the tree has the status
	 * ERROR. */
	uint32_t *top_of;
	bool *failed;
	/* With sampling: the number of trees for which the current tree stands,
	 * and the threshold for that number. Without sampling: 0. */
	uint64_t stands_for;
	char threshold[15];
};

/* Begin, or end, the resource of o->node and o->session. */
void tr2_otlp_open_resource(struct tr2_export *x);
void tr2_otlp_close_resource(struct tr2_otlp *o);
void tr2_otlp_send_request(struct tr2_export *x);

/* Open a span. The caller adds name, attributes, events and status. tracestate:
 * the value that the parent sent; NULL: none. */
struct tr2_buf *tr2_otlp_open_span(struct tr2_export *x,
				   const struct tr2_span_id *id,
				   const struct tr2_span_id *parent,
				   const char *tracestate);

/* Two of OTLP's kinds of spans. */
#define TR2_OTLP_INTERNAL 1
#define TR2_OTLP_SERVER 2

/* Add name, kind and times; the name is redacted. */
void tr2_otlp_add_name(struct tr2_buf *b, struct tr2_buf *name, int kind,
		       int64_t start_ns, int64_t end_ns);
/* Add the points of a list as events of the open span. */
void tr2_otlp_add_events(struct tr2_export *x, struct tr2_buf *b,
			 uint32_t first);
void tr2_otlp_add_error(struct tr2_export *x, struct tr2_buf *b,
			const char *message);

/* Set the id of a span that stands for a session, a process, a thread, a span
 * of the model, or a span of the program. */
void tr2_otlp_session_span(struct tr2_export *x, uint32_t session,
			   struct tr2_span_id *id);
void tr2_otlp_node_span(struct tr2_export *x, uint32_t node,
			struct tr2_span_id *id);
void tr2_otlp_thread_span(struct tr2_export *x, uint32_t thread,
			  struct tr2_span_id *id);
void tr2_otlp_inner_span(struct tr2_export *x, uint32_t span,
			 struct tr2_span_id *id);
void tr2_otlp_trace_span(struct tr2_export *x, uint32_t trace_span,
			 struct tr2_span_id *id);
/* Set the parent of a region or child. */
void tr2_otlp_inner_parent(struct tr2_export *x, uint32_t span,
			   struct tr2_span_id *id);
/* Set the parent of a process's span: the child span for the process, or for a
 * process between this process and an ancestor; else the process above; else
 * the span that the process's TRACEPARENT or SID names. Return false if there
 * is no parent. */
bool tr2_otlp_node_parent(struct tr2_export *x, uint32_t node,
			  uint32_t session, struct tr2_span_id *id);
/* Find the trace of each node. */
void tr2_otlp_find_traces(struct tr2_export *x, struct tr2_otlp *o);

/* export/otlp/otlp_trace_span.c: write a span for each recording that has a
 * place in a trace, above the recording's processes. Write a span of the
 * program. */
void tr2_otlp_write_recordings(struct tr2_export *x);
void tr2_otlp_write_trace_span(struct tr2_export *x, uint32_t i);

/* Prepare sampling. Call this when the traces are known. */
void tr2_otlp_sampling_begin(struct tr2_export *x);
void tr2_otlp_sampling_end(struct tr2_otlp *o);
/* Is the tree below a topmost process exported? */
bool tr2_otlp_wants_tree(struct tr2_export *x, uint32_t top);
/* Add `traceState` to a span: the number of spans for which the span stands,
 * and the parent's value (NULL: none). */
void tr2_otlp_add_state(struct tr2_export *x, struct tr2_buf *b,
			const char *tracestate);

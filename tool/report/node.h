/* SPDX-License-Identifier: MIT */
/* node - the columns of processes, the same in every command. */
#pragma once

#include "model/model.h"
#include "out/table.h"

/* Return the name of a join for JSON ("pid", "sid", "window" …), or a phrase
 * for it. */
const char *tr2_join_name(int join);
const char *tr2_join_words(int join);

/* Append how a process ended: 0, 128, SIGTERM, SIGKILL (OOM), exec, open … */
void tr2_exit_text(struct tr2_buf *b, const struct tr2_model *m, uint32_t node);

/* A process as a row; the rows of a table may have it as their first member. */
struct tr2_node_row {
	const struct tr2_model *m;
	uint32_t node;
};

/* Set cells in the row of a process. */
void tr2_node_cell_start(struct tr2_table *t, const struct tr2_node_row *r);
/* Show when the process began, if that was before the recording. */
void tr2_node_cell_begun(struct tr2_table *t, const struct tr2_node_row *r);
void tr2_node_cell_wall(struct tr2_table *t, const struct tr2_node_row *r);
/* Show "yes" if the end of the process is unknown: its time is a lower
 * bound. */
void tr2_node_cell_at_least(struct tr2_table *t, const struct tr2_node_row *r);
void tr2_node_cell_cpu(struct tr2_table *t, const struct tr2_node_row *r);
/* For JSON: true if records of the process's states were lost; null without
 * states. */
void tr2_node_cell_states_lost(struct tr2_table *t,
			       const struct tr2_node_row *r);
/* Show the exit code, coloured. */
void tr2_node_cell_exit(struct tr2_table *t, const struct tr2_node_row *r);
void tr2_node_cell_pid(struct tr2_table *t, const struct tr2_node_row *r);
void tr2_node_cell_sid(struct tr2_table *t, const struct tr2_node_row *r);
void tr2_node_cell_name(struct tr2_table *t, const struct tr2_node_row *r);
void tr2_node_cell_argv(struct tr2_table *t, const struct tr2_node_row *r);
void tr2_node_cell_cut(struct tr2_table *t, const struct tr2_node_row *r);
void tr2_node_cell_join(struct tr2_table *t, const struct tr2_node_row *r);
/* Show a mark if the process's parent is only likely. */
void tr2_node_cell_uncertain(struct tr2_table *t, const struct tr2_node_row *r);
/* Show the command line, with the program's name without its directory. The
 * command line is in brackets if the process is not instrumented. Before it
 * stand the process's earlier programs, if these ran for long. */
void tr2_node_cell_command(struct tr2_table *t, const struct tr2_node_row *r);
/* Show the command line of one program: of an earlier program, or of the last
 * one if `segment` is 0. */
void tr2_node_cell_program(struct tr2_table *t, const struct tr2_node_row *r,
			   uint32_t segment);
/* For JSON: show the programs of the process, each from fork or exec to the
 * next exec. */
void tr2_node_cell_segments(struct tr2_table *t, const struct tr2_node_row *r);
void tr2_node_cell_end(struct tr2_table *t, const struct tr2_node_row *r);
void tr2_node_cell_code(struct tr2_table *t, const struct tr2_node_row *r);
void tr2_node_cell_signal(struct tr2_table *t, const struct tr2_node_row *r);
void tr2_node_cell_signal_name(struct tr2_table *t,
			       const struct tr2_node_row *r);
void tr2_node_cell_end_by(struct tr2_table *t, const struct tr2_node_row *r);
/* Show "named" if the kernel's log names the process as killed because memory
 * was short, or "counted" if the kernel only counted such an end. */
void tr2_node_cell_oom(struct tr2_table *t, const struct tr2_node_row *r);

/* The process of a session. Rows of the session's events contain it. */
struct tr2_session_row {
	const struct tr2_model *m;
	const struct tr2_model_session *session;
};

void tr2_session_cell_process(struct tr2_table *t,
			      const struct tr2_session_row *r);
void tr2_session_cell_pid(struct tr2_table *t, const struct tr2_session_row *r);
void tr2_session_cell_sid(struct tr2_table *t, const struct tr2_session_row *r);

/* The columns about the end of a process, for formats that programs read. */
#define TR2_NODE_END_COLUMNS(DATA, of) \
	DATA(end, tr2_node_cell_end(t, of)) \
	DATA(code, tr2_node_cell_code(t, of)) \
	DATA(signal, tr2_node_cell_signal(t, of)) \
	DATA(signal_name, tr2_node_cell_signal_name(t, of)) \
	DATA(end_by, tr2_node_cell_end_by(t, of)) \
	DATA(oom, tr2_node_cell_oom(t, of))

/* Explain the marks in the table, if it has any. `exits`: the table has cells
 * of tr2_node_cell_exit(). */
void tr2_print_legend(const struct tr2_model *m,
		      bool (*shown)(const struct tr2_model *, uint32_t),
		      bool exits);

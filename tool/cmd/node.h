/* SPDX-License-Identifier: MIT */
/*
 * node - how processes are shown, the same by every command.
 */
#ifndef TR2_CMD_NODE_H
#define TR2_CMD_NODE_H

#include "model/model.h"
#include "out/table.h"

/* "pid", "sid", "window" …: for JSON; and as a phrase. */
const char *tr2_join_name(int join);
const char *tr2_join_words(int join);

/* 0, 128, SIGTERM, exec, open */
void tr2_exit_text(struct tr2_buf *b, const struct tr2_model *m, uint32_t node);

/* One cell: the exit, coloured. */
void tr2_cell_exit(struct tr2_table *t, const struct tr2_model *m,
		   uint32_t node);
/* One cell: its pid, empty when nobody knows. */
void tr2_cell_pid(struct tr2_table *t, const struct tr2_model *m,
		  uint32_t node);
/* One cell: a mark where the node is its parent's child only likely. */
void tr2_cell_uncertain(struct tr2_table *t, const struct tr2_model *m,
			uint32_t node);
/* One cell: the command line, its program without directory; in brackets
 * when the process is not instrumented. */
void tr2_cell_command(struct tr2_table *t, const struct tr2_model *m,
		      uint32_t node);
/* Five cells: end (text), code, signal, its name, who told of the end. */
void tr2_cell_end(struct tr2_table *t, const struct tr2_model *m,
		  uint32_t node);

/* What the marks in the table mean, if it has any. `exits`: the table has
 * cells of tr2_cell_exit(). */
void tr2_print_legend(const struct tr2_model *m,
		      bool (*shown)(const struct tr2_model *, uint32_t),
		      bool exits);

/* The table alone, in its format. */
void tr2_table_show(struct tr2_table *t);

#endif

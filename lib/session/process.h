/* SPDX-License-Identifier: MIT */
/*
 * process - what the system says of this process: whose child it is, what it
 * used.
 */
#ifndef TR2_SESSION_PROCESS_H
#define TR2_SESSION_PROCESS_H

#include "thread/emit.h"

/* cmd_ancestry from /proc; nothing where that cannot be read. */
void tr2_process_emit_ancestry(struct tr2_call *call);

/* data of category process: peak memory and CPU times so far. */
void tr2_process_emit_usage(struct tr2_call *call);

#endif

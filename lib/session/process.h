/* SPDX-License-Identifier: MIT */
/*
 * process - the system's data of this process: its ancestors, and its resource
 * usage.
 */
#ifndef TR2_SESSION_PROCESS_H
#define TR2_SESSION_PROCESS_H

#include "thread/emit.h"

/* Emit cmd_ancestry from /proc; nothing if that cannot be read. */
void tr2_process_emit_ancestry(struct tr2_call *call);

/* Emit data of category process: peak memory and CPU times so far. */
void tr2_process_emit_usage(struct tr2_call *call);

#endif

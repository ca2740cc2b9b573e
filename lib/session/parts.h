/* SPDX-License-Identifier: MIT */
/* parts - call the session's parts: see part.h. */
#pragma once

#include "part/part.h"
#include "session/settings.h"

void tr2_parts_begin(void);
void tr2_parts_begin_in_child(void);
/* Open the parts. settings NULL: this is a forked child, whose parent has
 * loaded the settings. */
void tr2_parts_open(struct tr2_thread *main_thread,
		    const struct tr2_settings *settings);
void tr2_parts_ring_begin(struct tr2_arena_header *header);
void tr2_parts_thread_begin(struct tr2_thread *thread);
void tr2_parts_thread_named(const struct tr2_thread *thread);
void tr2_parts_before_call(struct tr2_thread *thread);
void tr2_parts_emit_begun(struct tr2_call *call);
void tr2_parts_emit_errors(struct tr2_call *call);
void tr2_parts_emit_thread(struct tr2_call *call,
			   const struct tr2_thread *thread);
void tr2_parts_emit_process(struct tr2_call *call, struct tr2_slot *sum);
void tr2_parts_emit_so_far(struct tr2_call *call, struct tr2_slot *sum);
void tr2_parts_thread_end(struct tr2_thread *thread);
void tr2_parts_close(void);
void tr2_parts_ring_end(void);
void tr2_parts_forked(void);
void tr2_parts_release(void);

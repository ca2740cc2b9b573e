/* SPDX-License-Identifier: MIT */
/*
 * frames_states - make frames whose values are the states of threads. The value
 * of a frame is the time for which the thread had a CPU in the frame. Below it
 * are the frames "[ready]" and "[wait CAUSE]". The frames of a thread add up to
 * the thread's life, so the sum over all threads is more than the wall time.
 * Threads without recorded states have their own wall time, as without
 * --states.
 */
#pragma once

#include "export/profile/frames.h"

struct tr2_frames_states;

struct tr2_frames_states *tr2_frames_states_new(const struct tr2_model *m);
void tr2_frames_states_free(struct tr2_frames_states *s);

/* Were the states of the session's thread, or of the process, recorded? */
bool tr2_frames_states_of_thread(const struct tr2_export *x, uint32_t thread);
bool tr2_frames_states_of_node(const struct tr2_export *x, uint32_t node);

/* Add the states of those threads of a process that are in no session. */
void tr2_frames_states_node(struct tr2_frames *f, struct tr2_export *x,
			    uint32_t node);
/* Note f->at as the frame of a session's thread. */
void tr2_frames_states_thread(struct tr2_frames *f, uint32_t thread);
/* Add the states of the threads that tr2_frames_states_thread() noted to the
 * frames of their regions. */
void tr2_frames_states_end(struct tr2_frames *f, struct tr2_export *x);

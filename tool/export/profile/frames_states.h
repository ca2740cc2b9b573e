/* SPDX-License-Identifier: MIT */
/*
 * frames_states - frames whose values are what threads did: a frame has the
 * time that the thread was on a CPU in it, and below it are "[ready]" and
 * "[wait CAUSE]". The sum of a thread is its life, so the sum of all is that of
 * all lives, and more than the wall time. Threads without recorded states have
 * their own wall time, as without --states.
 */
#pragma once

#include "export/profile/frames.h"

struct tr2_frames_states;

struct tr2_frames_states *tr2_frames_states_new(const struct tr2_model *m);
void tr2_frames_states_free(struct tr2_frames_states *s);

/* Have the states of the session's thread, or of the process, been recorded? */
bool tr2_frames_states_of_thread(const struct tr2_export *x, uint32_t thread);
bool tr2_frames_states_of_node(const struct tr2_export *x, uint32_t node);

/* Add the states of a process's threads that no session of it has. */
void tr2_frames_states_node(struct tr2_frames *f, struct tr2_export *x,
			    uint32_t node);
/* Note that f->at is the frame of a session's thread. */
void tr2_frames_states_thread(struct tr2_frames *f, uint32_t thread);
/* Add what these threads did to the frames of their regions. */
void tr2_frames_states_end(struct tr2_frames *f, struct tr2_export *x);

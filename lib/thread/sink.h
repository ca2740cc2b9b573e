/* SPDX-License-Identifier: MIT */
/* sink - pass an event to the program's function: see trace2_control.h. */
#pragma once

#include "thread/emit.h"

/* Call the sink. Do not call it for the `signal` event, and not while the
 * process's lock is held. */
void tr2_sink_call(struct tr2_call *call, const struct tr2_event *ev);

/* SPDX-License-Identifier: MIT */
/* close - the end of a session. */
#ifndef TR2_SESSION_CLOSE_H
#define TR2_SESSION_CLOSE_H

/* Emit the parts' results and atexit, and close the targets. Later calls do
 * nothing. */
void tr2_session_close(void);

/*
 * End it as at exit, with the code 0, but for what belongs to the process: another
 * session may begin. The calling thread is inside. -EBUSY: another thread is
 * writing, or it has ended already; nothing has changed but that tracing is off,
 * which the caller sets right.
 */
int tr2_session_pause(void);

/* Emit the metrics so far. */
struct tr2_call;
void tr2_session_flush(struct tr2_call *call);

#endif

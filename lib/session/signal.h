/* SPDX-License-Identifier: MIT */
/*
 * signal - the last event of a process that a signal ends.
 *
 * Handlers are installed for the requested signals, if the host has the default
 * disposition, and only while a target is on. A handler writes the signal
 * event, restores the default and raises the signal again. It respects later
 * changes of the disposition: the host may ignore the signal, handle it, and
 * restore this handler in any way.
 */
#pragma once

/* Install handlers for a list of names or numbers, with or without SIG,
 * separated by commas or spaces; NULL: an empty list. Other words ("none") are
 * skipped. Does nothing in the first process of a pid namespace, which survives
 * these signals. */
void tr2_signal_install(const char *list);

/* Call it in a forked child, which may be the first process of a PID
 * namespace. */
void tr2_signal_after_fork(void);

/* Emit the signal event, and end the session, from a handler of the host's. */
void tr2_signal_end(const char *file, int line, int signo);

/* Remove the handlers, unless the host has replaced them. */
void tr2_signal_restore(void);

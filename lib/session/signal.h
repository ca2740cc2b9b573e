/* SPDX-License-Identifier: MIT */
/*
 * signal - the last event of a process that a signal ends.
 *
 * Handlers are installed for the signals that were asked for, where the host
 * has the default disposition, and only while a target is on. A handler writes
 * the signal event, puts the default back and raises the signal again. What the
 * host does with its dispositions meanwhile counts: it may ignore the signal,
 * handle it, and put this handler back in whatever way.
 */
#ifndef TR2_SESSION_SIGNAL_H
#define TR2_SESSION_SIGNAL_H

/* Names or numbers, with or without SIG, separated by commas or spaces;
 * NULL: none. What is no signal ("none") is passed over. */
void tr2_signal_install(const char *list);

/* Takes away the handlers that are still ours. */
void tr2_signal_restore(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * inherit - what a session gets from its parent and hands to its children:
 * the session id and the hierarchy of command names, in the environment.
 *
 * The two variables have Git's names whatever prefix the settings have, so
 * that sessions of programs with different prefixes find each other.
 */
#ifndef TR2_SESSION_INHERIT_H
#define TR2_SESSION_INHERIT_H

#include <stdbool.h>
#include <stdint.h>

/* Takes the parent's id and names from the environment and makes this
 * process's id. false: no memory. */
bool tr2_inherit_start(uint64_t wall_us);

/* Puts both into the environment. Not thread-safe. */
void tr2_inherit_publish(void);

/* In a forked child: an id of its own under what was this process's. Changes
 * the variables in place; nobody else may be reading them. */
void tr2_inherit_fork(uint64_t wall_us);

/* The library is unloaded: both are as they were before. Their memory stays, as
 * others may be reading it. */
void tr2_inherit_end(void);

/* The whole id, its last component, and how many are before that. */
const char *tr2_inherit_sid(void);
const char *tr2_inherit_own_sid(void);
unsigned int tr2_inherit_depth(void);

/* Appends to the hierarchy and returns it. A name that would make it too long
 * is left out. Not thread-safe. */
const char *tr2_inherit_add_name(const char *name);

#endif

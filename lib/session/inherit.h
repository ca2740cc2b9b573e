/* SPDX-License-Identifier: MIT */
/*
 * inherit - data that a session gets from its parent and passes to its
 * children: the session id and the hierarchy of command names, in the
 * environment.
 *
 * Both variables keep Git's names even if the settings have another prefix, so
 * that sessions of programs with different prefixes find each other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Take the parent's id and names from the environment and make this process's
 * id, if it has none yet. In a forked child, append an id of its own to the
 * parent's, which changes the variables in place: no other thread may read them
 * at that time. false: no memory.
 */
bool tr2_inherit_start(uint64_t wall_us);

/* Replace this process's id by another one, or make it if there is none. The
 * length stays the same, and only the time in the id changes. false: no
 * memory. */
bool tr2_inherit_renew(uint64_t wall_us);

/* Return whether this process has an id of its own: false in a child by
 * vfork(), and in a child that has not noticed its fork yet. */
bool tr2_inherit_is_made_here(void);

/* In a forked child, let the child use the parent's id as its own. */
void tr2_inherit_keep(void);

/* Put the id, or the id and the names, into the environment. Not
 * thread-safe. */
void tr2_inherit_publish_sid(void);
void tr2_inherit_publish(void);

/* Record that this process is a forked child, which has no id of its own
 * yet. */
void tr2_inherit_after_fork(void);

/* Return a size that the id does not exceed in this process, also after
 * another tr2_inherit_start(). Call it while this is the only thread. */
size_t tr2_inherit_sid_room(void);

/* Restore both variables when the library is unloaded. Their memory stays, as
 * other threads may be reading it. */
void tr2_inherit_end(void);

/* Return the whole id, its last component, and the number of components before
 * the last one. */
const char *tr2_inherit_sid(void);
const char *tr2_inherit_own_sid(void);
unsigned int tr2_inherit_depth(void);

/* Append a name of len bytes to the hierarchy, and return the hierarchy. A name
 * that would make the hierarchy too long is left out. Not thread-safe. */
const char *tr2_inherit_add_name(const char *name, size_t len);

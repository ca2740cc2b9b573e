/* SPDX-License-Identifier: MIT */
/*
 * wait_sets - the members of the set that poll(), select() or epoll_wait()
 * waits for, in groups of the same kind, name and peer.
 *
 * The object is the largest group; groups from outside of the process come
 * first. `others` lists the kinds of the other groups.
 */
#pragma once

#include "record/observer/wait_object.h"

void tr2_wait_find_poll(struct tr2_wait *wait, uint64_t address, uint64_t nr);
/* Find the object of select(). arg: the arguments of the call. Return false if
 * all sets are empty. */
bool tr2_wait_find_select(struct tr2_wait *wait, const uint64_t *arg);
void tr2_wait_find_epoll(struct tr2_wait *wait, int fd);

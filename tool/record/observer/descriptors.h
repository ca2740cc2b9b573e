/* SPDX-License-Identifier: MIT */
/*
 * descriptors - what a descriptor of a process is: file, pipe, socket, timer, ...
 *
 * Another thread may close a descriptor during a wait, and use its number again.
 * So an object has the first time at which the number was seen to be its own; if
 * the wait began earlier, readers look whether other threads ran until then. Of a
 * process with threads, each descriptor that was asked for is kept for that.
 */
#pragma once

#include <stdbool.h>

#include "record/observer/wait_object.h"

/* Set *object. Raise its known_ns to the time at which this descriptor was first
 * seen to be this object. false: the object is unknown. */
bool tr2_describe_descriptor(struct tr2_wait *wait, int fd,
			     struct tr2_wait_object *object);

/* Read the text of the link. false: it is gone, or is longer. */
bool tr2_descriptor_link(pid_t pid, int fd, char link[TR2_OBJECT_NAME_SIZE]);
#define TR2_INFO_SIZE 4096
/* Read the lines of fdinfo, of many the first. false: it is gone. */
bool tr2_descriptor_info(pid_t pid, int fd, char text[TR2_INFO_SIZE]);
/* Return the value of such a line; -1: it is not there. */
long long tr2_descriptor_number(const char *info, const char *key);
/* Note when the number was this file's first, as above. */
void tr2_descriptor_know(struct tr2_wait *wait, int fd, const char *link,
			 const char *info, struct tr2_wait_object *object);

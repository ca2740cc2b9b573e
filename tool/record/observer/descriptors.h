/* SPDX-License-Identifier: MIT */
/*
 * descriptors - find the object of a process's descriptor: file, pipe, socket,
 * timer, ...
 *
 * Another thread may close a descriptor during a wait, and its number may be
 * used again. So an object has the time at which the number was first seen to
 * mean this object. If the wait began earlier, readers check whether other
 * threads ran until then. To know this time, the recorder remembers each
 * descriptor of a process with threads, from the first time that it looks the
 * descriptor up.
 */
#pragma once

#include <stdbool.h>

#include "record/observer/wait_object.h"

/* Set *object. Raise object->known_ns to the time at which the descriptor was
 * first seen to be this object. Return false if the object is unknown. */
bool tr2_describe_descriptor(struct tr2_wait *wait, int fd,
			     struct tr2_wait_object *object);

/* Read the text of the link. Return false if it is gone, or too long. */
bool tr2_descriptor_link(pid_t pid, int fd, char link[TR2_OBJECT_NAME_SIZE]);
#define TR2_INFO_SIZE 4096
/* Read the lines of fdinfo; of a long file, only the first ones. Return false
 * if it is gone. */
bool tr2_descriptor_info(pid_t pid, int fd, char text[TR2_INFO_SIZE]);
/* Return the value of a line of fdinfo; -1: there is no such line. */
long long tr2_descriptor_number(const char *info, const char *key);
/* Note when the descriptor's number was first seen to be this file, as
 * described above. */
void tr2_descriptor_know(struct tr2_wait *wait, int fd, const char *link,
			 const char *info, struct tr2_wait_object *object);

/* SPDX-License-Identifier: MIT */
/*
 * wait_object - the object of a wait, found from the system call and its
 * arguments, as /proc/PID/syscall has them.
 *
 * The caller checks afterwards that the thread still waits in the same call:
 * only then is the result true.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/observer/observer.h"

/* An object whose name is longer gets no name. */
#define TR2_OBJECT_NAME_SIZE 512
#define TR2_OBJECT_OTHERS_SIZE 256

struct tr2_wait_call {
	long nr;
	uint64_t arg[6];
	uint64_t sp; /* stack pointer */
};

/* The members are those of the record `object` in tasks.def. */
struct tr2_wait_object {
	const char *what; /* NULL: not known */
	char name[TR2_OBJECT_NAME_SIZE];
	const char *host; /* of an address; NULL: not known */
	char others[TR2_OBJECT_OTHERS_SIZE];
	pid_t peer;
	uint64_t number;
	uint64_t known_ns;
	/* The object serves to wake the process itself, such as a pipe to
	 * itself. */
	bool is_inner;
	/* The peer may be a process that began after the look did. */
	bool lacks_peer;
};

struct tr2_wait {
	struct tr2_observer *o;
	struct tr2_observed *p;
	uint64_t now_ns; /* a time at which the thread waited */
	struct tr2_wait_call call;
	const char *call_name; /* set by tr2_wait_find() */
	struct tr2_wait_object object;
};

/* Parse the file `syscall`. Return false if the thread runs. nr is -1 if the
 * thread is in no call, or if the program's calls have other numbers: one of
 * program and recorder has 32 bits, the other 64. */
bool tr2_wait_call_parse(const char *text, struct tr2_wait_call *call);

/* Set call_name and object. Return false if the wait has no object, or if it is
 * unknown. */
bool tr2_wait_find(struct tr2_wait *wait);

/* May the process's memory be read? With a userfaultfd, the process itself may
 * have to answer a fault by that read. */
bool tr2_wait_may_read(const struct tr2_wait *wait);
/* Read memory of the process that no other thread changes. Return false if it
 * cannot be read. */
bool tr2_wait_read_memory(const struct tr2_wait *wait, uint64_t address,
			  void *out, size_t size);

/* Free the tables that are kept between looks. */
void tr2_wait_sources_free(struct tr2_wait_sources *sources);

/* SPDX-License-Identifier: MIT */
/*
 * wait_object - the object of a wait, found from the system call and its
 * arguments, as /proc/PID/syscall has them.
 *
 * The caller checks afterwards that the thread still waits in the same call;
 * only then is what was found here true.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/observer/observer.h"

/* An object with a longer name has no name. */
#define TR2_OBJECT_NAME_SIZE 512
#define TR2_OBJECT_OTHERS_SIZE 256

struct tr2_wait_call {
	long nr;
	uint64_t arg[6];
};

/* As in the record `object` of tasks.def. */
struct tr2_wait_object {
	const char *what; /* NULL: not known */
	char name[TR2_OBJECT_NAME_SIZE];
	const char *host; /* of an address; NULL: not known */
	char others[TR2_OBJECT_OTHERS_SIZE];
	pid_t peer;
	uint64_t number;
	uint64_t known_ns;
	/* Made to wake the process itself, such as a pipe to itself. */
	bool is_inner;
	/* It may be a process that began since the look did. */
	bool lacks_peer;
};

struct tr2_wait {
	struct tr2_observer *o;
	struct tr2_observed *p;
	uint64_t now_ns; /* the thread waited then */
	struct tr2_wait_call call;
	const char *call_name; /* set by tr2_wait_find() */
	struct tr2_wait_object object;
};

/* Parse the file `syscall`. false: the thread runs. nr is -1 if it is in no call,
 * or in one of a program with other numbers: of 32 bits, and this one is not, or
 * the other way round. */
bool tr2_wait_call_parse(const char *text, struct tr2_wait_call *call);

/* Set call_name and object. false: the wait has no object, or it is not known. */
bool tr2_wait_find(struct tr2_wait *wait);

/* May its process's memory be read? With a userfaultfd, a read may be a fault that
 * the process has to answer. */
bool tr2_wait_may_read(const struct tr2_wait *wait);
/* Read memory of the process that no other thread changes. Return false where it
 * cannot be read. */
bool tr2_wait_read_memory(const struct tr2_wait *wait, uint64_t address,
			  void *out, size_t size);

/* Free the tables that are kept between looks. */
void tr2_wait_sources_free(struct tr2_wait_sources *sources);

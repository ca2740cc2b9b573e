/* SPDX-License-Identifier: MIT */
/*
 * wait_object - find the object of a wait from the system call and its
 * arguments in /proc/PID/syscall.
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

/* Size of an object's name. An object with a longer name gets no name. */
#define TR2_OBJECT_NAME_SIZE 512
#define TR2_OBJECT_OTHERS_SIZE 256

struct tr2_wait_call {
	long nr;
	uint64_t arg[6];
	uint64_t sp; /* stack pointer */
};

/* The members have the names and meanings of the record `object` in
 * tasks.def. */
struct tr2_wait_object {
	const char *what; /* kind of the object; NULL: not known */
	char name[TR2_OBJECT_NAME_SIZE];
	const char *host; /* name of the address's host; NULL: not known */
	char others[TR2_OBJECT_OTHERS_SIZE];
	pid_t peer;
	uint64_t number;
	uint64_t known_ns;
	/* The process itself uses the object to wake its threads, such as a
	 * pipe to itself. */
	bool is_inner;
	/* The peer may be a process that began after the beginning of the
	 * look. */
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

/* Set call_name and object. Return false if the wait has no object, or an
 * unknown one. */
bool tr2_wait_find(struct tr2_wait *wait);

/* May the process's memory be read? With a userfaultfd, reading may cause a
 * page fault that the process itself must answer. */
bool tr2_wait_may_read(const struct tr2_wait *wait);
/* Read memory of the process. Only the waiting thread may change this memory.
 * Return false if it cannot be read. */
bool tr2_wait_read_memory(const struct tr2_wait *wait, uint64_t address,
			  void *out, size_t size);

/* Free the tables that are kept between looks. */
void tr2_wait_sources_free(struct tr2_wait_sources *sources);

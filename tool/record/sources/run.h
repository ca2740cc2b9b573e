/* SPDX-License-Identifier: MIT */
/*
 * run - run one command undisturbed: in the same process group, with the same
 * terminal, descriptors, signal mask and dispositions. Signals sent to the
 * recorder are forwarded, except those that the terminal sends to both.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "record/loop.h"

/* A shell's exit codes for a command that cannot be run. */
#define TR2_EXIT_CANNOT_RUN 126
#define TR2_EXIT_NOT_FOUND 127

/*
 * The amounts that the command, and all processes that it waited for, read and
 * wrote by system calls: files, pipes, sockets and terminals alike.
 */
struct tr2_io {
	bool known; /* the kernel counts how much was read and written */
#define TR2_META_IO(key, field, name, unit) uint64_t key;
#include "format/recording/meta.def"
};

struct tr2_run {
	struct tr2_source signals; /* a signalfd */
	pid_t stopped_by; /* the process that sent the last signal; 0: none */
	struct tr2_loop *loop;
	pid_t pid;                 /* pid of the command; 0: not started */
	int go_fd, error_fd;       /* pipes to the child between start and
				    * exec */
	int mark_fd;               /* descriptor for tr2_syscalls_mark() in the
				    * child; -1: none */
	int signo;                 /* the last signal that requested the end */
	struct rlimit files;
	bool ended;
	int status;
	struct rusage usage;
	struct tr2_io io;
	/* Children may have ended: call tr2_run_reap(). */
	void (*on_child)(void *data);
	/* A signal requested the end while no command ran. */
	void (*on_stop)(void *data);
	/* SIGUSR1 arrived, and no command was ever started; NULL: on_stop is
	 * called. */
	void (*on_usr1)(void *data);
	void *data;
};

/* Block signals, and let the loop read them. The signals stay blocked after
 * tr2_run_release(), and the recorder goes on to adopt orphans. Return -1 with
 * errno. */
int tr2_run_prepare(struct tr2_run *run, struct tr2_loop *loop);
void tr2_run_release(struct tr2_run *run);

/* Check whether `name` can be run. Return 0 if it seems to be executable, else
 * the exit code, 126 or 127, with errno. */
int tr2_run_check(const char *name);

/* Fork; the child waits for tr2_run_go(). -1: errno. */
int tr2_run_start(struct tr2_run *run, char *const argv[], char *const envp[]);
/* Let the child exec. If exec fails, return -1 with errno; the child has ended
 * then. */
int tr2_run_go(struct tr2_run *run);

/*
 * Reap one child, either the command or an adopted orphan. Return its pid; 0:
 * none has ended; -1: there are no children left.
 */
pid_t tr2_run_reap(struct tr2_run *run, int *status, struct rusage *usage);

/* SPDX-License-Identifier: MIT */
/*
 * run - one command, run as if nobody watched: same process group, terminal,
 * descriptors, signal mask and dispositions. Signals sent to the recorder reach
 * it, and those that the terminal sends to both are not doubled.
 */
#ifndef TR2_RECORD_RUN_H
#define TR2_RECORD_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "record/loop.h"

/* What a shell says of a command that it cannot run. */
#define TR2_EXIT_CANNOT_RUN 126
#define TR2_EXIT_NOT_FOUND 127

struct tr2_run {
	struct tr2_source signals; /* a signalfd */
	struct tr2_loop *loop;
	pid_t pid;                 /* 0: not started */
	int go_fd, error_fd;       /* between start and exec */
	int signo;                 /* the last signal that asked for the end */
	struct rlimit files;
	bool ended;
	int status;
	struct rusage usage;
	/* Children may have ended: call tr2_run_reap(). */
	void (*on_child)(void *data);
	/* A signal that asks for the end came while no command ran. */
	void (*on_stop)(void *data);
	/* SIGUSR1 came and there never was a command; NULL: as on_stop. */
	void (*on_usr1)(void *data);
	void *data;
};

/* From now on signals are read from loop, and stay blocked when run is
 * released; the recorder adopts orphans. -1: errno. */
int tr2_run_prepare(struct tr2_run *run, struct tr2_loop *loop);
void tr2_run_release(struct tr2_run *run);

/* Why `name` could not be run, as an exit code with errno set: 126, 127; 0 when
 * it looks as if it can. */
int tr2_run_check(const char *name);

/* Forks; the child waits for tr2_run_go(). -1: errno. */
int tr2_run_start(struct tr2_run *run, char *const argv[], char *const envp[]);
/* Lets it exec. -1: it could not, errno; the child has ended then. */
int tr2_run_go(struct tr2_run *run);

/*
 * Takes one child that has ended, whether the command or an orphan of it.
 * Returns its pid; 0: none now; -1: there are no children left.
 */
pid_t tr2_run_reap(struct tr2_run *run, int *status, struct rusage *usage);

#endif

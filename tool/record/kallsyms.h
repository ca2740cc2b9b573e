/* SPDX-License-Identifier: MIT */
/*
 * kallsyms - the kernel's functions and their addresses, from /proc/kallsyms.
 * Reading them takes the kernel longer than many commands run: a thread does it
 * meanwhile. It ends after the events of the kernel that it inherited are
 * closed, which otherwise would report its end.
 */
#ifndef TR2_RECORD_KALLSYMS_H
#define TR2_RECORD_KALLSYMS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct tr2_kallsyms {
	uint64_t start; /* address of the kernel's first function; 0: unknown */
	int fd;
	pthread_t thread;
	bool running;
	_Atomic bool cancel;
	sem_t done; /* all was read */
	sem_t quit; /* the thread may end */
	struct tr2_buf text;
};

/* Read where the kernel begins. false: addresses are hidden. */
bool tr2_kallsyms_open(struct tr2_kallsyms *symbols);
/* If it is open, begin to read the symbols: after the command was forked, since
 * a program's first thread changes how signals are handled. */
void tr2_kallsyms_start(struct tr2_kallsyms *symbols);
/* Stop reading, and free the symbols: after events were closed. */
void tr2_kallsyms_release(struct tr2_kallsyms *symbols);

/*
 * Wait for the symbols, and append the lines of those functions that have one
 * of the addresses, which are sorted, and of the functions behind them.
 * Addresses are those to which calls return. false: no memory.
 */
bool tr2_kallsyms_add(struct tr2_kallsyms *symbols, struct tr2_buf *out,
		      const uint64_t *addrs, uint32_t nr);

#endif

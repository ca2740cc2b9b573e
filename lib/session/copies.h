/* SPDX-License-Identifier: MIT */
/* copies - other copies of the library in the process. */
#ifndef TR2_SESSION_COPIES_H
#define TR2_SESSION_COPIES_H

#include <stdbool.h>

#define TR2_COPIES_PATH 256

struct tr2_copy {
	char path[TR2_COPIES_PATH]; /* cut if longer; "": the program */
	char file[256]; /* the place of the first call; "": unknown */
	int line;
};

/* Find the copy of this number, from 0, that was called and never initialized.
 * Takes a lock of the dynamic linker. */
bool tr2_copies_find(unsigned int number, struct tr2_copy *copy);

#endif

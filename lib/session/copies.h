/* SPDX-License-Identifier: MIT */
/* copies - the shared library in a process whose program contains another copy. */
#ifndef TR2_SESSION_COPIES_H
#define TR2_SESSION_COPIES_H

#include <stddef.h>

/* Return whether the shared library is loaded and this code is in another object,
 * and copy its path, cut if it is longer. Takes a lock of the dynamic linker. */
int tr2_copies_find(char *path, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * build_id - which build of a file lies in this process's memory, by the note
 * that the linker put there. No file is read, and no lock of the loader taken:
 * memory is read by way of /proc/self/mem, so that a module which another
 * thread unloads meanwhile is an error and no crash.
 */
#ifndef TR2_BASE_BUILD_ID_H
#define TR2_BASE_BUILD_ID_H

#include <stdint.h>

#define TR2_BUILD_ID_MAX 20

/*
 * That of the ELF file whose first byte lies at `start`; mem_fd: /proc/self/mem
 * opened to read. Returns its length, 0: there is none, or a longer one.
 * Signal-safe; may change errno.
 */
unsigned int tr2_build_id_at(int mem_fd, uint64_t start,
			     uint8_t id[TR2_BUILD_ID_MAX]);

#endif

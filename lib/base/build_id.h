/* SPDX-License-Identifier: MIT */
/*
 * build_id - the build id of a file that is mapped in this process, from the
 * note that the linker put there. It reads no file and takes no lock of the
 * loader. It reads memory through /proc/self/mem: if another thread unloads the
 * module at the same time, the read fails instead of crashing.
 */
#pragma once

#include <stdint.h>

#define TR2_BUILD_ID_MAX 20

/*
 * Read the build id of the ELF file whose first byte is mapped at `start`;
 * mem_fd: /proc/self/mem, open for reading. Return its length; 0: none, or too
 * long. Signal-safe; may change errno.
 */
unsigned int tr2_build_id_at(int mem_fd, uint64_t start,
			     uint8_t id[TR2_BUILD_ID_MAX]);

/* SPDX-License-Identifier: MIT */
/*
 * code_maps - keep the lists that processes wrote of the functions that they
 * generated.
 *
 * node --perf-basic-prof, Java (-XX:+DumpPerfMapAtExit), .NET, PHP and Python
 * 3.12 write /tmp/perf-PID.map for perf: a line for each function, with its
 * address, its length, and its name.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/*
 * Copy the map of a process that began at start_ns into the recording dir_fd,
 * as DIR/maps/PID-START.map; the directory is created if necessary. Do nothing
 * if there is no such file, or if another user or an earlier process wrote it.
 * A later copy replaces an earlier one.
 */
void tr2_code_map_keep(int dir_fd, pid_t pid, uint64_t start_ns);

/* SPDX-License-Identifier: MIT */
/*
 * pseudo-terminal - open a terminal whose lines end in two characters, as on a
 * user's terminal.
 */
#pragma once

#include "system.h"

#include <termios.h>

/* Open a terminal, and return its master. flags: flags for opening the master,
 * besides O_RDWR and O_NOCTTY. */
static inline int pseudo_terminal_open(int flags, int *slave)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | flags);
	struct termios raw;

	if (master < 0 || grantpt(master) || unlockpt(master))
		abort();
	*slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (*slave < 0 || tcgetattr(*slave, &raw))
		abort();
	cfmakeraw(&raw);
	raw.c_oflag |= OPOST | ONLCR;
	tcsetattr(*slave, TCSANOW, &raw);
	return master;
}

/* SPDX-License-Identifier: MIT */
/*
 * Emit NR events, half of them regions and half data, to count their
 * instructions and system calls; with "off" without initialising, for the cost
 * of a process.
 * usage: count NR [off]
 */
#include "../helper/system.h"
#include "trace2.h"

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 0, i;

	if (argc < 3)
		trace2_initialize();
	for (i = 0; i < nr; i += 4) {
		trace2_region_enter("bench", "region", NULL);
		trace2_data_string("bench", NULL, "key", "0123456789");
		trace2_data_string("bench", NULL, "key", "0123456789");
		trace2_region_leave("bench", "region", NULL);
	}
	return 0;
}

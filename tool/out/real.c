/* SPDX-License-Identifier: MIT */
/*
 * real - format real numbers for people.
 */
#include <math.h>
#include <stdio.h>

#include "out/table.h"

/*
 * Print whole numbers without decimals, others with three significant digits or
 * one decimal.
 */
void tr2_fmt_real(struct tr2_buf *b, double value)
{
	char text[64];
	double size = fabs(value);
	int decimals = size >= 10 ? 1 : size >= 1 ? 2 : 3;

	if (size >= 1e15)
		snprintf(text, sizeof(text), "%.6g", value);
	else if (value == floor(value))
		snprintf(text, sizeof(text), "%.0f", value);
	else
		snprintf(text, sizeof(text), "%.*f", decimals, value);
	tr2_buf_addstr(b, text);
}

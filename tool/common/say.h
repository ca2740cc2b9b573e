/* SPDX-License-Identifier: MIT */
/*
 * say - messages to the user, on stderr.
 */
#pragma once

#include <stdarg.h>

/* Print `trace2: …` on one line, with control characters escaped. */
void tr2_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void tr2_verror(const char *fmt, va_list ap)
	__attribute__((format(printf, 1, 0)));
/* Print `trace2: warning: …` in the same way. */
void tr2_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

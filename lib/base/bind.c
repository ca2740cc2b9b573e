/* SPDX-License-Identifier: MIT */
/*
 * Call once, on a large stack, the functions of the C library that make no
 * system call. The start of a session itself calls the functions that make one.
 * In a lazily linked program, the dynamic linker looks a function up at its
 * first call. That takes some 3 KB of stack, 4 KB on processors with large
 * registers. A signal handler on a small stack of its own does not have this
 * room below the library's frames. Looking up all functions at the start
 * instead (-fno-plt) would cost programs that do not trace. This file is
 * compiled without builtin functions, so that each use is a call.
 */
#include "base/bind.h"

#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static __attribute__((format(printf, 2, 3))) int
print(char *to, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(to, 2, fmt, ap);
	va_end(ap);
	return n;
}

static size_t bind_strings(void)
{
	char text[8] = "";
	char *volatile s = text; /* volatile: the compiler must not know the
				  * result */

	memset(s, 0, 1);
	memcpy(s, s + 1, 1);
	memmove(s, s + 1, 1);
	return strlen(s) + strnlen(s, 1) + strcspn(s, "a") + strspn(s, "a") +
	       (size_t)memcmp(s, s + 1, 1) + (size_t)strcmp(s, s + 1) +
	       (size_t)strncmp(s, s + 1, 1) +
	       (size_t)strncasecmp(s, s + 1, 1) + !memchr(s, 1, 1) +
	       !strchr(s, 'a') + !strrchr(s, 'a') +
	       (size_t)snprintf(s, 2, "%s", "a") + (size_t)print(s, "%s", "a");
}

void tr2_bind_libc(void)
{
	sigset_t set;
	size_t used;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	used = bind_strings() + (size_t)sigismember(&set, SIGPIPE);
	__asm__ volatile("" : : "r"(used));
}

/* SPDX-License-Identifier: MIT */
/* What the adapter uses of Git: declarations, written for the test. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ALLOC_ARRAY(p, n) ((p) = calloc((n), sizeof(*(p))))
#define COPY_ARRAY(to, from, n) memcpy(to, from, (n) * sizeof(*(to)))
void trace_git_fsync_stats(void);

struct strbuf {
	char *buf;
};

/* Git has this macro, too, and includes the header of the library behind it. */
int error(const char *fmt, ...);
#define error(...) (error(__VA_ARGS__), -1)

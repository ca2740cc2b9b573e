/* SPDX-License-Identifier: MIT */
/* say - print error messages and warnings on one line. */
#include "common/say.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/text.h"

/* Print one line, with control characters escaped: a message may contain names
 * of files from a directory in which anybody can create files. */
__attribute__((format(printf, 2, 0))) static void
say(const char *prefix, const char *fmt, va_list ap)
{
	struct tr2_buf said = TR2_BUF_INIT, shown = TR2_BUF_INIT;

	fflush(stdout);
	tr2_buf_vaddf(&said, fmt, ap);
	tr2_text_add(&shown, tr2_buf_str(&said), said.len);
	fprintf(stderr, "%s%s\n", prefix, tr2_buf_str(&shown));
	tr2_buf_release(&said);
	tr2_buf_release(&shown);
}

void tr2_verror(const char *fmt, va_list ap)
{
	say("trace2: ", fmt, ap);
}

void tr2_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tr2_verror(fmt, ap);
	va_end(ap);
}

void tr2_warning(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("trace2: warning: ", fmt, ap);
	va_end(ap);
}

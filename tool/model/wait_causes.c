/* SPDX-License-Identifier: MIT */
/* wait_causes - look up functions in the table of wait_causes.def. */
#include "model/wait_causes.h"

#include <string.h>

#include "base/macros.h"

struct row {
	const char *name;
	size_t len;
};

static const struct {
	struct row row;
	enum tr2_cause cause;
} causes[] = {
#define WAIT_CAUSE(name, cause) \
	{ { #name, sizeof(#name) - 1 }, TR2_CAUSE_##cause },
#define PAGE_FAULT(name)
#include "model/wait_causes.def"
#undef WAIT_CAUSE
#undef PAGE_FAULT
};

static const struct row page_faults[] = {
#define WAIT_CAUSE(name, cause)
#define PAGE_FAULT(name) { #name, sizeof(#name) - 1 },
#include "model/wait_causes.def"
#undef WAIT_CAUSE
#undef PAGE_FAULT
};

static bool is_row(const struct row *row, const char *name, size_t len)
{
	return row->len == len && !memcmp(row->name, name, len);
}

/* Skip the prefix of system calls, which depends on the machine. */
static void skip_prefix(const char **name, size_t *len)
{
	static const struct row prefixes[] = {
#define PREFIX(text) { text "_sys_", sizeof(text "_sys_") - 1 }
		PREFIX("x64"),	 PREFIX("ia32"), PREFIX("arm64"),
		PREFIX("riscv"), PREFIX("s390x"), PREFIX("se"),
		PREFIX("do"),
#undef PREFIX
	};
	size_t i, skip;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		skip = prefixes[i].len - (sizeof("sys_") - 1);
		if (*len > prefixes[i].len &&
		    !memcmp(*name, prefixes[i].name, prefixes[i].len)) {
			*name += skip;
			*len -= skip;
			return;
		}
	}
}

struct tr2_wait_function tr2_wait_function(const char *name, size_t len)
{
	struct tr2_wait_function f = { .cause = TR2_CAUSE_other };
	const char *suffix;
	size_t i;

	for (; len && *name == '_'; name++)
		len--;
	suffix = memchr(name, '.', len);
	if (suffix)
		len = (size_t)(suffix - name);
	skip_prefix(&name, &len);
	for (i = 0; i < ARRAY_SIZE(page_faults) && !f.page_fault; i++)
		f.page_fault = is_row(&page_faults[i], name, len);
	for (i = 0; i < ARRAY_SIZE(causes) && !f.listed; i++) {
		f.listed = is_row(&causes[i].row, name, len);
		if (f.listed)
			f.cause = causes[i].cause;
	}
	f.futex = f.listed && len > 6 && !memcmp(name, "futex_", 6);
	return f;
}

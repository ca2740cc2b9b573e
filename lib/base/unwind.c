/* SPDX-License-Identifier: MIT */
#include "base/unwind.h"

#include <dlfcn.h>
#include <stddef.h>
#include <unwind.h>

/* Weak: a program that is linked statically has none, and need not. */
#pragma weak dlopen
#pragma weak dlsym

static _Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn fn, void *arg);
static _Unwind_Ptr (*get_ip)(struct _Unwind_Context *context);

struct walk {
	struct tr2_callchain *chain;
	const struct tr2_code *own;
	bool was_own; /* the frames before are those of this file */
};

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	uintptr_t ip = get_ip(context);

	if (!ip)
		return _URC_END_OF_STACK;
	if (walk->own && !walk->chain->nr) {
		if (ip - 1 >= (uintptr_t)walk->own->begin &&
		    ip - 1 < (uintptr_t)walk->own->end) {
			walk->was_own = true;
			return _URC_NO_REASON;
		}
		if (!walk->was_own)
			return _URC_NO_REASON;
	}
	walk->chain->ip[walk->chain->nr++] = ip;
	return walk->chain->nr < TR2_CALLCHAIN_MAX ? _URC_NO_REASON
						   : _URC_END_OF_STACK;
}

void tr2_unwind(struct tr2_callchain *chain, const struct tr2_code *own)
{
	struct walk walk = { chain, own, false };

	chain->nr = 0;
	if (backtrace)
		backtrace(take, &walk);
}

bool tr2_unwind_prepare(void)
{
	struct tr2_callchain chain;
	void *libgcc, *p;

	if (backtrace)
		return true;
	libgcc = dlopen ? dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!libgcc)
		return false;
	p = dlsym(libgcc, "_Unwind_GetIP");
	__builtin_memcpy(&get_ip, &p, sizeof(p));
	p = p ? dlsym(libgcc, "_Unwind_Backtrace") : NULL;
	__builtin_memcpy(&backtrace, &p, sizeof(p));
	/* What it does once, it does now. */
	tr2_unwind(&chain, NULL);
	return backtrace != NULL;
}

/* SPDX-License-Identifier: MIT */
/* Load libgcc's unwinder, and collect the return addresses of a stack. */
#include "base/unwind.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <unwind.h>

/*
 * Weak: a statically linked program may lack these functions. So may a program
 * with a glibc older than 2.34, which has them in a separate library. A test
 * for them makes the loader look them up at the start of each process. So only
 * a build with such a glibc contains the test.
 */
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose
#define HAS_DLOPEN true
#ifdef __GLIBC__
#if !__GLIBC_PREREQ(2, 34)
#undef HAS_DLOPEN
#define HAS_DLOPEN (dlopen != NULL)
#endif
#endif

static void *libgcc; /* what dlopen() returned for libgcc */

typedef _Unwind_Reason_Code backtrace_fn(_Unwind_Trace_Fn fn, void *arg);
/* `backtrace` is stored after `get_ip`: a thread that sees `backtrace` may call
 * both functions. */
static backtrace_fn *backtrace;
typedef _Unwind_Ptr get_ip_fn(struct _Unwind_Context *context);
static get_ip_fn *get_ip;

struct walk {
	struct tr2_callchain *chain;
	const struct tr2_code *own;
	bool was_own; /* the previous frame was in the code `own` */
};

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context,
				      void *arg)
{
	struct walk *walk = arg;
	uintptr_t ip = __atomic_load_n(&get_ip, __ATOMIC_RELAXED)(context);

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
	/* Acquire: pairs with the release in tr2_unwind_prepare(). */
	backtrace_fn *walk_back = __atomic_load_n(&backtrace, __ATOMIC_ACQUIRE);
	struct walk walk = { chain, own, false };

	chain->nr = 0;
	if (walk_back)
		walk_back(take_frame, &walk);
}

/* Find out whether the program, which is the first object, has no dynamic
 * linker. */
static int look_at_program(struct dl_phdr_info *info, size_t size_bytes,
			   void *is_static)
{
	unsigned int i;

	(void)size_bytes;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			*(bool *)is_static = false;
	return 1;
}

/*
 * A statically linked program could load libgcc only together with a second C
 * library, of the version that it was linked with. glibc would try, and the
 * program may crash.
 */
static bool is_static(void)
{
	bool result = true;

	dl_iterate_phdr(look_at_program, &result);
	return result;
}

void tr2_unwind_release(void)
{
	__atomic_store_n(&backtrace, NULL, __ATOMIC_RELEASE);
	if (libgcc)
		dlclose(libgcc);
	libgcc = NULL;
}

/*
 * Two threads may run this function at once, with the same result. Take no
 * lock: a fork might leave it locked in the child.
 */
const char *tr2_unwind_prepare(void)
{
	struct tr2_callchain chain;
	backtrace_fn *walk_back;
	get_ip_fn *look;
	void *p;

	if (__atomic_load_n(&backtrace, __ATOMIC_ACQUIRE))
		return NULL;
	if (is_static())
		return "the program is linked statically";
	libgcc = HAS_DLOPEN ? dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL)
			    : NULL;
	if (!libgcc)
		return "there is no libgcc_s.so.1";
	p = dlsym(libgcc, "_Unwind_GetIP");
	__builtin_memcpy(&look, &p, sizeof(p));
	__atomic_store_n(&get_ip, look, __ATOMIC_RELAXED);
	p = p ? dlsym(libgcc, "_Unwind_Backtrace") : NULL;
	__builtin_memcpy(&walk_back, &p, sizeof(p));
	__atomic_store_n(&backtrace, walk_back, __ATOMIC_RELEASE);
	/* Unwind once now, so that libgcc does its one-time work. */
	tr2_unwind(&chain, NULL);
	return chain.nr ? NULL : "libgcc_s.so.1 finds none";
}

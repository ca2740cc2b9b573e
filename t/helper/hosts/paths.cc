/* SPDX-License-Identifier: MIT */
/*
 * `paths VERB [N]`: call paths in C++ to one counter, demo/steps: through an
 * inlined function, N recursive calls, mutual recursion, a lambda, generated
 * code.
 */
#include "trace2.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

TRACE2_COUNTER(demo_steps, "demo", "steps", 0);

#define OWN_FRAME __attribute__((noinline))
/* Prevent a tail call. */
#define STAY __asm__ volatile("" ::: "memory")

namespace zoo {

template <typename T> struct Animal {
	T eaten;

	__attribute__((always_inline)) void eat(T n)
	{
		eaten += n;
		trace2_counter_add(demo_steps, 1);
	}

	OWN_FRAME void feast(int meals)
	{
		for (int i = 0; i < meals; i++)
			eat(i);
		STAY;
	}
};

static OWN_FRAME void recurse(int n, Animal<long> &animal)
{
	if (n > 1)
		recurse(n - 1, animal);
	else
		animal.feast(1);
	STAY;
}

static OWN_FRAME void ping(int n, Animal<long> &animal);

static OWN_FRAME void pong(int n, Animal<long> &animal)
{
	ping(n - 1, animal);
	STAY;
}

static OWN_FRAME void ping(int n, Animal<long> &animal)
{
	if (n > 1)
		pong(n - 1, animal);
	else
		animal.feast(1);
	STAY;
}

} // namespace zoo

static OWN_FRAME void from_made_code(void)
{
	trace2_counter_add(demo_steps, 1);
	STAY;
}

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static int make_code(void)
{
#ifdef __x86_64__
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5,
					      0xff, 0xd7, 0x5d, 0xc3 };
	void *p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*call)(void (*)(void));

	if (p == MAP_FAILED)
		return 1;
	memcpy(p, code, sizeof(code));
	memcpy(&call, &p, sizeof(p));
	call(from_made_code);
	return 0;
#else
	return 1;
#endif
}

int main(int argc, char **argv)
{
	zoo::Animal<long> animal = { 0 };
	const char *verb = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 1, code = 0;
	auto lambda = [&animal](int meals) OWN_FRAME {
		animal.feast(meals);
		STAY;
	};

	trace2_initialize();
	trace2_cmd_start(argv);
	if (!strcmp(verb, "inlined"))
		animal.feast(n);
	else if (!strcmp(verb, "recursion"))
		zoo::recurse(n, animal);
	else if (!strcmp(verb, "both"))
		zoo::ping(n, animal);
	else if (!strcmp(verb, "lambda"))
		lambda(n);
	else if (!strcmp(verb, "made-code"))
		code = make_code();
	return trace2_cmd_exit(code);
}

/* SPDX-License-Identifier: MIT */
/*
 * The functions that libFuzzer calls; it contains main(). --fuzzer=NAME selects
 * one (libFuzzer ignores options with two dashes), --list lists them.
 */
#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct fuzzer *fuzzer;

static void list(void)
{
	const struct fuzzer *f;

	for (f = fuzzers; f->name; f++)
		printf("%s %zu\n", f->name, f->max_bytes);
	exit(0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char option[] = "--fuzzer=";
	int i;

	for (i = 1; i < *argc; i++) {
		if (!strcmp((*argv)[i], "--list"))
			list();
		if (!strncmp((*argv)[i], option, strlen(option)))
			fuzzer = fuzz_find((*argv)[i] + strlen(option));
	}
	if (!fuzzer) {
		fputs("fuzz: which one? --fuzzer=NAME; --list lists them\n",
		      stderr);
		exit(2);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };

	fuzzer->run(&in);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * replay NAME FILE...: run the fuzzer on each file and print their number; a
 * failed condition ends it by SIGABRT. Without arguments it lists the fuzzers.
 */
#include "fuzz.h"

static int list(void)
{
	const struct fuzzer *f;

	for (f = fuzzers; f->name; f++)
		printf("%s\t%s\n", f->name, f->what);
	return 0;
}

/* Read a file into memory of exactly its size, so that a sanitizer detects a
 * read past it. NULL: errno. */
static unsigned char *slurp(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	unsigned char *data = NULL;
	long end = -1;

	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END) && (end = ftell(f)) >= 0 &&
	    !fseek(f, 0, SEEK_SET)) {
		data = malloc(end ? (size_t)end : 1);
		*size = data ? fread(data, 1, (size_t)end, f) : 0;
	}
	fclose(f);
	return data;
}

int main(int argc, char **argv)
{
	const struct fuzzer *f;
	int i;

	if (argc < 2)
		return list();
	f = fuzz_find(argv[1]);
	if (!f) {
		fprintf(stderr, "replay: no fuzzer is called '%s'\n", argv[1]);
		return 2;
	}
	for (i = 2; i < argc; i++) {
		size_t size = 0;
		unsigned char *data = slurp(argv[i], &size);
		struct fuzz_input in = { data, size };

		if (!data) {
			fprintf(stderr, "replay: cannot read '%s': %s\n",
				argv[i], strerror(errno));
			return 2;
		}
		fprintf(stderr, "# %s\n", argv[i]);
		f->run(&in);
		free(data);
	}
	printf("%s: %d inputs\n", f->name, argc - 2);
	return 0;
}

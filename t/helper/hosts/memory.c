/* SPDX-License-Identifier: MIT */
/*
 * `memory MB STEPS WORKERS OWN-MB WRITE-MB FILE-MB`: allocate MB in STEPS steps, map
 * a file of FILE-MB, and fork WORKERS. Each worker allocates OWN-MB and writes to
 * WRITE-MB of its parent's memory. All processes end when standard input ends.
 */
#include "../system.h"

static char *take(size_t mb)
{
	char *p = mmap(NULL, mb << 20, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	madvise(p, mb << 20, MADV_NOHUGEPAGE);
	memset(p, 1, mb << 20);
	return p;
}

static void map_file(size_t mb)
{
	FILE *f = tmpfile();
	volatile char *p;
	size_t i;

	if (!f || ftruncate(fileno(f), (off_t)(mb << 20)))
		exit(1);
	p = mmap(NULL, mb << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f),
		 0);
	if (p == MAP_FAILED)
		exit(1);
	for (i = 0; i < mb << 20; i += 4096)
		p[i] = 1;
}

static void until_end_of_input(void)
{
	char c;

	while (read(0, &c, 1) > 0)
		;
}

int main(int argc, char **argv)
{
	size_t number[6] = { 0 }, i;
	char **part;

	for (i = 0; i < 6 && i + 1 < (size_t)argc; i++)
		number[i] = (size_t)atoi(argv[i + 1]);
	part = calloc(number[1] + 1, sizeof(*part));
	for (i = 0; i < number[1]; i++)
		part[i] = take(number[0] / number[1]);
	for (i = 0; i < number[2]; i++)
		if (!fork()) {
			if (number[3])
				take(number[3]);
			memset(part[0], 2, number[4] << 20);
			until_end_of_input();
			_exit(0);
		}
	if (number[5])
		map_file(number[5]);
	until_end_of_input();
	while (wait(NULL) > 0)
		;
	free(part);
	return 0;
}

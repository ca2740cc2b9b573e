/* SPDX-License-Identifier: MIT */
/*
 * words FILE... - count words, and record the work with trace2: a region for
 * each file, its name as data, and the number of all words as a counter.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <trace2.h>

TRACE2_COUNTER(words_read, "words", "read", 0);

static unsigned long count_words(FILE *in)
{
	unsigned long nr = 0;
	int c, before = ' ';

	while ((c = getc(in)) != EOF) {
		nr += isspace(before) && !isspace(c);
		before = c;
	}
	return nr;
}

static int count_file(const char *path)
{
	FILE *in = fopen(path, "r");
	unsigned long nr;

	if (!in) {
		fprintf(stderr, "words: cannot read '%s'\n", path);
		trace2_cmd_error("cannot read '%s'", path);
		return 1;
	}
	trace2_region_enter("words", "file", NULL);
	nr = count_words(in);
	trace2_counter_add(words_read, nr);
	trace2_data_string("words", NULL, "path", path);
	trace2_region_leave("words", "file", NULL);
	fclose(in);
	printf("%lu %s\n", nr, path);
	return 0;
}

int main(int argc, char **argv)
{
	int i, failed = 0;

	trace2_initialize();
	trace2_cmd_start((const char **)argv);
	trace2_cmd_name("words");
	for (i = 1; i < argc; i++)
		failed |= count_file(argv[i]);
	return trace2_cmd_exit(failed);
}

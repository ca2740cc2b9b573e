/* SPDX-License-Identifier: MIT */
/* A piece of a line in a file that others may append to is overwritten only if
 * it is there, and nothing else is touched. */
#include "target/blank_torn_line.h"

#include "tap.h"

static char name[] = "/tmp/trace2-unit-blank-torn-line.XXXXXX";

static int fd; /* for appending, not for reading, as a target has it */

static void add(int to, const char *text)
{
	ok(write(to, text, strlen(text)) == (ssize_t)strlen(text), "append");
}

static bool blank(int from, const char *line)
{
	struct tr2_file_id id = { 0, 0 };
	struct stat st;

	if (!fstat(from, &st))
		id = tr2_file_id_of(&st);
	return tr2_blank_torn_line(from, &id, line, strlen(line));
}

static void contains(const char *want, const char *what)
{
	static char text[10000];
	int in = open(name, O_RDONLY);
	ssize_t n = read(in, text, sizeof(text));

	close(in);
	is_text(text, n > 0 ? (size_t)n : 0, want, what);
	ok(!ftruncate(fd, 0), "empty it");
}

static void test_pieces(void)
{
	static char line[3001], blanks[3002];

	add(fd, "whole\n");
	add(fd, "pie");
	ok(blank(fd, "pie"), "a piece behind a whole line");
	contains("whole\n  \n", "is blanks and a newline");
	add(fd, "p");
	ok(blank(fd, "p"), "a single byte");
	contains("\n", "is a newline");
	memset(line, 'x', 3000);
	memset(blanks, ' ', 2999);
	blanks[2999] = '\n';
	add(fd, line);
	ok(blank(fd, line), "more than a buffer");
	contains(blanks, "likewise");
}

static void test_others(void)
{
	int other = open(name, O_WRONLY | O_APPEND), same = dup(fd);

	add(fd, "piece");
	add(other, "other\n");
	ok(blank(fd, "piece"), "another process has appended");
	contains("    \nother\n", "its line stays");
	add(fd, "piece");
	add(same, "other\n");
	ok(!blank(fd, "piece"), "another used the descriptor");
	contains("pieceother\n", "nothing is changed");
	close(other);
	close(same);
}

static void test_no_files(void)
{
	int ends[2];

	ok(!pipe(ends), "a pipe");
	add(ends[1], "piece");
	ok(!blank(ends[1], "piece"), "has no place");
	ok(!blank(-1, "piece"), "no descriptor");
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	int made = mkstemp(name);

	fd = open(name, O_WRONLY | O_APPEND);
	if (made < 0 || fd < 0)
		return 1;
	close(made);
	test_pieces();
	test_others();
	test_no_files();
	unlink(name);
	return done_testing();
}

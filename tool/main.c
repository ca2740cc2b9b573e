/* SPDX-License-Identifier: MIT */
/*
 * trace2 - the command: find the subcommand and run it.
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "common/say.h"
#include "common/spell.h"
#include "out/term.h"
#include "record/elevate.h"
#include "record/job/elevated.h"

static int unknown_command(const char *name)
{
	struct tr2_spell spell = { .word = name, .limit = TR2_SPELL_LIMIT };
	const char *question;
	size_t i;

	for (i = 0; tr2_commands[i]; i++)
		tr2_spell_try(&spell, tr2_commands[i]->name);
	question = tr2_spell_question(&spell);
	tr2_error("'%s' is not a command%s", name,
		  *question ? question : ". 'trace2 help' lists them.");
	return TR2_EXIT_USAGE;
}

static int run_command(const struct tr2_command *c, int argc, char **argv)
{
	char **rest;
	int nr = tr2_options_parse(c, argc, argv, &rest), code;

	if (nr < 0)
		return nr == -1 ? 0 : TR2_EXIT_USAGE;
	tr2_term_start(tr2_common_color(), !tr2_common.no_pager &&
					   !(c->flags & TR2_COMMAND_NO_PAGER));
	code = c->run(nr, rest);
	tr2_term_end();
	return code;
}

/*
 * Return a failure if output could not be written, whatever code the command
 * returned.
 */
static int check_output(int code)
{
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	tr2_error("cannot write the output: %m");
	return TR2_EXIT_FATAL;
}

/* If the caller closed a standard stream, occupy its descriptor number: no file
 * may get the number, since output would be written into that file. Reading and
 * writing such a stream remains an error. */
static bool keep_standard_streams(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			return false;
	return true;
}

/* Let malloc() map blocks from this size on. The kernel enlarges a mapped block
 * by moving its pages, and gets the pages back when the block is freed. By
 * default, glibc raises the limit when a mapped block is freed, and then copies
 * growing arrays of up to 32 MiB. */
#define MAPPED_BYTES (1 << 20)

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "help";
	const struct tr2_command *c;

#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
#endif
	if (!keep_standard_streams())
		return TR2_EXIT_FATAL;
	if (!strcmp(name, "-h") || !strcmp(name, "--help"))
		name = "help";
	if (!strcmp(name, "--version") || !strcmp(name, "-v"))
		name = "version";
	if (!strcmp(name, TR2_ELEVATED))
		return tr2_elevated_serve();
	c = tr2_command_find(name);
	if (!c)
		return unknown_command(name);
	if (argc < 2)
		return run_command(c, argc, argv) ? TR2_EXIT_FATAL
						  : TR2_EXIT_USAGE;
	return check_output(run_command(c, argc - 1, argv + 1));
}

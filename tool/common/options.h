/* SPDX-License-Identifier: MIT */
/*
 * options - one table of options per command. It is used to parse the command
 * line, and to generate -h, the usage line, the option lists of the man pages
 * and the shell completion: all facts about an option are in its row.
 *
 * A command is a struct tr2_command in its file under tool/cmd/, named
 * tr2_command_NAME, and one row in tool/cmd/commands.def. The rows of its
 * option table point to static variables of that file, which receive the
 * values:
 *
 *	static bool verbose;
 *	static const struct tr2_option options[] = {
 *		{ 'v', "verbose", NULL, TR2_OPT_FLAG, &verbose,
 *		  "also show argv, directory and parameters" },
 *		TR2_OPT_END
 *	};
 *	static int run(int argc, char **argv);	argv: the other words, [0] first
 *	const struct tr2_command tr2_command_list = {
 *		"list", "[-v] [FILE...]", "one line a process", NULL,
 *		options, TR2_COMMON_INPUT | TR2_COMMON_FILTER, 0, run };
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The formats of a command's output. */
enum tr2_format {
	TR2_FORMAT_TEXT,
	TR2_FORMAT_JSON,
	TR2_FORMAT_CSV,
	TR2_FORMAT_MARKDOWN,
	TR2_FORMAT_PAGE /* the format of report --html; no option selects it */
};

/* The options that select processes and regions. model/filter.h implements
 * them. */
struct tr2_filter {
	const char *cmd, *sid, *region; /* NULL: any */
	int64_t pid;                    /* -1: any */
	int64_t min_ns;                 /* 0: any */
	int64_t since_ns, until_ns; /* wall times; INT64_MIN, INT64_MAX: no
				     * limit */
	int64_t depth;              /* -1: any */
};

#define TR2_FILTER_ANY                                                      \
	{                                                                   \
		.pid = -1, .depth = -1, .since_ns = INT64_MIN,              \
		.until_ns = INT64_MAX,                                      \
	}

enum tr2_opt_kind {
	TR2_OPT_FLAG,     /* bool */
	TR2_OPT_STRING,   /* the variable is a const char * */
	TR2_OPT_LIST,     /* the variable is a struct tr2_list, which collects
			   * all values */
	TR2_OPT_INT,      /* the variable is an int64_t, which is not
			   * negative */
	TR2_OPT_SIZE,     /* int64_t: a size in bytes; 10k 64M 2G (powers of
			   * 1024) */
	/* int64_t: a duration in nanoseconds; 1ms 20us 1.5s; without a unit:
	 * seconds */
	TR2_OPT_DURATION,
	TR2_OPT_TIME,     /* int64_t: a wall time in nanoseconds; HH:MM[:SS],
			   * ISO 8601, or a duration before now */
	TR2_OPT_PERCENT,  /* double: a share; 5% and 0.05 are 0.05; 5 is
			   * invalid */
	TR2_OPT_HEADING   /* not an option: a heading in the help */
};

struct tr2_list {
	const char **item;
	size_t nr;
};

struct tr2_option {
	int letter;       /* the letter; 0: the option has only a name */
	const char *name; /* the name; NULL: the option has only a letter */
	const char *arg;  /* name of the value; NULL: a flag. In square
			   * brackets: the value is optional (long form only) */
	enum tr2_opt_kind kind;
	void *value;
	const char *help; /* one sentence without a full stop */
	/* the valid values: "a|b|c:KEY" stands for a, b, and c: with any text;
	 * NULL: any value */
	const char *choices;
};

#define TR2_OPT_END { 0, NULL, NULL, TR2_OPT_HEADING, NULL, NULL, NULL }

/* Groups of options that several commands share. The values are in
 * tr2_common. */
#define TR2_COMMON_INPUT (1u << 0)  /* -i */
#define TR2_COMMON_OUTPUT (1u << 1) /* -o */
#define TR2_COMMON_FORMAT (1u << 2) /* --format --color --no-pager */
#define TR2_COMMON_FILTER (1u << 3) /* --cmd --sid --pid -N -t --since … */
#define TR2_COMMON_MARKDOWN (1u << 4) /* together with TR2_COMMON_FORMAT: also
				       * --format=md */

/* More properties of a command. */
/* Stop at the first word that is not an option. */
#define TR2_COMMAND_STOP (1u << 0)
#define TR2_COMMAND_NO_PAGER (1u << 1)

struct tr2_common {
	struct tr2_list input;  /* the values of -i; empty: trace2.data */
	const char *output;     /* the value of -o; NULL: not given */
	enum tr2_format format;
	const char *color;      /* "auto", "always", "never" */
	bool no_pager;
	struct tr2_filter filter;
};
extern struct tr2_common tr2_common;

/* Return the argument for tr2_term_start(): NULL unless the format is text. */
static inline const char *tr2_common_color(void)
{
	return tr2_common.format == TR2_FORMAT_TEXT ? tr2_common.color : NULL;
}

struct tr2_command {
	const char *name;
	const char *synopsis; /* the usage after `trace2 NAME`, without common
			       * options */
	const char *summary;  /* one line in `trace2 help` */
	const char *details;  /* a paragraph below the options, or NULL */
	const struct tr2_option *options;
	unsigned int common; /* TR2_COMMON_… */
	unsigned int flags;  /* TR2_COMMAND_… */
	/* The function that runs the command. argv[0..argc): the words after
	 * the options; argv[argc] is NULL. It returns the exit code: 0 or
	 * TR2_EXIT_…. */
	int (*run)(int argc, char **argv);
};

#define TR2_EXIT_FOUND 1   /* exit code of check and diff: problems or
			    * differences were found */
#define TR2_EXIT_USAGE 2
#define TR2_EXIT_FATAL 128

/*
 * Parse the options of argv (argv[0]: the command's name). Return the number of
 * other words, which begin at *rest; -1: the command line had -h, which was
 * handled; -2: a usage error was printed.
 */
int tr2_options_parse(const struct tr2_command *c, int argc, char **argv,
		      char ***rest);

/* tr2_options_usage(): append the usage, wrapped to 80 columns.
 * tr2_options_help(): append the usage and the options, as -h shows them. */
struct tr2_buf;
void tr2_options_usage(const struct tr2_command *c, struct tr2_buf *out);
void tr2_options_help(const struct tr2_command *c, struct tr2_buf *out);
/* Append the synopsis and the options as parts of a man page in asciidoc, each
 * in a tag. */
void tr2_options_asciidoc(const struct tr2_command *c, struct tr2_buf *out);

/* Append text from column `from` on, wrapped between words, and a newline. */
void tr2_options_add_wrapped(struct tr2_buf *b, const char *text, size_t from);

#define TR2_MAX_OPTIONS 64
/* List all rows of a command in the order of its help, including headings and
 * common options. Return the number of rows. */
size_t tr2_options_list(const struct tr2_command *c,
			const struct tr2_option *out[TR2_MAX_OPTIONS]);

/* Print an error as tr2_error() does, and the usage of the command whose
 * options were parsed last. Return TR2_EXIT_USAGE. */
int tr2_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A rule for a command line, and the error for a command line that breaks
 * it. */
struct tr2_rule {
	bool broken;
	const char *message;
};
/* Report the first broken rule with tr2_usage_error(). Return 0 or
 * TR2_EXIT_USAGE. */
int tr2_usage_check(const struct tr2_rule *rules, size_t nr);

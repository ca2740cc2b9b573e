/* SPDX-License-Identifier: MIT */
/*
 * test-tool config: tests the library's config reader.
 *
 * `list` prints the keys of one file as `git config --list` does; `settings`
 * and `all` print those of the files that the library reads by itself. `set`
 * and `unset` write files that Git can read: they keep all keys in their order,
 * but write the file anew, so comments and layout are lost.
 */
#include "config/config.h"
#include "test-tool.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CODE_NOT_SET 5 /* as of `git config --unset` */

static const char *file; /* given with --file */

static const char *need_file(void)
{
	if (!file)
		tool_usage_error("needs --file <file>");
	return file;
}

static void tell_fault(void *cookie, const struct tr2_config_fault *fault)
{
	(void)cookie;
	if (fault->line)
		tool_error("cannot read '%s': line %u: %s", fault->path,
			   fault->line, fault->reason);
	else
		tool_error("cannot read '%s': %s", fault->path, fault->reason);
}

static void report_param(void *cookie, const struct tr2_config_entry *entry)
{
	(void)cookie;
	if (trace2_wants_config(entry->key))
		trace2_def_param(entry->key, entry->value, TRACE2_SCOPE_LOCAL);
}

void tool_report_repository(void)
{
	const struct tr2_config_request request = { .entry = report_param };

	tr2_config_read_file(&request, TR2_CONFIG_GLOBAL, ".git/config");
}

/* The format of list. */
struct format {
	bool scope;
	bool nul;
	const char *patterns;
};

static void print_entry(void *cookie, const struct tr2_config_entry *entry)
{
	const struct format *format = cookie;

	if (format->patterns && !tr2_config_match(format->patterns, entry->key))
		return;
	if (format->scope)
		printf("%s\t", tr2_config_scope_name(entry->scope));
	fputs(entry->key, stdout);
	if (entry->value)
		printf("%c%s", format->nul ? '\n' : '=', entry->value);
	putchar(format->nul ? '\0' : '\n');
}

static int verb_list(int argc, const char **argv)
{
	struct format format = { 0 };
	struct tr2_config_request request = {
		.entry = print_entry, .fault = tell_fault, .cookie = &format,
		.no_includes = true,
	};
	int err;

	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "-z"))
			format.nul = true;
		else if (!strcmp(argv[i], "--includes"))
			request.no_includes = false;
		else
			tool_usage_error("unknown option '%s'", argv[i]);
	}
	err = tr2_config_read_file(&request, TR2_CONFIG_GLOBAL, need_file());
	if (err == -ENOENT)
		tool_error("cannot read '%s': no such file", file);
	return err ? TOOL_CODE_DIE : 0;
}

static int verb_settings(int argc, const char **argv)
{
	struct format format = { .scope = true };
	bool unchecked = argc && !strcmp(argv[0], "--unchecked");
	const struct tr2_config_request request = {
		.entry = print_entry, .fault = tell_fault, .cookie = &format,
		.section = argc ? argv[argc - 1] : NULL,
		.thorough = !unchecked,
	};

	if (argc == 2 && !unchecked)
		tool_usage_error("unknown option '%s'", argv[0]);
	if (argc == 1 && unchecked)
		tool_usage_error("--unchecked needs a section");
	tr2_config_read(&request);
	return 0;
}

static int verb_all(int argc, const char **argv)
{
	struct format format = { .scope = true };
	const struct tr2_config_request request = {
		.entry = print_entry, .fault = tell_fault, .cookie = &format,
	};

	format.patterns = argc ? argv[0] : NULL;
	tr2_config_read(&request);
	return 0;
}

static char *copy_text(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(tool_alloc(size, 1), text, size);
}

struct entry {
	struct entry *next;
	char *key;
	char *value; /* NULL: none */
};

static struct entry *new_entry(const char *key, const char *value,
			       struct entry *next)
{
	struct entry *e = tool_alloc(1, sizeof(*e));

	e->key = copy_text(key);
	e->value = value ? copy_text(value) : NULL;
	e->next = next;
	return e;
}

/* Free the entry and return the next one. */
static struct entry *drop_entry(struct entry *e)
{
	struct entry *next = e->next;

	free(e->key);
	free(e->value);
	free(e);
	return next;
}

static void append_entry(void *cookie, const struct tr2_config_entry *entry)
{
	struct entry ***tail = cookie;

	**tail = new_entry(entry->key, entry->value, NULL);
	*tail = &(**tail)->next;
}

/* The reader cuts keys at a NUL, so that they could not be written again. */
static void refuse_nul(void)
{
	FILE *f = fopen(need_file(), "r");
	int c;

	if (!f)
		return;
	while ((c = getc(f)) != EOF)
		if (!c)
			tool_die("'%s' holds NUL bytes: it is left as it is",
				 file);
	fclose(f);
}

/* Return the keys of the file; none if it is missing. */
static struct entry *load_entries(void)
{
	struct entry *list = NULL;
	struct entry **tail = &list;
	const struct tr2_config_request request = {
		.entry = append_entry, .fault = tell_fault, .cookie = &tail,
		.no_includes = true,
	};
	int err;

	refuse_nul();
	err = tr2_config_read_file(&request, TR2_CONFIG_GLOBAL, file);
	if (err && err != -ENOENT)
		tool_die("'%s' is left as it is", file);
	return list;
}

/* Return the length of the key's section and subsection. */
static size_t section_len(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? (size_t)(dot - key) : 0;
}

static bool same_section(const char *a, const char *b)
{
	size_t len = section_len(a);

	return len == section_len(b) && !memcmp(a, b, len);
}

static void write_escaped(FILE *f, const char *text, size_t len,
			  const char *controls)
{
	for (size_t i = 0; i < len; i++) {
		const char *found = strchr(controls, text[i]);

		if (text[i] == '"' || text[i] == '\\')
			fputc('\\', f);
		if (found)
			fprintf(f, "\\%c", "ntb"[found - controls]);
		else
			fputc(text[i], f);
	}
}

static void write_section(FILE *f, const char *key)
{
	size_t len = section_len(key);
	size_t first = strcspn(key, ".");

	fprintf(f, "[%.*s", (int)first, key);
	if (first < len) {
		fputs(" \"", f);
		write_escaped(f, key + first + 1, len - first - 1, "");
		fputc('"', f);
	}
	fputs("]\n", f);
}

static void write_value(FILE *f, const char *value)
{
	size_t len = strlen(value);
	bool quote = strpbrk(value, "#;\r\n\t\b\"\\") || *value == ' ' ||
		     (len && value[len - 1] == ' ');
	const char *mark = quote ? "\"" : "";

	fprintf(f, " = %s", mark);
	write_escaped(f, value, len, "\n\t\b");
	fputs(mark, f);
}

static void write_entries(FILE *f, const struct entry *list)
{
	const struct entry *before = NULL;

	for (const struct entry *e = list; e; before = e, e = e->next) {
		if (strchr(e->key, '.') &&
		    (!before || !same_section(before->key, e->key)))
			write_section(f, e->key);
		fprintf(f, "\t%s", strrchr(e->key, '.') ?
				   strrchr(e->key, '.') + 1 : e->key);
		if (e->value)
			write_value(f, e->value);
		fputc('\n', f);
	}
}

/* Replace the file atomically. */
static int save_entries(struct entry *list)
{
	size_t size = strlen(file) + 32;
	char *name = tool_alloc(size, 1);
	struct stat st;
	bool failed;
	FILE *f;

	snprintf(name, size, "%s.new.%ld", file, (long)getpid());
	f = fopen(name, "wx");
	if (!f)
		tool_die("cannot write '%s': %s", name, strerror(errno));
	if (!stat(file, &st))
		fchmod(fileno(f), st.st_mode & 07777);
	write_entries(f, list);
	failed = ferror(f);
	if (fclose(f) || failed || rename(name, file)) {
		int err = errno;

		unlink(name);
		tool_die("cannot write '%s': %s", file, strerror(err));
	}
	free(name);
	while (list)
		list = drop_entry(list);
	return 0;
}

static bool is_key_char(char c)
{
	return isascii(c) && (isalnum(c) || c == '-');
}

/* Lowercase section and variable: up to the first dot, and after the last
 * one. */
static bool make_canonical(char *key)
{
	char *first = strchr(key, '.');
	char *last = strrchr(key, '.');

	if (!first || last == key || !isascii(last[1]) || !isalpha(last[1]))
		return false;
	for (char *p = key; *p; p++) {
		if (p >= first && p <= last) {
			if (*p == '\n')
				return false;
			continue;
		}
		if (!is_key_char(*p))
			return false;
		*p = (char)tolower(*p);
	}
	return true;
}

static char *canonical_key(const char *text)
{
	char *key = copy_text(text);

	if (!make_canonical(key))
		tool_usage_error("'%s' is no key: "
				 "it is not of the form section.variable",
				 text);
	return key;
}

/* Replace the last value, or add one to the section, or at the end. */
static int verb_set(int argc, const char **argv)
{
	char *key = canonical_key(argv[0]);
	struct entry *list = load_entries();
	struct entry **last = NULL;
	struct entry **where = &list;
	bool in_section = false;

	(void)argc;
	for (struct entry **p = &list; *p; p = &(*p)->next) {
		if (!strcmp((*p)->key, key))
			last = p;
		if (same_section((*p)->key, key) && strchr((*p)->key, '.'))
			in_section = true;
		else if (in_section)
			continue;
		where = &(*p)->next;
	}
	if (last)
		*last = new_entry(key, argv[1], drop_entry(*last));
	else
		*where = new_entry(key, argv[1], *where);
	free(key);
	return save_entries(list);
}

/* Remove all values. */
static int verb_unset(int argc, const char **argv)
{
	char *key = canonical_key(argv[0]);
	struct entry *list = load_entries();
	struct entry **p = &list;
	int code = CODE_NOT_SET;

	(void)argc;
	while (*p) {
		if (strcmp((*p)->key, key)) {
			p = &(*p)->next;
			continue;
		}
		*p = drop_entry(*p);
		code = 0;
	}
	free(key);
	if (!code)
		return save_entries(list);
	while (list)
		list = drop_entry(list);
	return code;
}

static int verb_bool(int argc, const char **argv)
{
	int truth;

	if (tr2_config_bool(argc ? argv[0] : NULL, &truth)) {
		tool_error("'%s' is no boolean", argv[0]);
		return TOOL_CODE_DIE;
	}
	puts(truth ? "true" : "false");
	return 0;
}

static int verb_int(int argc, const char **argv)
{
	int number;
	int err = tr2_config_int(argc ? argv[0] : NULL, &number);

	if (err) {
		tool_error("'%s' is no number: %s", argc ? argv[0] : "",
			   err == -ERANGE ? "out of range" : "malformed");
		return TOOL_CODE_DIE;
	}
	printf("%d\n", number);
	return 0;
}

static int verb_match(int argc, const char **argv)
{
	(void)argc;
	return tr2_config_match(argv[0], argv[1]) ? 0 : 1;
}

static const struct tool_verb verbs[] = {
	{ "list", "[-z] [--includes]  (after --file <file>)", 0, 2,
	  verb_list },
	{ "set", "<key> <value>  (after --file <file>)", 2, 2, verb_set },
	{ "unset", "<key>  (after --file <file>)", 1, 1, verb_unset },
	{ "settings", "[[--unchecked] <section>]", 0, 2, verb_settings },
	{ "all", "[<patterns>]", 0, 1, verb_all },
	{ "bool", "[<value>]", 0, 1, verb_bool },
	{ "int", "[<value>]", 0, 1, verb_int },
	{ "match", "<patterns> <key>", 2, 2, verb_match },
	{ NULL, NULL, 0, 0, NULL },
};

int tr2_cmd_config(int argc, const char **argv)
{
	static const struct tool_verb *const tables[] = { verbs, NULL };

	if (argc > 2 && !strcmp(argv[1], "--file")) {
		file = argv[2];
		argv[2] = argv[0];
		argv += 2;
		argc -= 2;
	}
	return tool_run_verb(tables, argc, argv);
}

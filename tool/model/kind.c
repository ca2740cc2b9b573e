/* SPDX-License-Identifier: MIT */
/* kind - derive the kind of a process from its name and its words. */
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/macros.h"
#include "common/memory.h"
#include "model/kind.h"

/* Interpreters. Their first word that is not an option names the program to
 * run. */
static const struct {
	const char *name; /* a * at one end stands for any text */
	/* Letters of options that have a value. inlines: the value is the
	 * program, or its module. takes: the value is attached, or is the next
	 * word. attached: the value is always attached. */
	const char *inlines, *takes, *attached;
} interpreters[] = {
	{ "*sh", "c", "oO", "" },
	{ "perl*", "eE", "I", "MmiCDx0lF" },
	{ "python*", "cm", "WX", "" },
	{ "ruby*", "e", "rI", "" },
	{ "node", "ep", "r", "" },
	{ "php*", "r", "dc", "" },
	{ "lua*", "e", "l", "" },
};

/* Programs that are not shells, although their names end in "sh". */
static const char *const no_shells[] = { "ssh", "rsh", "mosh", "hash", "crash",
					 "trash", "push", "flush", "wish",
					 "tclsh", "slogin-sh" };

/* Does the program have this name? A report asks this for each process:
 * fnmatch() would be much slower. */
static bool is_called(const char *program, size_t len, const char *name)
{
	size_t want = strlen(name);

	if (*name == '*')
		return len >= want - 1 &&
		       !strcmp(program + len - (want - 1), name + 1);
	if (name[want - 1] == '*')
		return !strncmp(program, name, want - 1);
	return !strcmp(program, name);
}

static bool is_interpreter(size_t i, const char *program, size_t len)
{
	size_t k;

	if (!is_called(program, len, interpreters[i].name))
		return false;
	for (k = 0; k < ARRAY_SIZE(no_shells); k++)
		if (!strcmp(program, no_shells[k]))
			return false;
	return true;
}

/* Return the length of a program's last part without .exe, and set *base to its
 * start. */
static size_t base_of(const char *program, const char **base)
{
	size_t len;

	*base = tr2_base_name(program);
	len = strlen(*base);
	return len > 4 && !strcasecmp(*base + len - 4, ".exe") ? len - 4 : len;
}

static void add_base(struct tr2_buf *out, const char *word)
{
	const char *base;
	size_t len = base_of(word, &base);

	/* a login shell */
	if (len > 1 && *base == '-') {
		base++;
		len--;
	}
	tr2_buf_add(out, base, len);
}

/* Return Git's command: the first word that is not an option of Git; NULL:
 * none. */
static const char *git_verb(const struct tr2_words *words)
{
	static const char *const takes[] = { "-C", "-c", "--git-dir",
					     "--work-tree", "--namespace",
					     "--config-env" };
	bool is_value = false;
	const char *w;
	uint32_t i;
	size_t k;

	tr2_for_each_word(words, w, i) {
		if (i && *w != '-' && !is_value)
			return w;
		is_value = false;
		for (k = 0; k < ARRAY_SIZE(takes); k++)
			is_value |= !strcmp(w, takes[k]);
	}
	return NULL;
}

/* Append the option, such as ` -c`, if its value is the program itself. Set
 * *takes if the next word is the option's value. */
static bool add_inline(struct tr2_buf *out, size_t interpreter,
		       const char *word, bool *takes)
{
	const char *p;

	for (p = word + 1; *p && word[1] != '-'; p++) {
		if (strchr(interpreters[interpreter].attached, *p))
			return false;
		*takes = strchr(interpreters[interpreter].takes, *p) && !p[1];
		if (strchr(interpreters[interpreter].takes, *p))
			return false;
		if (!strchr(interpreters[interpreter].inlines, *p))
			continue;
		tr2_buf_addlit(out, " -");
		tr2_buf_addch(out, *p);
		return true;
	}
	return false;
}

/* Append the name of the script or, without a script, the option whose value is
 * the program. */
static void add_script(struct tr2_buf *out, size_t interpreter,
		       const struct tr2_words *words)
{
	bool is_value = false;
	const char *w;
	uint32_t i;

	tr2_for_each_word(words, w, i) {
		if (!i)
			continue;
		if (is_value) {
			is_value = false;
		} else if (*w != '-') {
			tr2_buf_addch(out, ' ');
			add_base(out, w);
			return;
		} else if (add_inline(out, interpreter, w, &is_value)) {
			return;
		}
	}
}

/* Append the name of the program and, for an interpreter, the name of its
 * script. */
static void add_program(struct tr2_buf *out, const struct tr2_words *words)
{
	static struct tr2_buf program; /* later calls reuse its memory */
	const char *name, *verb;
	size_t i;

	tr2_buf_reset(&program);
	add_base(&program, words->text);
	name = tr2_buf_str(&program);
	verb = strcmp(name, "git") != 0 ? NULL : git_verb(words);
	if (!strncmp(name, "git-", 4) && name[4])
		tr2_buf_addall(out, "git ", name + 4);
	else
		tr2_buf_addall(out, name, verb ? " " : "", verb ? verb : "");
	for (i = 0; i < ARRAY_SIZE(interpreters); i++) {
		if (!is_interpreter(i, name, program.len))
			continue;
		add_script(out, i, words);
		break;
	}
}

/* Append the program of a process with events, and its name. */
static void add_named(struct tr2_buf *out, const struct tr2_model_session *s,
		      const char *name)
{
	const char *base = "";
	size_t len = 0;

	if (s->argv.nr)
		len = base_of(s->argv.text, &base);
	if (len > 4 && !strncmp(base, "git-", 4))
		len = 3;
	tr2_buf_add(out, base, len);
	if (len != strlen(name) || memcmp(base, name, len) != 0)
		tr2_buf_addall(out, len ? " " : "", name);
}

/* Append the kind of a command line that is one word for a shell. Leave out the
 * shell. */
static void add_line(struct tr2_buf *out, const char *line)
{
	static struct tr2_buf program; /* later calls reuse its memory */
	const char *base;
	size_t len;

	tr2_buf_reset(&program);
	tr2_buf_add(&program, line, strcspn(line, " \t\n;|&"));
	len = base_of(tr2_buf_str(&program), &base);
	tr2_buf_add(out, base, len);
	line += strcspn(line, " ");
	if (len == 3 && !memcmp(base, "git", 3) && *line && line[1] != '-')
		tr2_buf_add(out, line, 1 + strcspn(line + 1, " \t\n;|&"));
}

static void add_last(const struct tr2_model *m, uint32_t node,
		     struct tr2_buf *out)
{
	const struct tr2_node *n = &m->nodes[node];
	const struct tr2_child *c = &m->children[n->child];
	const struct tr2_model_session *s =
		&m->sessions[tr2_node_session(m, node)];
	const struct tr2_words *words = tr2_node_words(m, node);
	const char *name = tr2_s(m, s->name);

	/* Names like _run_dashed_ denote a code path, not a command. */
	if (*name && *name != '_')
		add_named(out, s, name);
	else if (!n->session && c->hook)
		tr2_buf_addstr(out, tr2_s(m, c->hook));
	else if (words == &c->argv && c->use_shell && words->nr == 1)
		add_line(out, words->text);
	else if (words->nr && *words->text)
		add_program(out, words);
	else
		tr2_buf_addstr(out, tr2_node_name(m, node));
}

void tr2_kind_add(const struct tr2_model *m, uint32_t node, uint32_t segment,
		  struct tr2_buf *out)
{
	const struct tr2_segment *s = &m->segments[segment];

	if (!segment)
		add_last(m, node, out);
	else if (s->argv.nr && *s->argv.text)
		add_program(out, &s->argv);
	else
		tr2_buf_addstr(out, s->comm ? tr2_s(m, s->comm) : "?");
	tr2_must(!out->failed);
}

size_t tr2_kind_interpreter(const char *kind)
{
	size_t len = strcspn(kind, " "), i;
	static struct tr2_buf program; /* later calls reuse its memory */

	if (!kind[len] || kind[len + 1] == '-')
		return 0;
	tr2_buf_reset(&program);
	tr2_buf_add(&program, kind, len);
	for (i = 0; i < ARRAY_SIZE(interpreters); i++)
		if (is_interpreter(i, tr2_buf_str(&program), len))
			return len;
	return 0;
}

tr2_str tr2_kind(struct tr2_model *m, uint32_t node, uint32_t segment)
{
	static struct tr2_buf b; /* later calls reuse its memory */

	tr2_buf_reset(&b);
	tr2_kind_add(m, node, segment, &b);
	return tr2_intern(m, b.p, b.len);
}

/* SPDX-License-Identifier: MIT */
/* targets - join processes with ninja's log, and read command lines. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "common/map.h"
#include "common/memory.h"
#include "model/private.h"
#include "model/join/ninja_hash.h"
#include "model/join/recipes.h"
#include "model/join/targets.h"

static uint64_t key_of(uint32_t task, uint64_t hash)
{
	return tr2_mix(hash, task) | 1;
}

/* Index the commands of the last build. A command that made several files gets
 * the first of them by name. A log also has the files of earlier builds, sorted
 * by their ends. */
static void index_commands(struct tr2_model *m, struct tr2_map *map)
{
	uint32_t i, *slot;

	for (i = 1; i < m->nr_commands; i++) {
		const struct tr2_build_command *new = &m->commands[i], *old;

		if (!new->task)
			continue;
		slot = tr2_map_slot(map, key_of(new->task, new->hash));
		old = &m->commands[*slot];
		if (!*slot || old->from_ms != new->from_ms ||
		    old->to_ms != new->to_ms ||
		    strcmp(tr2_s(m, new->target), tr2_s(m, old->target)) < 0)
			*slot = i;
	}
}

static const char *word_at(const struct tr2_words *words, uint32_t at)
{
	const char *w;
	uint32_t i;

	tr2_for_each_word(words, w, i)
		if (i == at)
			return w;
	return "";
}

/* Return the file that this command made, by the log of the task `ninja`; NULL:
 * none. */
static const char *logged(const struct tr2_model *m, const struct tr2_map *map,
			  uint32_t ninja, const struct tr2_words *words)
{
	const char *command = word_at(words, 2);
	const struct tr2_build_command *found;
	unsigned int version;
	uint64_t hash;

	if (!ninja || words->nr != 3 || words->cut ||
	    strcmp(word_at(words, 1), "-c"))
		return NULL;
	for (version = 6; version <= 7; version++) {
		hash = tr2_ninja_hash(version, command, strlen(command));
		found = &m->commands[tr2_map_get(map, key_of(ninja, hash))];
		if (found->task == ninja && found->hash == hash &&
		    found->version == version)
			return tr2_s(m, found->target);
	}
	return NULL;
}

static bool is_one_of(const char *name, size_t len, const char *const *list,
		      size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (strlen(list[i]) == len && !memcmp(list[i], name, len))
			return true;
	return false;
}

/* Is the word a compiler? x86_64-linux-gnu-g++-12 counts as g++. */
static bool is_compiler(const char *word)
{
	static const char *const names[] = {
		"cc", "c++", "c89", "c99", "gcc", "g++", "clang", "clang++",
		"gfortran", "flang", "nvcc", "hipcc", "icx", "icpx", "gdc",
		"ldc2", "gccgo", "rustc", "swiftc", "ld", "lld", "gold", "mold",
	};
	const char *name = tr2_base_name(word), *dash;
	size_t len = strlen(name), version = len;

	while (version && strchr("0123456789.", name[version - 1]))
		version--;
	if (version && name[version - 1] == '-')
		len = version - 1;
	dash = memrchr(name, '-', len);
	return is_one_of(name, len, names, ARRAY_SIZE(names)) ||
	       (dash && is_one_of(dash + 1, (size_t)(name + len - dash - 1),
				  names, ARRAY_SIZE(names)));
}

static bool is_launcher(const char *word)
{
	static const char *const names[] = { "ccache", "sccache", "distcc",
					     "icecc", "gomacc" };
	const char *name = tr2_base_name(word);

	return is_one_of(name, strlen(name), names, ARRAY_SIZE(names));
}

/* Return the value of the option -o; NULL: no -o, or several with different
 * values. */
static const char *output_of(const struct tr2_words *words, uint32_t first)
{
	const char *w, *output = NULL;
	bool is_next = false;
	uint32_t i;

	tr2_for_each_word(words, w, i) {
		if (is_next && output && strcmp(output, w))
			return NULL;
		if (is_next)
			output = w;
		is_next = i > first && !strcmp(w, "-o");
	}
	return output;
}

/* Return the value of --output before the command of `ctest --launch`, which
 * CMake's CTestUseLaunchers and its instrumentation run; NULL: none. */
static const char *launched_output(const struct tr2_words *words)
{
	const char *w, *output = NULL;
	bool is_next = false;
	uint32_t i;

	if (strcmp(word_at(words, 1), "--launch") &&
	    strcmp(word_at(words, 1), "--instrument"))
		return NULL;
	tr2_for_each_word(words, w, i) {
		if (!strcmp(w, "--"))
			break;
		if (is_next)
			output = w;
		is_next = !strcmp(w, "--output");
	}
	return output;
}

/* Return the archive to which ar adds; NULL: none. */
static const char *archive_of(const struct tr2_words *words)
{
	const char *key = word_at(words, 1);
	bool adds = strpbrk(key, "rq") && !strpbrk(key, "abi/.");

	return adds && words->nr > 3 && *word_at(words, 2) != '-' ?
		       word_at(words, 2) : NULL;
}

/* Return the file that the command line tells a program to write; NULL:
 * unknown. */
static const char *written(const struct tr2_words *words)
{
	const char *program = word_at(words, 0), *name;
	uint32_t first = is_launcher(program);
	size_t len;

	if (is_compiler(word_at(words, first)))
		return output_of(words, first);
	name = tr2_base_name(program);
	if (!strcmp(name, "ctest"))
		return launched_output(words);
	len = strlen(name);
	return len >= 2 && !strcmp(name + len - 2, "ar") &&
	       (len == 2 || name[len - 3] == '-') ?
		       archive_of(words) : NULL;
}

/* Append a path without "." and "..". */
static void add_path(struct tr2_buf *b, const char *path)
{
	size_t n;

	for (; *path; path += n) {
		n = strcspn(path, "/");
		if (!n || (n == 1 && *path == '.')) {
			n += path[n] == '/';
			continue;
		}
		if (n == 2 && !memcmp(path, "..", 2)) {
			while (b->len && b->p[b->len - 1] != '/')
				b->len--;
			b->len -= b->len != 0;
		} else {
			tr2_buf_addch(b, '/');
			tr2_buf_add(b, path, n);
		}
	}
}

/* Return a file's name relative to the directory of the recording; 0: the file
 * is not one that a build keeps, such as /dev/null. */
static tr2_str name_in(struct tr2_model *m, const char *file, tr2_str cwd,
		       tr2_str top)
{
	static struct tr2_buf b, above; /* later calls reuse its memory */
	size_t n;

	if (!file || !*file || !strcmp(file, "-") ||
	    !strncmp(file, "/dev/", 5))
		return 0;
	if (*file != '/' && !cwd)
		return tr2_intern(m, file, strlen(file));
	tr2_buf_reset(&b);
	if (*file != '/')
		add_path(&b, tr2_s(m, cwd));
	add_path(&b, file);
	tr2_buf_reset(&above);
	add_path(&above, top ? tr2_s(m, top) : "");
	n = above.len;
	if (!top || b.len <= n || memcmp(b.p, above.p, n) || b.p[n] != '/')
		return tr2_intern(m, b.p, b.len);
	return tr2_intern(m, b.p + n + 1, b.len - n - 1);
}

static bool runs_jobs(const struct tr2_model *m, uint32_t node)
{
	static const char *const names[] = { "make", "gmake", "ninja",
					     "ninja-build", "samu" };
	const char *name = tr2_base_name(word_at(tr2_node_words(m, node), 0));

	return is_one_of(name, strlen(name), names, ARRAY_SIZE(names));
}

struct finding {
	struct tr2_model *m;
	struct tr2_map commands; /* maps (task, hash) to 1 + the index of a
				  * command */
	struct tr2_map recipes; /* maps hashes of commands to targets */
	tr2_str *target;
	tr2_str *below; /* by node: the only target of the processes below the
			 * node in the same job; 0: none yet */
	bool *several;
	tr2_str top; /* the directory of the recording */
};

static const char *file_of(const struct finding *f, uint32_t node,
			   const struct tr2_words *words)
{
	const struct tr2_model *m = f->m;
	uint32_t up = m->nodes[node].parent;
	const char *file = logged(m, &f->commands, m->nodes[up].task, words);
	tr2_str target;

	if (!file)
		file = written(words);
	/* Do not look for the recipe of a make or ninja: it may have changed
	 * its directory, and the target is relative to the directory before. */
	if (file || !runs_jobs(m, up) || runs_jobs(m, node))
		return file;
	target = tr2_recipe_target(&f->recipes, words);
	return target ? tr2_s(m, target) : NULL;
}

/* Return the target of a process. A shell may exec its command: look at each
 * program that the process ran. */
static tr2_str own_target(struct finding *f, uint32_t node)
{
	struct tr2_model *m = f->m;
	const struct tr2_node *n = &m->nodes[node];
	const char *file = NULL;
	uint32_t i;

	if (!n->parent)
		f->top = m->tasks[n->task].cwd;
	if (f->target[n->parent] && !runs_jobs(m, n->parent))
		return f->target[n->parent];
	tr2_for_each_segment(m, n->task, i)
		file = file ? file : file_of(f, node, &m->segments[i].argv);
	if (!n->task)
		file = written(tr2_node_words(m, node));
	return name_in(m, file, m->tasks[n->task].cwd, f->top);
}

/* Pass the target to the process above, within one job. */
static void tell_above(struct finding *f, uint32_t node)
{
	uint32_t up = f->m->nodes[node].parent;
	tr2_str target = f->target[node] ? f->target[node] : f->below[node];

	if (!up || runs_jobs(f->m, node))
		return;
	f->several[up] |= f->several[node] ||
			  (target && f->below[up] && f->below[up] != target);
	if (target)
		f->below[up] = target;
}

static void find_targets(struct finding *f)
{
	struct tr2_model *m = f->m;
	uint32_t *order = tr2_calloc(m->nr_nodes, sizeof(*order));
	uint32_t nr = 0, i, up;

	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		f->target[i] = own_target(f, i);
		order[nr++] = i;
	}
	for (i = nr; i-- > 0;)
		tell_above(f, order[i]);
	for (i = 0; i < nr; i++) {
		up = m->nodes[order[i]].parent;
		if (f->target[order[i]] || !up || runs_jobs(m, order[i]))
			continue;
		f->target[order[i]] =
			!runs_jobs(m, up) ? f->target[up] :
			f->several[order[i]] ? 0 : f->below[order[i]];
	}
	free(order);
}

tr2_str tr2_target(struct tr2_model *m, uint32_t node)
{
	struct finding f = { .m = m };

	if (m->targets)
		return m->targets[node];
	f.target = tr2_calloc(m->nr_nodes, sizeof(*f.target));
	f.below = tr2_calloc(m->nr_nodes, sizeof(*f.below));
	f.several = tr2_calloc(m->nr_nodes, sizeof(*f.several));
	index_commands(m, &f.commands);
	tr2_recipes_index(m, &f.recipes);
	find_targets(&f);
	tr2_map_release(&f.commands);
	tr2_map_release(&f.recipes);
	free(f.below);
	free(f.several);
	m->targets = f.target;
	return m->targets[node];
}

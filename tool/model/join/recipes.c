/* SPDX-License-Identifier: MIT */
/*
 * recipes - join processes with the output of make --trace by text and time.
 *
 * Make names a target only before the first line of its recipe. With several
 * jobs, later lines stand between lines of other targets. So a later line
 * belongs to a target if two witnesses agree: the line follows this target's
 * name, and the job that ended last before the process began was this target's.
 */
#include <ctype.h>
#include <string.h>

#include "model/join/recipes.h"

#define SEVERAL UINT32_MAX /* commands of different targets have this text */

static void add_text(struct tr2_buf *b, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (strchr("'\"\\", text[i]))
			continue;
		if (!isspace((unsigned char)text[i]))
			tr2_buf_addch(b, text[i]);
		else if (b->len && b->p[b->len - 1] != ' ')
			tr2_buf_addch(b, ' ');
	}
}

static uint64_t hash_of(struct tr2_buf *b)
{
	if (b->len && b->p[b->len - 1] == ' ')
		b->len--;
	return b->len ? tr2_hash(b->p, b->len) | 1 : 0;
}

/* Return an empty buffer. The buffer is static: each new one would map
 * memory. */
static struct tr2_buf *empty_text(void)
{
	static struct tr2_buf b;

	tr2_buf_reset(&b);
	return &b;
}

uint64_t tr2_recipe_hash(const char *text, size_t len)
{
	struct tr2_buf *b = empty_text();

	add_text(b, text, len);
	return hash_of(b);
}

/* Return the hash of a process's command line, or of the command that a shell
 * gets by -c. 0: the command line is incomplete. */
static uint64_t process_hash(const struct tr2_words *words)
{
	struct tr2_buf *b = empty_text();
	const char *w;
	uint32_t i;

	if (words->cut)
		return 0;
	tr2_for_each_word(words, w, i) {
		if (i == 1 && words->nr == 3 && *w == '-' &&
		    w[strlen(w) - 1] == 'c') {
			tr2_buf_reset(b);
		} else {
			add_text(b, w, strlen(w));
			tr2_buf_addch(b, ' ');
		}
	}
	return hash_of(b);
}

/* The key of a later line of a target's recipe. */
static uint64_t later_key(uint64_t hash, tr2_str target)
{
	return tr2_mix(hash, target) | 1;
}

void tr2_recipes_index(const struct tr2_model *m, struct tr2_map *map)
{
	const struct tr2_build_command *c;
	uint32_t i, *slot;

	for (i = 1; i < m->nr_commands; i++) {
		c = &m->commands[i];
		if (c->version != TR2_RECIPE_FIRST)
			continue;
		slot = tr2_map_slot(map, c->hash);
		*slot = !*slot || *slot == c->target ? c->target : SEVERAL;
	}
	for (i = 1; i < m->nr_commands; i++) {
		c = &m->commands[i];
		if (c->version != TR2_RECIPE_LATER)
			continue;
		*tr2_map_slot(map, later_key(c->hash, c->target)) = 1;
		if (tr2_map_get(map, c->hash) &&
		    tr2_map_get(map, c->hash) != c->target)
			*tr2_map_slot(map, c->hash) = SEVERAL;
	}
}

/* Return the job of the same make that ended last before the process `node`
 * began: the next line of a recipe starts when make notices the end of the line
 * before. 0: no job, or uncertain, since another job ended nearly at the same
 * time. */
static uint32_t job_before(const struct tr2_model *m, uint32_t node)
{
	int64_t start = m->nodes[node].start_ns, last = INT64_MIN,
		second = INT64_MIN, end;
	uint32_t found = 0, i;

	tr2_for_each_child_node(m, m->nodes[node].parent, i) {
		end = m->nodes[i].end_ns;
		if (i == node || m->nodes[i].at_least || end > start)
			continue;
		if (end > last) {
			second = last;
			last = end;
			found = i;
		} else if (end > second) {
			second = end;
		}
	}
	return second == INT64_MIN || start - last < last - second ? found : 0;
}

tr2_str tr2_recipe_target(const struct tr2_model *m, const struct tr2_map *map,
			  const tr2_str *found, uint32_t node,
			  const struct tr2_words *words)
{
	uint64_t hash = map->nr ? process_hash(words) : 0;
	tr2_str first, before;

	if (!hash)
		return 0;
	first = tr2_map_get(map, hash);
	if (first)
		return first == SEVERAL ? 0 : first;
	before = found[job_before(m, node)];
	return before && tr2_map_get(map, later_key(hash, before)) ? before : 0;
}

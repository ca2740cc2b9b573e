/* SPDX-License-Identifier: MIT */
/*
 * recipes - join processes with commands of known targets by their texts.
 */
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
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

/* Return the hash of a command line, without its first words. */
static uint64_t hash_of_words(const struct tr2_words *words, uint32_t first)
{
	struct tr2_buf *b = empty_text();
	const char *w;
	uint32_t i;

	tr2_for_each_word(words, w, i) {
		if (i < first)
			continue;
		add_text(b, w, strlen(w));
		tr2_buf_addch(b, ' ');
	}
	return hash_of(b);
}

/* Is it a shell with a command? With .ONESHELL and -e, the option is -ec. */
static bool runs_shell(const struct tr2_words *words)
{
	const char *option = words->nr == 3 ?
		words->text + strlen(words->text) + 1 : "";

	return *option == '-' && option[strlen(option) - 1] == 'c';
}

void tr2_recipes_index(const struct tr2_model *m, struct tr2_map *map)
{
	const struct tr2_build_command *c;
	uint32_t i, *slot;

	for (i = 1; i < m->nr_commands; i++) {
		c = &m->commands[i];
		if (c->version != TR2_RECIPE)
			continue;
		slot = tr2_map_slot(map, c->hash);
		*slot = !*slot || *slot == c->target ? c->target : SEVERAL;
	}
}

tr2_str tr2_recipe_target(const struct tr2_map *map,
			  const struct tr2_words *words)
{
	tr2_str target = 0;

	if (!map->nr || words->cut)
		return 0;
	/* A recipe may run the shell itself. */
	if (runs_shell(words))
		target = tr2_map_get(map, hash_of_words(words, 2));
	if (!target)
		target = tr2_map_get(map, hash_of_words(words, 0));
	return target == SEVERAL ? 0 : target;
}

/* SPDX-License-Identifier: MIT */
/* The strings and definitions of an arena's file. */
#include <string.h>

#include "arena/arena.h"
#include "arena/file.h"

/* Private copies of the file's numbers, which other processes may change. */
static uint32_t strings_used, nr_definitions;

/* The number of bytes of strings, and of definitions, that have space on the
 * disk. */
static uint64_t strings_backed, definitions_backed;
#define MORE_BYTES 16384u

/* Categories repeat: usually the previous row has the same category. */
static uint32_t last_category;

void tr2_define_reset(bool rows_have_space)
{
	strings_used = 1; /* the empty string, at offset 0 */
	nr_definitions = 0;
	last_category = 0;
	strings_backed = TR2_DEFINE_FIRST_BYTES;
	definitions_backed = rows_have_space ? TR2_DEFINE_FIRST_BYTES : 0;
}

/* A part of the file begins at `offset`, and has at most `size` bytes: get
 * space on the disk for the first `need` bytes of this part. */
static bool back_pages(uint64_t *backed, uint64_t need, uint64_t offset,
		       uint64_t size)
{
	uint64_t step = *backed ? MORE_BYTES : TR2_DEFINE_FIRST_BYTES, end;
	struct tr2_file_piece piece;

	if (need <= *backed)
		return true;
	end = (need + step - 1) / step * step;
	end = tr2_file_round_up(offset + end) - offset;
	if (end > size)
		end = size;
	piece.offset = offset + *backed;
	piece.size_bytes = end - *backed;
	if (!tr2_file_back(&piece, 1))
		return false;
	*backed = end;
	return true;
}

/* Return the offset of the copy; 0: no room. align: a power of two. */
static uint32_t add_definition(const void *data, size_t size, uint32_t align)
{
	uint32_t offset = (strings_used + align - 1) & ~(align - 1);
	char *strings;

	if (!tr2_file_header || offset > TR2_STRINGS_SIZE ||
	    size > TR2_STRINGS_SIZE - offset ||
	    !back_pages(&strings_backed, offset + size, TR2_STRINGS_OFFSET,
			TR2_STRINGS_SIZE))
		return 0;
	strings = (char *)tr2_file_header + TR2_STRINGS_OFFSET;
	memcpy(strings + offset, data, size);
	strings_used = offset + (uint32_t)size;
	__atomic_store_n(&tr2_file_header->strings_used, strings_used,
			 __ATOMIC_RELEASE);
	return offset;
}

uint32_t tr2_arena_intern(const char *s)
{
	return *s ? add_definition(s, strlen(s) + 1, 1) : 0;
}

uint32_t tr2_arena_add_site(const struct tr2_site_row *row)
{
	return add_definition(row, sizeof(*row), sizeof(row->line));
}

static uint32_t intern_category(const char *category)
{
	const char *last = (char *)tr2_file_header + TR2_STRINGS_OFFSET +
			   last_category;
	size_t size = strlen(category) + 1;

	if (size > strings_used - last_category ||
	    memcmp(last, category, size) != 0)
		last_category = tr2_arena_intern(category);
	return last_category;
}

void tr2_arena_define(enum tr2_definition_kind kind,
		      const struct tr2_definition *numbers,
		      const char *category, const char *name)
{
	struct tr2_definition row = *numbers, *rows;

	if (!tr2_file_header)
		return;
	if (nr_definitions == TR2_MAX_DEFINITIONS ||
	    !back_pages(&definitions_backed, (nr_definitions + 1) * sizeof(row),
			TR2_DEFINITIONS_OFFSET,
			TR2_GAUGES_OFFSET - TR2_DEFINITIONS_OFFSET)) {
		tr2_arena_lost(TR2_LOST_DEFINITION, 1);
		return;
	}
	row.kind = (uint16_t)kind;
	row.category = intern_category(category);
	row.name = tr2_arena_intern(name);
	if ((*category && !row.category) || (*name && !row.name))
		tr2_arena_lost(TR2_LOST_DEFINITION, 1);
	rows = (struct tr2_definition *)(void *)((char *)tr2_file_header +
						 TR2_DEFINITIONS_OFFSET);
	rows[nr_definitions++] = row;
	/* Release: a reader that sees the number sees the row. */
	__atomic_store_n(&tr2_file_header->nr_definitions, nr_definitions,
			 __ATOMIC_RELEASE);
}

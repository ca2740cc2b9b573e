/* SPDX-License-Identifier: MIT */
/*
 * Look for other copies of this library in the process. A program may contain
 * the archive. A library that the program uses may be linked with the shared
 * library, or contain the archive, too. The dynamic linker leads calls to one
 * copy or the other. A copy that was never initialized cannot know that another
 * copy has a session, so the initialized copy looks for the others.
 */
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "part/call_before_init.h"
#include "part/part.h"

#define NAME_BYTES sizeof(TR2_EARLY_NAME)
#define ROUNDED(n) (((size_t)(n) + 3) & ~(size_t)3)

struct copy {
	char path[256]; /* the copy's file, possibly cut; "": the program
			 * itself */
	char file[256]; /* the place of the first call; "": unknown */
	int line;
};

struct search {
	unsigned int left;
	struct copy *copy;
};

/* Return the address in the library's note; NULL if there is no note. */
static const char *find_note(const char *p, size_t left)
{
	ElfW(Nhdr) note;
	size_t size;

	while (left >= sizeof(note)) {
		memcpy(&note, p, sizeof(note));
		size = sizeof(note) + ROUNDED(note.n_namesz) +
		       ROUNDED(note.n_descsz);
		if (size > left)
			return NULL;
		if (note.n_type == TR2_EARLY_NOTE &&
		    note.n_namesz == NAME_BYTES &&
		    note.n_descsz == sizeof(int32_t) &&
		    !memcmp(p + sizeof(note), TR2_EARLY_NAME, NAME_BYTES))
			return p + sizeof(note) + ROUNDED(NAME_BYTES);
		p += size;
		left -= size;
	}
	return NULL;
}

static const struct tr2_early *find_early(const struct dl_phdr_info *object)
{
	const char *at = NULL;
	int32_t distance;
	unsigned int i;

	for (i = 0; !at && i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		/* Notes with an alignment of 8 bytes are not ours. */
		if (part->p_type == PT_NOTE && part->p_align <= 4)
			at = find_note((const char *)(object->dlpi_addr +
						      part->p_vaddr),
				       part->p_memsz);
	}
	if (!at)
		return NULL;
	memcpy(&distance, at, sizeof(distance));
	return (const struct tr2_early *)(const void *)(at + distance);
}

static int look_at(struct dl_phdr_info *object, size_t size, void *data)
{
	const struct tr2_early *early = find_early(object);
	struct search *search = data;
	struct copy *copy = search->copy;
	/* Do not rely on a missing name: musl names the program, too. */
	bool has_path = object->dlpi_name &&
			(uintptr_t)object->dlpi_phdr != getauxval(AT_PHDR);
	const char *path = has_path ? object->dlpi_name : "";
	size_t len = strnlen(path, sizeof(copy->path) - 1);

	(void)size;
	if (!early || early == &tr2_early || !tr2_early_is_noted(early) ||
	    search->left--)
		return 0;
	memcpy(copy->path, path, len);
	copy->path[len] = '\0';
	memcpy(copy->file, early->file, sizeof(copy->file));
	copy->line = early->line;
	return 1;
}

/* Number the copies that were called but never initialized, from 0, and find
 * the copy with this number. This takes a lock of the dynamic linker. */
static bool find_copy(unsigned int number, struct copy *copy)
{
	struct search search = { number, copy };

	return dl_iterate_phdr(look_at, &search);
}

static void emit_errors(struct tr2_call *call)
{
	const char *file = call->file;
	int line = call->line;
	struct copy copy;
	unsigned int i;

	for (i = 0; find_copy(i, &copy); i++) {
		if (*copy.file) {
			call->file = copy.file;
			call->line = copy.line;
		}
		tr2_call_error(call,
			       "trace2: the library is in this process twice, "
			       "here and %s%s%s: calls through that copy are "
			       "missing; link all with the shared library",
			       *copy.path ? "as '" : "in the program itself",
			       copy.path, *copy.path ? "'" : "");
		call->file = file;
		call->line = line;
	}
}

const struct tr2_part tr2_part_copies = { .emit_errors = emit_errors };

/* SPDX-License-Identifier: MIT */
/* Read the note NT_GNU_BUILD_ID of a mapped ELF file. */
#include "base/build_id.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define MAX_HEADERS 24
#define MAX_NOTES 512 /* most bytes read from a segment of notes: stacks are
		       * small */

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Phdr) program_header;
typedef ElfW(Nhdr) note_header;

static size_t read_at(int fd, uint64_t address, void *out, size_t size)
{
	ssize_t n = pread(fd, out, size, (off_t)address);

	return n > 0 ? (size_t)n : 0;
}

static bool is_elf(const elf_header *h)
{
	return !memcmp(h->e_ident, ELFMAG, SELFMAG) &&
	       h->e_ident[EI_CLASS] ==
		       (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
	       h->e_phentsize == sizeof(program_header);
}

static uint64_t rounded(uint64_t size, unsigned int to)
{
	return (size + to - 1) & ~(to - 1);
}

/* Notes follow each other: header, name, contents. */
static unsigned int find_build_id(const char *p, size_t left,
				  unsigned int align,
				  uint8_t id[TR2_BUILD_ID_MAX])
{
	note_header note;
	uint64_t name, size; /* 64 bits: the sum of sizes in a note cannot
			      * overflow */

	while (left >= sizeof(note)) {
		memcpy(&note, p, sizeof(note));
		name = rounded(note.n_namesz, 4);
		size = sizeof(note) + rounded(name + note.n_descsz, align);
		if (size > left || name + note.n_descsz > left - sizeof(note))
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(p + sizeof(note), "GNU", 4) &&
		    note.n_descsz <= TR2_BUILD_ID_MAX) {
			memcpy(id, p + sizeof(note) + name, note.n_descsz);
			return note.n_descsz;
		}
		p += size;
		left -= size;
	}
	return 0;
}

static unsigned int find_in(int fd, uint64_t address, const program_header *h,
			    uint8_t id[TR2_BUILD_ID_MAX])
{
	char notes[MAX_NOTES];
	size_t size = h->p_filesz < MAX_NOTES ? h->p_filesz : MAX_NOTES;

	return find_build_id(notes, read_at(fd, address, notes, size),
			     h->p_align == 8 ? 8 : 4, id);
}

unsigned int tr2_build_id_at(int mem_fd, uint64_t start,
			     uint8_t id[TR2_BUILD_ID_MAX])
{
	program_header header[MAX_HEADERS];
	unsigned int i, nr, len = 0;
	uint64_t bias = start;
	elf_header elf;

	if (read_at(mem_fd, start, &elf, sizeof(elf)) != sizeof(elf) ||
	    !is_elf(&elf))
		return 0;
	nr = elf.e_phnum < MAX_HEADERS ? elf.e_phnum : MAX_HEADERS;
	nr = (unsigned int)(read_at(mem_fd, start + elf.e_phoff, header,
				    nr * sizeof(*header)) / sizeof(*header));
	for (i = 0; i < nr; i++)
		if (header[i].p_type == PT_LOAD && !header[i].p_offset)
			bias = start - header[i].p_vaddr;
	for (i = 0; i < nr && !len; i++)
		if (header[i].p_type == PT_NOTE)
			len = find_in(mem_fd, bias + header[i].p_vaddr,
				      &header[i], id);
	return len;
}

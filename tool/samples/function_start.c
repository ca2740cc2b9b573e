/* SPDX-License-Identifier: MIT */
/* function_start - search the table of .eh_frame_hdr. */
#ifdef HAVE_LIBDW

#include "samples/function_start.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The encodings that linkers use: offsets of 4 bytes, of entries from the start
 * of the table, of code from its own place. */
#define VERSION 1
#define TO_FRAMES 0x1b
#define COUNT 0x03
#define ENTRIES 0x3b

struct table {
	uint8_t version, to_frames, count, entries;
	int32_t frames;
	uint32_t nr;
};

struct entry {
	int32_t function, frame; /* from the start of the table */
};

/* What follows the length of a frame's description. */
struct frame {
	uint32_t length, cie;
	int32_t function; /* from here */
	uint32_t len;
};

static bool read_file(Elf *elf, GElf_Off at, void *out, size_t size)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)at, size,
					      ELF_T_BYTE);

	if (!data || data->d_size < size)
		return false;
	memcpy(out, data->d_buf, size);
	return true;
}

/* Find the program header of that type; PT_LOAD: the one that has the address. */
static bool find_header(Elf *elf, uint32_t type, GElf_Addr address,
			GElf_Phdr *header)
{
	size_t nr, i;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++)
		if (gelf_getphdr(elf, (int)i, header) &&
		    header->p_type == type &&
		    (type != PT_LOAD ||
		     (address >= header->p_vaddr &&
		      address - header->p_vaddr < header->p_filesz)))
			return true;
	return false;
}

/* Is the address in the function that the entry names? */
static bool contains(Elf *elf, GElf_Addr base, const struct entry *entry,
		     GElf_Addr address)
{
	GElf_Addr at = base + (GElf_Addr)entry->frame;
	GElf_Addr start = base + (GElf_Addr)entry->function;
	struct frame frame;
	GElf_Phdr header;

	return find_header(elf, PT_LOAD, at, &header) &&
	       read_file(elf, at - header.p_vaddr + header.p_offset, &frame,
			 sizeof(frame)) &&
	       at + offsetof(struct frame, function) +
			       (GElf_Addr)frame.function == start &&
	       address - start < frame.len;
}

static struct entry entry_at(const Elf_Data *data, uint32_t i)
{
	struct entry entry;

	memcpy(&entry, (const char *)data->d_buf + sizeof(struct table) +
			       i * sizeof(entry), sizeof(entry));
	return entry;
}

bool tr2_function_start(Elf *elf, GElf_Addr address, GElf_Addr *start)
{
	uint32_t low = 0, high, middle;
	struct table table;
	struct entry entry;
	GElf_Phdr header;
	Elf_Data *data;

	if (!find_header(elf, PT_GNU_EH_FRAME, 0, &header))
		return false;
	data = elf_getdata_rawchunk(elf, (int64_t)header.p_offset,
				    header.p_filesz, ELF_T_BYTE);
	if (!data || data->d_size < sizeof(table))
		return false;
	memcpy(&table, data->d_buf, sizeof(table));
	if (table.version != VERSION || table.to_frames != TO_FRAMES ||
	    table.count != COUNT || table.entries != ENTRIES ||
	    table.nr > (data->d_size - sizeof(table)) / sizeof(entry))
		return false;
	for (high = table.nr; low < high;) {
		middle = low + (high - low) / 2;
		entry = entry_at(data, middle);
		if (header.p_vaddr + (GElf_Addr)entry.function <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	entry = entry_at(data, low - 1);
	*start = header.p_vaddr + (GElf_Addr)entry.function;
	return contains(elf, header.p_vaddr, &entry, address);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * elf - see samples/elf.h.
 */
#include "samples/elf.h"

#include <stdbool.h>
#include <stdlib.h>

#ifdef HAVE_LIBDW

#include <elfutils/libdwfl.h>
#include <gelf.h>

struct tr2_elf {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	GElf_Addr bias; /* of the module in the view of libdwfl */
	bool has_symbols;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

/* A symbol table, and not the exported names only? */
static bool has_symtab(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    header.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

struct tr2_elf *tr2_elf_open(const char *path, const char **why)
{
	struct tr2_elf *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->dwfl = dwfl_begin(&callbacks);
	if (e->dwfl)
		e->module = dwfl_report_elf(e->dwfl, path, path, -1, 0, true);
	if (e->module)
		dwfl_report_end(e->dwfl, NULL, NULL);
	e->elf = e->module ? dwfl_module_getelf(e->module, &e->bias) : NULL;
	if (e->elf) {
		e->has_symbols = has_symtab(e->elf);
		return e;
	}
	*why = dwfl_errmsg(-1);
	tr2_elf_close(e);
	return NULL;
}

void tr2_elf_close(struct tr2_elf *e)
{
	if (e && e->dwfl)
		dwfl_end(e->dwfl);
	free(e);
}

/* Where a byte of the file lies in memory, as the file has it. */
static bool address_of(Elf *elf, uint64_t offset, GElf_Addr *address)
{
	GElf_Phdr header;
	size_t nr, i;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) ||
		    header.p_type != PT_LOAD || !(header.p_flags & PF_X) ||
		    offset < header.p_offset ||
		    offset - header.p_offset >= header.p_filesz)
			continue;
		*address = offset - header.p_offset + header.p_vaddr;
		return true;
	}
	return false;
}

const char *tr2_elf_function(struct tr2_elf *e, uint64_t offset,
			     const char **why)
{
	const char *name;
	GElf_Addr address;
	GElf_Off inside;
	GElf_Sym symbol;

	if (!address_of(e->elf, offset, &address)) {
		*why = "it is another file than the one that ran";
		return NULL;
	}
	name = dwfl_module_addrinfo(e->module, address + e->bias, &inside,
				    &symbol, NULL, NULL, NULL);
	if (!name && !e->has_symbols)
		*why = "it was stripped of its symbols, but for those that it "
		       "exports";
	return name;
}

#else

struct tr2_elf *tr2_elf_open(const char *path, const char **why)
{
	(void)path;
	*why = "this trace2 was built without libdw: install the Debian "
	       "package libdw-dev and build it again";
	return NULL;
}

void tr2_elf_close(struct tr2_elf *elf)
{
	(void)elf;
}

const char *tr2_elf_function(struct tr2_elf *elf, uint64_t offset,
			     const char **why)
{
	(void)elf;
	(void)offset;
	(void)why;
	return NULL;
}

#endif

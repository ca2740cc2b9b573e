/* SPDX-License-Identifier: MIT */
/* elf - open an ELF file with its debugging information by libdw. */
#include "samples/elf.h"

#include <stdlib.h>

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "common/memory.h"
#include "samples/inlined.h"
#include "samples/symbol_table.h"

/* The encodings that linkers use. Offsets have 4 bytes. Offsets in entries
 * count from the start of the table; the offset of the frames counts from its
 * own place. */
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
	int32_t function, frame; /* offsets from the start of the table */
};

/* The beginning of a frame's description. */
struct frame {
	uint32_t length, cie;
	int32_t function; /* start of the function, relative to this member */
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

/* Find the program header of this type. For PT_LOAD, find the header whose
 * segment contains the address. */
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

/* Is the address in the function of this entry? */
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

/* Find the start of the function around an address of the file. Return false if
 * it is unknown. */
static bool function_start(Elf *elf, GElf_Addr address, GElf_Addr *start)
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

#define DEBUG_FILES "/usr/lib/debug/.build-id"

/* The demangler of the C++ library, which is linked only if it was found. */
extern char *demangle(const char *name, char *out, size_t *size, int *status)
	__asm__("__cxa_demangle") __attribute__((weak));

struct tr2_elf {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	GElf_Addr bias; /* offset of the module in libdwfl's address space */
	bool has_symbols;
	bool is_debug_file; /* the file has debugging information only: its
			     * segments have no content */
	bool is_read; /* the file's symbols are in `table` */
	struct tr2_symbol_table table; /* symbols, with libdwfl's addresses */
	struct tr2_inlined inlined;
	/* allocated names of the last result; NULL: libdw owns the name */
	char *names[TR2_ELF_INLINED];
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

/* Does the file have a full symbol table, or only exported names? */
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

/* The reason why a file without a symbol table gives no names. */
static const char *stripped =
	"stripped to exported symbols, and there is no debug file";

void tr2_elf_ask_servers(bool ask)
{
	if (ask || !getenv("DEBUGINFOD_URLS"))
		return;
	unsetenv("DEBUGINFOD_URLS");
	stripped = "stripped to exported symbols, and there is no debug file; "
		   "--debuginfod asks servers for one";
}

static struct tr2_elf *new_elf(void)
{
	struct tr2_elf *e = tr2_calloc(1, sizeof(*e));

	e->dwfl = dwfl_begin(&callbacks);
	tr2_must(e->dwfl);
	return e;
}

/* Finish reporting the module. Return NULL, with the reason in *why, if it
 * cannot be read. */
static struct tr2_elf *finish_elf(struct tr2_elf *e, const char **why)
{
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

struct tr2_elf *tr2_elf_open(const char *path, const char **why)
{
	struct tr2_elf *e = new_elf();

	e->module = dwfl_report_elf(e->dwfl, path, path, -1, 0, true);
	return finish_elf(e, why);
}

static struct tr2_elf *open_debug_file(const struct tr2_build_id *id)
{
	char path[sizeof(DEBUG_FILES) + 2 * TR2_BUILD_ID_MAX + 16];
	const char *why;
	struct tr2_elf *e;
	unsigned int i;
	int at;

	at = snprintf(path, sizeof(path), "%s/%02x/", DEBUG_FILES, id->id[0]);
	for (i = 1; i < id->size; i++)
		at += snprintf(path + at, sizeof(path) - (size_t)at, "%02x",
			       id->id[i]);
	snprintf(path + at, sizeof(path) - (size_t)at, ".debug");
	e = tr2_elf_open(path, &why);
	if (e)
		e->is_debug_file = true;
	return e;
}

struct tr2_elf *tr2_elf_open_build(const struct tr2_build_id *id)
{
	struct tr2_elf *e = id->size ? open_debug_file(id) : NULL;
	const char *why;

	if (e || !id->size)
		return e;
	e = new_elf();
	/* Use any address as the base: functions are looked up by their places
	 * in the file. */
	e->module = dwfl_report_module(e->dwfl, "build", 0x10000, UINT32_MAX);
	if (e->module)
		dwfl_module_report_build_id(e->module, id->id, (int)id->size,
					    0);
	return finish_elf(e, &why);
}

static void forget_names(struct tr2_elf *e)
{
	unsigned int i;

	for (i = 0; i < TR2_ELF_INLINED; i++) {
		free(e->names[i]);
		e->names[i] = NULL;
	}
}

void tr2_elf_close(struct tr2_elf *e)
{
	if (!e)
		return;
	forget_names(e);
	tr2_symbol_table_release(&e->table);
	tr2_inlined_release(&e->inlined);
	dwfl_end(e->dwfl);
	free(e);
}

bool tr2_elf_is(const struct tr2_elf *e, const struct tr2_build_id *id)
{
	const unsigned char *bits = NULL;
	GElf_Addr where;
	int size = dwfl_module_build_id(e->module, &bits, &where);

	return size > 0 && (unsigned int)size == id->size &&
	       !memcmp(bits, id->id, id->size);
}

static bool is_there(const struct tr2_elf *e, const GElf_Phdr *h,
		     struct tr2_elf_place place, GElf_Addr *address)
{
	if (h->p_type != PT_LOAD || !(h->p_flags & PF_X))
		return false;
	if (e->is_debug_file) {
		*address = h->p_vaddr - h->p_vaddr % 4096 + place.in_segment;
		return true;
	}
	*address = place.in_file - h->p_offset + h->p_vaddr;
	return place.in_file >= h->p_offset &&
	       place.in_file - h->p_offset < h->p_filesz;
}

/* Set *address to the address that the program headers give to a place. Return
 * false if no header contains the place. */
static bool address_of(const struct tr2_elf *e, struct tr2_elf_place place,
		       GElf_Addr *address)
{
	GElf_Phdr header;
	size_t nr, i;

	if (elf_getphdrnum(e->elf, &nr))
		return false;
	for (i = 0; i < nr; i++)
		if (gelf_getphdr(e->elf, (int)i, &header) &&
		    is_there(e, &header, place, address))
			return true;
	return false;
}

uint64_t tr2_elf_start(struct tr2_elf *e, struct tr2_elf_place place)
{
	GElf_Addr address, start;

	if (e->is_debug_file || !address_of(e, place, &address) ||
	    !function_start(e->elf, address, &start))
		return place.in_file;
	return place.in_file - (address - start);
}

struct Dwarf_CFI_s *tr2_elf_cfi(struct tr2_elf *e, struct tr2_elf_place place,
				bool for_debugger, uint64_t *address)
{
	Dwarf_CFI *cfi;
	Dwarf_Addr bias = 0;

	if (!address_of(e, place, address))
		return NULL;
	cfi = for_debugger ? dwfl_module_dwarf_cfi(e->module, &bias) :
			     dwfl_module_eh_cfi(e->module, &bias);
	*address += e->bias - bias;
	return cfi;
}

/* Return the readable form of a name, such as a demangled name. Keep it as the
 * i-th name. NULL: no name. */
static const char *readable(struct tr2_elf *e, unsigned int i, const char *name)
{
	size_t len = name ? strcspn(name, "@") : 0;
	int status;

	if (!len)
		return NULL;
	if (demangle && name[0] == '_' && name[1] == 'Z')
		e->names[i] = demangle(name, NULL, NULL, &status);
	else if (name[len]) /* cut the version after the name */
		e->names[i] = tr2_strf("%.*s", (int)len, name);
	return e->names[i] ? e->names[i] : name;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute memory;
	Dwarf_Attribute *name =
		dwarf_attr_integrate(die, DW_AT_linkage_name, &memory);

	return name ? dwarf_formstring(name) : dwarf_diename(die);
}

unsigned int tr2_elf_inlined(struct tr2_elf *e, struct tr2_elf_place place,
			     const char *name[TR2_ELF_INLINED])
{
	Dwarf_Die die[TR2_ELF_INLINED], *unit = NULL;
	unsigned int nr_dies, nr = 0, i;
	GElf_Addr address;
	Dwarf_Addr bias = 0;

	forget_names(e);
	if (address_of(e, place, &address))
		unit = dwfl_module_addrdie(e->module, address + e->bias, &bias);
	if (!unit)
		return 0;
	nr_dies = tr2_inlined_find(&e->inlined, unit, address + e->bias - bias,
				   die, TR2_ELF_INLINED);
	for (i = 0; i < nr_dies; i++) {
		name[nr] = readable(e, nr, name_of(&die[i]));
		nr += name[nr] != NULL;
	}
	return nr;
}

static bool is_code(const GElf_Sym *symbol)
{
	unsigned int type = GELF_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && type != STT_SECTION &&
	       type != STT_FILE && type != STT_TLS;
}

/* Return the number of bytes from a label to the end of its section. If the
 * section is unknown, return 1: the label then covers only its own address. */
static uint64_t bytes_after(Elf *elf, const GElf_Sym *label, GElf_Word section)
{
	Elf_Scn *scn = section < SHN_LORESERVE ? elf_getscn(elf, section) :
						 NULL;
	GElf_Shdr header;

	if (!gelf_getshdr(scn, &header) ||
	    label->st_value < header.sh_addr ||
	    label->st_value - header.sh_addr > header.sh_size)
		return 1;
	return header.sh_addr + header.sh_size - label->st_value;
}

static void add_symbol(struct tr2_elf *e, int i)
{
	struct tr2_elf_symbol add = { .binding = TR2_BINDING_GLOBAL };
	GElf_Word section;
	GElf_Sym symbol;
	uint64_t size;
	Elf *elf;

	add.name = dwfl_module_getsym_info(e->module, i, &symbol, &add.start,
					   &section, &elf, NULL);
	if (!add.name || !*add.name || !is_code(&symbol))
		return;
	add.is_label = !symbol.st_size;
	size = add.is_label ? bytes_after(elf, &symbol, section) :
			      symbol.st_size;
	add.end = size > UINT64_MAX - add.start ? UINT64_MAX :
						  add.start + size;
	if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL)
		add.binding = TR2_BINDING_LOCAL;
	else if (GELF_ST_BIND(symbol.st_info) == STB_WEAK)
		add.binding = TR2_BINDING_WEAK;
	tr2_symbol_table_add(&e->table, &add);
}

/* Find a name in e->table, since libdwfl would search all symbols for each
 * address. */
static const char *name_at(struct tr2_elf *e, GElf_Addr address)
{
	int i, nr = e->is_read ? 0 : dwfl_module_getsymtab(e->module);

	for (i = 0; i < nr; i++)
		add_symbol(e, i);
	if (!e->is_read)
		tr2_symbol_table_sort(&e->table);
	e->is_read = true;
	return tr2_symbol_table_find(&e->table, address);
}

const char *tr2_elf_function(struct tr2_elf *e, struct tr2_elf_place place,
			     const char **why)
{
	const char *name;
	GElf_Addr address;

	forget_names(e);
	if (!address_of(e, place, &address)) {
		*why = "not the file that ran";
		return NULL;
	}
	name = readable(e, 0, name_at(e, address + e->bias));
	if (!name && !e->has_symbols)
		*why = stripped;
	return name;
}

#else

void tr2_elf_ask_servers(bool ask)
{
	(void)ask;
}

struct tr2_elf *tr2_elf_open(const char *path, const char **why)
{
	(void)path;
	*why = "this trace2 was built without libdw: install the Debian "
	       "package libdw-dev and build it again";
	return NULL;
}

struct tr2_elf *tr2_elf_open_build(const struct tr2_build_id *id)
{
	(void)id;
	return NULL;
}

void tr2_elf_close(struct tr2_elf *e)
{
	(void)e;
}

uint64_t tr2_elf_start(struct tr2_elf *e, struct tr2_elf_place place)
{
	(void)e;
	return place.in_file;
}

bool tr2_elf_is(const struct tr2_elf *e, const struct tr2_build_id *id)
{
	(void)e;
	(void)id;
	return false;
}

const char *tr2_elf_function(struct tr2_elf *e, struct tr2_elf_place place,
			     const char **why)
{
	(void)e;
	(void)place;
	(void)why;
	return NULL;
}

unsigned int tr2_elf_inlined(struct tr2_elf *e, struct tr2_elf_place place,
			     const char *name[TR2_ELF_INLINED])
{
	(void)e;
	(void)place;
	(void)name;
	return 0;
}

#endif

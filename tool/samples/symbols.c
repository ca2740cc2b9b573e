/* SPDX-License-Identifier: MIT */
/*
 * symbols - see samples/symbols.h.
 */
#include "samples/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "model/private.h"
#include "options.h"
#include "samples/elf.h"

/* A file, as of one process. */
struct file {
	tr2_str path;
	struct tr2_elf *elf; /* NULL: it names nothing */
	const char *why; /* NULL: it names all that was asked for */
};

struct known {
	uint32_t session;
	uint64_t address;
	struct tr2_symbol symbol;
};

struct tr2_symbols {
	struct tr2_model *m;
	struct file *files;
	uint32_t nr_files, alloc_files;
	struct known *known;
	uint32_t nr_known, alloc_known;
	struct tr2_map by_file, by_address;
};

struct tr2_symbols *tr2_symbols_new(struct tr2_model *m)
{
	struct tr2_symbols *s = calloc(1, sizeof(*s));

	if (s)
		s->m = m;
	return s;
}

void tr2_symbols_free(struct tr2_symbols *s)
{
	uint32_t i;

	for (i = 0; s && i < s->nr_files; i++)
		tr2_elf_close(s->files[i].elf);
	if (!s)
		return;
	tr2_map_release(&s->by_file);
	tr2_map_release(&s->by_address);
	free(s->files);
	free(s->known);
	free(s);
}

/* The last that was mapped there. */
static const struct tr2_mapping *find_mapping(const struct tr2_model *m,
					      uint32_t session,
					      uint64_t address)
{
	const struct tr2_mapping *mapping;
	uint32_t i;

	for (i = m->nr_mappings - 1; i; i--) {
		mapping = &m->mappings[i];
		if (mapping->session == session && address >= mapping->addr &&
		    address - mapping->addr < mapping->len)
			return mapping;
	}
	return NULL;
}

static int64_t ns_of(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static void open_file(struct file *file, const char *path, int64_t since_ns)
{
	struct stat st;

	if (*path != '/')
		return; /* no file: vdso, code that was made */
	if (stat(path, &st) || !S_ISREG(st.st_mode)) {
		file->why = "it is gone";
		return;
	}
	if (ns_of(&st.st_mtim) > since_ns || ns_of(&st.st_ctim) > since_ns) {
		file->why = "it was changed or replaced after the process "
			    "began";
		return;
	}
	file->elf = tr2_elf_open(path, &file->why);
}

static struct file *file_of(struct tr2_symbols *s,
			    const struct tr2_mapping *mapping)
{
	uint32_t *slot = tr2_map_slot(&s->by_file,
				      tr2_key(mapping->session, mapping->file));
	struct file *file;

	if (slot && *slot)
		return &s->files[*slot - 1];
	if (!slot || (s->nr_files >= s->alloc_files &&
		      !tr2_array_grow((void **)&s->files, &s->alloc_files,
				      s->nr_files, sizeof(*s->files))))
		return NULL;
	file = &s->files[s->nr_files];
	*slot = ++s->nr_files;
	*file = (struct file){ mapping->file, NULL, NULL };
	open_file(file, tr2_s(s->m, mapping->file),
		  s->m->sessions[mapping->session].wall_ns);
	return file;
}

static tr2_str offset_name(struct tr2_model *m, const char *path,
			   uint64_t offset)
{
	const char *base = strrchr(path, '/');
	struct tr2_buf b = TR2_BUF_INIT;
	char number[24];
	tr2_str name;

	snprintf(number, sizeof(number), "%s%#llx", *path ? "+" : "",
		 (unsigned long long)offset);
	tr2_buf_addstr(&b, base && base[1] ? base + 1 : path);
	tr2_buf_addstr(&b, number);
	name = tr2_intern(m, tr2_buf_str(&b), b.len);
	tr2_buf_release(&b);
	return name;
}

static struct tr2_symbol look_up(struct tr2_symbols *s, uint32_t session,
				 uint64_t address)
{
	const struct tr2_mapping *mapping =
		find_mapping(s->m, session, address);
	struct tr2_symbol symbol = { 0, 0 };
	const char *name = NULL;
	struct file *file;
	uint64_t offset;

	if (!mapping) {
		symbol.name = offset_name(s->m, "", address);
		return symbol;
	}
	symbol.module = mapping->file;
	offset = address - mapping->addr + mapping->pgoff;
	file = file_of(s, mapping);
	if (file && file->elf)
		name = tr2_elf_function(file->elf, offset, &file->why);
	symbol.name = name ? tr2_intern(s->m, name, strlen(name)) :
			     offset_name(s->m, tr2_s(s->m, mapping->file),
					 offset);
	return symbol;
}

struct tr2_symbol tr2_symbols_of_call(struct tr2_symbols *s, uint32_t session,
				      uint64_t address)
{
	uint64_t key = tr2_mix(session, address) | 1;
	struct known *known;
	uint32_t *slot;

	for (;; key += 2) {
		slot = tr2_map_slot(&s->by_address, key);
		if (!slot)
			return (struct tr2_symbol){ 0, 0 };
		if (!*slot)
			break;
		known = &s->known[*slot - 1];
		if (known->session == session && known->address == address)
			return known->symbol;
	}
	if (s->nr_known >= s->alloc_known &&
	    !tr2_array_grow((void **)&s->known, &s->alloc_known, s->nr_known,
			    sizeof(*s->known)))
		return (struct tr2_symbol){ 0, 0 };
	*slot = s->nr_known + 1;
	known = &s->known[s->nr_known++];
	*known = (struct known){ session, address,
				 look_up(s, session, address - 1) };
	return known->symbol;
}

void tr2_symbols_explain(const struct tr2_symbols *s)
{
	uint32_t i, before;

	for (i = 0; i < s->nr_files; i++) {
		for (before = 0; before < i; before++)
			if (s->files[before].path == s->files[i].path &&
			    s->files[before].why == s->files[i].why)
				break;
		if (s->files[i].why && before == i)
			tr2_warning("functions of '%s' have no names: %s",
				    tr2_s(s->m, s->files[i].path),
				    s->files[i].why);
	}
}

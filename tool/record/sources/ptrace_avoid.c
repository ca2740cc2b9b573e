/* SPDX-License-Identifier: MIT */
/* Read the dynamic symbols of an executable, and the libraries it needs. */
#include "record/sources/ptrace_avoid.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macros.h"

/* Ignore a section that is larger than this: no program needs one. */
#define MOST_BYTES (64u << 20)
#define MOST_SECTIONS 1024u

static const char leaks[] = "LeakSanitizer";
static const char debugger[] = "a debugger";

/* Debuggers that import no ptrace(): they are linked statically, or load the
 * library that traces. */
static const char *const debuggers[] = {
	"dlv",	"gdbserver", "lldb-server", "lldb", "rr",
	"strace", "ltrace", "gdb", "valgrind",
};
/* Programs that can trace, but do so only when asked to. */
static const char *const others[] = { "perf", "sudo" };
static const char *const sanitizers[] = {
	"libasan.so", "liblsan.so", "libhwasan.so", "libclang_rt.asan",
	"libclang_rt.lsan", "libclang_rt.hwasan",
};

struct table {
	char *p;
	size_t size, entry;
};

static bool read_section(int fd, const ElfW(Shdr) *section, struct table *t)
{
	*t = (struct table){ 0 };
	if (!section->sh_size || section->sh_size > MOST_BYTES)
		return false;
	t->p = malloc(section->sh_size + 1);
	t->size = section->sh_size;
	t->entry = section->sh_entsize;
	if (t->p && pread(fd, t->p, t->size, (off_t)section->sh_offset) ==
			    (ssize_t)t->size) {
		t->p[t->size] = '\0';
		return true;
	}
	free(t->p);
	t->p = NULL;
	return false;
}

static const char *name_at(const struct table *names, size_t at)
{
	return at < names->size ? names->p + at : "";
}

static const char *look_at_symbols(const struct table *symbols,
				   const struct table *names)
{
	ElfW(Sym) symbol;
	const char *name;
	size_t at;

	for (at = 0; at + sizeof(symbol) <= symbols->size;
	     at += sizeof(symbol)) {
		memcpy(&symbol, symbols->p + at, sizeof(symbol));
		name = name_at(names, symbol.st_name);
		if (!strcmp(name, "__lsan_init") ||
		    !strcmp(name, "__lsan_do_leak_check") ||
		    !strcmp(name, "__asan_init"))
			return leaks;
		if (!strcmp(name, "ptrace") && symbol.st_shndx == SHN_UNDEF)
			return debugger;
	}
	return NULL;
}

static const char *look_at_libraries(const struct table *dynamic,
				     const struct table *names)
{
	ElfW(Dyn) entry;
	const char *name;
	size_t at, i;

	for (at = 0; at + sizeof(entry) <= dynamic->size; at += sizeof(entry)) {
		memcpy(&entry, dynamic->p + at, sizeof(entry));
		if (entry.d_tag != DT_NEEDED)
			continue;
		name = name_at(names, entry.d_un.d_val);
		for (i = 0; i < ARRAY_SIZE(sanitizers); i++)
			if (!strncmp(name, sanitizers[i],
				     strlen(sanitizers[i])))
				return leaks;
	}
	return NULL;
}

static const char *look_at_section(int fd, const ElfW(Shdr) *sections,
				   uint32_t nr, const ElfW(Shdr) *section)
{
	struct table table, names;
	const char *why = NULL;

	if (section->sh_link >= nr || !read_section(fd, section, &table))
		return NULL;
	if (read_section(fd, &sections[section->sh_link], &names)) {
		why = section->sh_type == SHT_DYNSYM ?
			      look_at_symbols(&table, &names) :
			      look_at_libraries(&table, &names);
		free(names.p);
	}
	free(table.p);
	return why;
}

static const char *look_at_file(int fd)
{
	const char *why = NULL;
	ElfW(Ehdr) h;
	ElfW(Shdr) *sections;
	size_t bytes;
	uint32_t i;

	/* Read only programs of the recorder's own ELF class: others are
	 * rare. */
	if (pread(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h) ||
	    memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_CLASS] !=
		    (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    h.e_shentsize != sizeof(*sections) || h.e_shnum > MOST_SECTIONS)
		return NULL;
	bytes = h.e_shnum * sizeof(*sections);
	sections = malloc(bytes + 1);
	if (!sections)
		return NULL;
	if (pread(fd, sections, bytes, (off_t)h.e_shoff) == (ssize_t)bytes)
		for (i = 0; !why && i < h.e_shnum; i++)
			if (sections[i].sh_type == SHT_DYNSYM ||
			    sections[i].sh_type == SHT_DYNAMIC)
				why = look_at_section(fd, sections, h.e_shnum,
						      &sections[i]);
	free(sections);
	return why;
}

static bool is_in(const char *const *list, size_t nr, const char *name)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

static const char *look_at_program(const char *exe)
{
	char target[4096];
	ssize_t n = readlink(exe, target, sizeof(target) - 1);
	const char *name, *why = NULL;
	int fd;

	target[n > 0 ? n : 0] = '\0';
	name = strrchr(target, '/');
	name = name ? name + 1 : "";
	if (is_in(debuggers, ARRAY_SIZE(debuggers), name))
		return debugger;
	fd = open(exe, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0) {
		why = look_at_file(fd);
		close(fd);
	}
	return why == debugger && is_in(others, ARRAY_SIZE(others), name) ?
		       NULL : why;
}

const char *tr2_ptrace_avoids(struct tr2_avoided *a, pid_t pid)
{
	struct tr2_avoided_file *f;
	char exe[40];
	struct stat st;
	size_t i;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	if (stat(exe, &st))
		return NULL;
	for (i = 0; i < a->nr; i++) {
		f = &a->file[i];
		if (f->ino == st.st_ino && f->dev == st.st_dev &&
		    f->changed.tv_sec == st.st_ctim.tv_sec &&
		    f->changed.tv_nsec == st.st_ctim.tv_nsec)
			return f->why;
	}
	f = &a->file[a->next++ % TR2_AVOIDED_KEPT];
	if (a->nr < TR2_AVOIDED_KEPT)
		a->nr++;
	*f = (struct tr2_avoided_file){ st.st_dev, st.st_ino, st.st_ctim,
					look_at_program(exe) };
	return f->why;
}

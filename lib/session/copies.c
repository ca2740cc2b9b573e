/* SPDX-License-Identifier: MIT */
/*
 * A program that contains the archive, and a library of it that is linked with
 * the shared one: the dynamic linker leads the library's calls to this copy if the
 * program has them, else to the other, which was never initialized, and knows
 * neither a session nor that it should have one. So this copy looks for the other.
 */
#include "session/copies.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* With the names of a library that has a prefix: libmy_trace2.so. */
#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
#define OWN_NAME TEXT(trace2_initialize)
#define OWN_LEN (sizeof(OWN_NAME) - sizeof("_initialize"))

struct wanted {
	char *path;
	size_t size;
};

static bool is_shared_library(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return !strncmp(name, "lib", 3) &&
	       !strncmp(name + 3, OWN_NAME, OWN_LEN) &&
	       !strncmp(name + 3 + OWN_LEN, ".so", 3);
}

static bool contains(const struct dl_phdr_info *object, uintptr_t address)
{
	unsigned int i;

	for (i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		if (part->p_type == PT_LOAD &&
		    address - object->dlpi_addr - part->p_vaddr <
			    part->p_memsz)
			return true;
	}
	return false;
}

static int look_at(struct dl_phdr_info *object, size_t size, void *data)
{
	const struct wanted *wanted = data;
	size_t len;

	(void)size;
	if (!object->dlpi_name || !is_shared_library(object->dlpi_name) ||
	    contains(object, (uintptr_t)look_at))
		return 0;
	len = strnlen(object->dlpi_name, wanted->size - 1);
	memcpy(wanted->path, object->dlpi_name, len);
	wanted->path[len] = '\0';
	return 1;
}

int tr2_copies_find(char *path, size_t size)
{
	struct wanted wanted = { path, size };

	return dl_iterate_phdr(look_at, &wanted);
}

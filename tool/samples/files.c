/* SPDX-License-Identifier: MIT */
/* files - find and open files of the builds that were mapped. */
#include "common/map.h"
#include "common/memory.h"
#include "samples/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DELETED " (deleted)" /* the kernel appends this to the name of a removed
			      * file */

static int64_t ns_of(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

/* Was the file changed after that time? */
static bool is_newer(const char *path, int64_t since_ns)
{
	struct stat st;

	return stat(path, &st) || ns_of(&st.st_mtim) > since_ns ||
	       ns_of(&st.st_ctim) > since_ns;
}

static void open_by_times(struct tr2_samples_file *file, const char *path,
			  int64_t since_ns)
{
	if (is_newer(path, since_ns))
		file->why = "changed or replaced after the process began";
	else
		file->elf = tr2_elf_open(path, &file->why);
}

static void open_by_id(struct tr2_samples_file *file, const char *path)
{
	file->elf = tr2_elf_open(path, &file->why);
	if (!file->elf || tr2_elf_is(file->elf, &file->id))
		return;
	tr2_elf_close(file->elf);
	file->elf = NULL;
	file->why = "replaced by another build since";
}

/* Is the name the path of a file? The kernel also gives other names to
 * mappings. */
static bool is_file(const char *name)
{
	return *name == '/' && strncmp(name, "//anon", 6) &&
	       strncmp(name, "/memfd:", 7) && strncmp(name, "/dev/zero", 9) &&
	       strncmp(name, "/SYSV", 5);
}

static void open_path(struct tr2_samples_file *file, const char *path,
		      int64_t since_ns)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		file->why = "no longer there";
	else if (file->id.size)
		open_by_id(file, path);
	else
		open_by_times(file, path, since_ns);
	/* Look for a substitute: another copy of this build, or its debugging
	 * information. */
	if (!file->elf && file->id.size)
		file->elf = tr2_elf_open_build(&file->id);
	if (file->elf)
		file->why = NULL;
}

/* Open a mapped file, which may have been removed or replaced since. */
static void open_file(struct tr2_samples_file *file, const char *name,
		      int64_t since_ns)
{
	size_t len = strlen(name), end = strlen(DELETED);
	char *path;

	if (!is_file(name)) {
		file->is_generated = *name != '[';
		if (file->is_generated)
			file->why = "generated at run time";
		return;
	}
	path = tr2_strdup(name);
	if (len > end && !strcmp(name + len - end, DELETED))
		path[len - end] = '\0';
	open_path(file, path, since_ns);
	free(path);
}

static struct tr2_samples_file *new_file(struct tr2_samples_files *files,
					 const struct tr2_mapping *mapping)
{
	struct tr2_samples_file *file;

	tr2_grow(files->file, files->nr, files->alloc);
	file = &files->file[files->nr++];
	memset(file, 0, sizeof(*file));
	file->path = mapping->file;
	file->id.size = mapping->build_id_size;
	memcpy(file->id.id, mapping->build_id, sizeof(file->id.id));
	return file;
}

static bool is_same(const struct tr2_samples_file *file,
		    const struct tr2_mapping *mapping)
{
	return file->path == mapping->file &&
	       file->id.size == mapping->build_id_size &&
	       !memcmp(file->id.id, mapping->build_id, sizeof(file->id.id));
}

/* Return the key of a mapping's file. For a file with a build id, the key does
 * not depend on the process. */
static uint64_t key_of(const struct tr2_mapping *mapping)
{
	if (!mapping->build_id_size)
		return tr2_key(mapping->space, mapping->file);
	return tr2_mix(tr2_hash((const char *)mapping->build_id,
				mapping->build_id_size), mapping->file) | 1;
}

/* Return the start of the process of a mapping. */
static int64_t start_of(const struct tr2_model *m,
			const struct tr2_mapping *mapping)
{
	const struct tr2_space *space = &m->spaces[mapping->space];

	return space->session ? m->sessions[space->session].wall_ns :
				space->start_ns;
}

/* Find a file without a build id that another process has mapped, too. Both
 * mapped the same file if it did not change after this process began. */
static uint32_t find_shared(struct tr2_samples_files *files,
			    const struct tr2_model *m,
			    const struct tr2_mapping *mapping)
{
	uint32_t i = tr2_map_get(&files->by_path, tr2_key(0, mapping->file));

	if (mapping->build_id_size || !i || !files->file[i - 1].elf ||
	    is_newer(tr2_s(m, mapping->file), start_of(m, mapping)))
		return 0;
	return i;
}

uint32_t tr2_samples_file(struct tr2_samples_files *files,
			  const struct tr2_model *m,
			  const struct tr2_mapping *mapping)
{
	uint64_t key = key_of(mapping);
	struct tr2_samples_file *file;
	uint32_t *slot;

	for (;; key += 2) {
		slot = tr2_map_slot(&files->by_key, key ? key : 1);
		if (!*slot)
			break;
		if (is_same(&files->file[*slot - 1], mapping))
			return *slot - 1;
	}
	*slot = find_shared(files, m, mapping);
	if (*slot)
		return *slot - 1;
	file = new_file(files, mapping);
	*slot = files->nr;
	open_file(file, tr2_s(m, mapping->file), start_of(m, mapping));
	if (file->elf && !mapping->build_id_size)
		*tr2_map_slot(&files->by_path,
			      tr2_key(0, mapping->file)) = files->nr;
	return files->nr - 1;
}

void tr2_samples_files_release(struct tr2_samples_files *files)
{
	uint32_t i;

	for (i = 0; i < files->nr; i++)
		tr2_elf_close(files->file[i].elf);
	tr2_map_release(&files->by_key);
	tr2_map_release(&files->by_path);
	free(files->file);
}

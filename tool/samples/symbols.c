/* SPDX-License-Identifier: MIT */
/* symbols - find functions at addresses and their names, and cache them. */
#include "samples/symbols.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "common/map.h"
#include "common/memory.h"
#include "common/say.h"
#include "common/words.h"
#include "out/progress.h"
#include "out/units.h"
#include "samples/files.h"
#include "samples/generated.h"
#include "samples/mappings.h"
#include "samples/nameless.h"
#include "samples/unwind.h"

/* The symbol of all addresses without a mapping. The kernel finds calls by
 * frame pointers: where these do not point to frames, the kernel finds
 * arbitrary addresses. */
#define UNKNOWN "[unknown]"

/* The functions that were found at a place in a file, or at an address outside
 * of files. */
struct known {
	uint32_t file; /* UINT32_MAX: no file; UINT32_MAX - N: the kernel with
			* the number N */
	struct tr2_elf_place place;
	uint32_t symbol; /* symbol of the function */
	/* Range in `numbers`: the functions that were inlined into the
	 * function, the innermost first. Look them up only on request, since
	 * finding them takes longest. */
	uint32_t first, nr;
	bool has_inlined; /* there may be inlined functions, which were not
			   * looked up yet */
	bool is_nameless; /* a function of a file, without a name */
	bool is_python; /* the function interprets Python, and could name
			 * Python's functions */
};

/* An address for which a process has only one mapping. */
struct address {
	uint32_t space, known; /* known: 1 + the index in symbols.known */
	uint64_t address;
};

struct tr2_symbols {
	struct tr2_model *m;
	struct tr2_mappings mappings;
	struct tr2_samples_files files;
	struct tr2_symbol *symbols; /* entry 0 stands for no symbol */
	uint32_t nr_symbols, alloc_symbols;
	uint32_t *numbers;
	uint32_t nr_numbers, alloc_numbers;
	struct known *known;
	uint32_t nr_known, alloc_known;
	struct address *addresses;
	uint32_t nr_addresses, alloc_addresses;
	struct tr2_map by_place, by_name, by_address;
	struct tr2_generated generated;
	uint32_t nr_samples; /* number of samples whose innermost function was
			      * looked up */
	uint32_t nr_python; /* number of these samples in Python, whose
			     * functions have no names */
	struct tr2_progress progress;
};

void tr2_symbols_ask_servers(bool ask)
{
	tr2_elf_ask_servers(ask);
}

static struct tr2_symbols *new_symbols(struct tr2_model *m)
{
	struct tr2_symbols *s = tr2_calloc(1, sizeof(*s));

	s->m = m;
	tr2_mappings_init(&s->mappings, m);
	tr2_grow(s->symbols, 0, s->alloc_symbols);
	s->symbols[s->nr_symbols++] = (struct tr2_symbol){ 0, 0, 0 };
	return s;
}

struct tr2_symbols *tr2_symbols_new(struct tr2_model *m)
{
	struct tr2_symbols *s = new_symbols(m);

	tr2_unwind_samples(m, &s->mappings, &s->files);
	return s;
}

struct tr2_symbols *tr2_symbols_new_innermost(struct tr2_model *m)
{
	tr2_unwind_innermost(m);
	return new_symbols(m);
}

void tr2_symbols_free(struct tr2_symbols *s)
{
	if (!s)
		return;
	tr2_mappings_release(&s->mappings);
	tr2_samples_files_release(&s->files);
	tr2_generated_release(&s->generated);
	tr2_map_release(&s->by_place);
	tr2_map_release(&s->by_name);
	tr2_map_release(&s->by_address);
	free(s->symbols);
	free(s->numbers);
	free(s->known);
	free(s->addresses);
	free(s);
}

struct tr2_symbol tr2_symbol(const struct tr2_symbols *s, uint32_t symbol)
{
	return s->symbols[symbol];
}

uint32_t tr2_symbols_number(struct tr2_symbols *s, struct tr2_symbol symbol)
{
	uint64_t key = tr2_mix(tr2_key(symbol.name, symbol.module),
			       symbol.is_inlined) | 1;
	const struct tr2_symbol *old;
	uint32_t *slot;

	for (;; key += 2) {
		slot = tr2_map_slot(&s->by_name, key);
		if (!*slot)
			break;
		old = &s->symbols[*slot];
		if (old->name == symbol.name && old->module == symbol.module &&
		    old->is_inlined == symbol.is_inlined)
			return *slot;
	}
	tr2_grow(s->symbols, s->nr_symbols, s->alloc_symbols);
	s->symbols[s->nr_symbols] = symbol;
	*slot = s->nr_symbols;
	return s->nr_symbols++;
}

uint32_t tr2_symbols_unknown(struct tr2_symbols *s)
{
	const struct tr2_symbol symbol = {
		tr2_intern(s->m, UNKNOWN, strlen(UNKNOWN)), 0, false
	};

	return tr2_symbols_number(s, symbol);
}

static tr2_str offset_name(struct tr2_model *m, const char *path,
			   uint64_t offset)
{
	struct tr2_buf b = TR2_BUF_INIT;
	char number[24];
	tr2_str name;

	snprintf(number, sizeof(number), "%s%#llx", *path ? "+" : "",
		 (unsigned long long)offset);
	tr2_buf_addstr(&b, tr2_base_name(path));
	tr2_buf_addstr(&b, number);
	name = tr2_intern(m, tr2_buf_str(&b), b.len);
	tr2_buf_release(&b);
	return name;
}

/* Add the functions that are inlined at a place. */
static void add_inlined(struct tr2_symbols *s, struct known *known)
{
	const char *name[TR2_ELF_INLINED];
	unsigned int nr = tr2_elf_inlined(s->files.file[known->file].elf,
					  known->place, name), i;
	struct tr2_symbol symbol = s->symbols[known->symbol];

	symbol.is_inlined = true;
	known->has_inlined = false;
	known->first = s->nr_numbers;
	known->nr = nr;
	for (i = 0; i < nr; i++) {
		symbol.name = tr2_intern(s->m, name[i], strlen(name[i]));
		tr2_grow(s->numbers, s->nr_numbers, s->alloc_numbers);
		s->numbers[s->nr_numbers++] = tr2_symbols_number(s, symbol);
	}
}

/* Did the program generate the code of this mapping? The place in a file has no
 * meaning then. */
static bool is_anonymous(const struct tr2_symbols *s, uint32_t mapping)
{
	return !strncmp(tr2_s(s->m, s->m->mappings[mapping].file), "//anon", 6);
}

static uint64_t start_of(const struct tr2_symbols *s,
			 const struct known *known)
{
	struct tr2_elf *elf = known->file == UINT32_MAX ? NULL :
				      s->files.file[known->file].elf;

	return elf ? tr2_elf_start(elf, known->place) : known->place.in_file;
}

/* Find the function at a place. */
static void look_up(struct tr2_symbols *s, struct known *known,
		    uint32_t mapping)
{
	tr2_str file = s->m->mappings[mapping].file;
	struct tr2_samples_file *opened = known->file == UINT32_MAX ? NULL :
					  &s->files.file[known->file];
	const char *name = opened && opened->elf ?
		tr2_elf_function(opened->elf, known->place, &opened->why) :
		NULL;
	struct tr2_symbol symbol = { 0, file, false };

	known->has_inlined = name != NULL;
	known->is_nameless = !name && opened;
	known->is_python = name && tr2_generated_is_python(tr2_s(s->m, file),
							   name);
	if (known->is_nameless)
		opened->is_nameless = true;
	/* Make all of [vdso], the kernel's code for programs, one function. A
	 * function without a name gets a name from the address of its start. */
	if (name)
		symbol.name = tr2_intern(s->m, name, strlen(name));
	else if (mapping && *tr2_s(s->m, file) == '[')
		symbol.name = file;
	else if (mapping)
		symbol.name = offset_name(s->m, is_anonymous(s, mapping) ? "" :
							tr2_s(s->m, file),
					  start_of(s, known));
	else
		symbol.name = tr2_intern(s->m, UNKNOWN, strlen(UNKNOWN));
	known->symbol = tr2_symbols_number(s, symbol);
}

static uint32_t *slot_of(struct tr2_symbols *s, uint32_t file, uint64_t place)
{
	uint64_t key = tr2_mix(file, place) | 1;
	const struct known *known;
	uint32_t *slot;

	for (;; key += 2) {
		slot = tr2_map_slot(&s->by_place, key);
		if (!*slot)
			return slot;
		known = &s->known[*slot - 1];
		if (known->file == file && known->place.in_file == place)
			return slot;
	}
}

/* Look up a place, unless it is known. Return 1 + its index in s->known. */
static uint32_t know(struct tr2_symbols *s, uint32_t mapping,
		     struct known *known)
{
	uint32_t *slot = slot_of(s, known->file, known->place.in_file);

	if (!*slot) {
		look_up(s, known, mapping);
		tr2_grow(s->known, s->nr_known, s->alloc_known);
		s->known[s->nr_known++] = *known;
		*slot = s->nr_known;
	}
	return *slot;
}

/* Return the function of the space's kernel at an address; NULL: unknown. */
static const struct tr2_kernel_function *
kernel_function(const struct tr2_model *m, uint32_t space, uint64_t address)
{
	const struct tr2_kernel_function *list = m->kernel_functions;
	uint32_t kernel = m->spaces[space].kernel, low = 1, middle;
	uint32_t high = m->nr_kernel_functions;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (list[middle].kernel < kernel ||
		    (list[middle].kernel == kernel &&
		     list[middle].addr <= address))
			low = middle + 1;
		else
			high = middle;
	}
	return list[low - 1].kernel == kernel && kernel ? &list[low - 1] : NULL;
}

/* Add a function with a known name at an address of `file` (see struct known),
 * unless it was added before. Return 1 + its index in s->known. */
static uint32_t know_function(struct tr2_symbols *s, uint32_t file,
			      uint64_t address, struct tr2_symbol symbol)
{
	uint32_t *slot = slot_of(s, file, address);

	if (!*slot) {
		tr2_grow(s->known, s->nr_known, s->alloc_known);
		s->known[s->nr_known++] = (struct known){
			.file = file, .place.in_file = address,
			.symbol = tr2_symbols_number(s, symbol) };
		*slot = s->nr_known;
	}
	return *slot;
}

/* Add a generated function with a known name, unless it was added before. Other
 * functions may have the same address, so the place of the function is its
 * number, counted down from the largest address. */
static uint32_t know_generated(struct tr2_symbols *s, uint32_t file,
			       uint32_t code, tr2_str module)
{
	return know_function(s, file, UINT64_MAX - code,
			     (struct tr2_symbol){
				     .name = s->m->code_functions[code].name,
				     .module = module });
}

/* Return the task of a sample's process; 0: unknown. */
static uint32_t task_of(const struct tr2_model *m,
			const struct tr2_model_sample *sample)
{
	return sample->task_thread ? m->task_threads[sample->task_thread].task :
				     m->nodes[sample->node].task;
}

/* Set the reason why functions of a process have no names, if it is known. */
static void explain_generated(const struct tr2_symbols *s,
			      struct tr2_samples_file *file, uint32_t task)
{
	const struct tr2_segment *segment =
		&s->m->segments[s->m->tasks[task].last_segment];
	const char *why = NULL;

	/* Look at argv first: programs rename themselves, such as node to
	 * npm. */
	if (segment->argv.nr)
		why = tr2_generated_why(tr2_base_name(segment->argv.text));
	if (!why)
		why = tr2_generated_why(tr2_s(s->m, segment->comm));
	if (file->is_generated && why)
		file->why = why;
}

static uint32_t know_address(struct tr2_symbols *s,
			     const struct tr2_model_sample *sample,
			     uint64_t address, bool *always)
{
	int64_t at_ns = tr2_sample_time_in_space(s->m, sample);
	const struct tr2_kernel_function *function =
		address >> 63 ? kernel_function(s->m, sample->space, address) :
				NULL;
	uint32_t mapping =
		tr2_mappings_find(&s->mappings, sample->space, address, at_ns,
				  always);
	const struct tr2_mapping *map = &s->m->mappings[mapping];
	struct known known = { .file = UINT32_MAX,
			       .place = { address, address } };
	uint32_t code;

	if (function)
		return know_function(s, UINT32_MAX - function->kernel,
				     function->addr,
				     (struct tr2_symbol){
					     .name = function->name,
					     .module = function->module });
	if (mapping && !is_anonymous(s, mapping)) {
		known.place.in_segment -= map->addr;
		known.place.in_file = known.place.in_segment + map->pgoff;
	}
	if (mapping)
		known.file = tr2_samples_file(&s->files, s->m, map);
	if (mapping && !s->files.file[known.file].elf) {
		code = tr2_generated_find(&s->generated, s->m,
					  task_of(s->m, sample), address, at_ns,
					  always);
		if (code)
			return know_generated(s, known.file, code, map->file);
		explain_generated(s, &s->files.file[known.file],
				  task_of(s->m, sample));
	}
	return know(s, mapping, &known);
}

/* Find an address among the known addresses, since most addresses occur many
 * times. NULL: the address is new; set *free_slot to the slot for it. */
static const struct address *find_address(struct tr2_symbols *s,
					  uint32_t space, uint64_t address,
					  uint32_t **free_slot)
{
	uint64_t key = tr2_mix(space, address) | 1;
	const struct address *known;

	for (;; key += 2) {
		*free_slot = tr2_map_slot(&s->by_address, key ? key : 1);
		if (!**free_slot)
			return NULL;
		known = &s->addresses[**free_slot - 1];
		if (known->space == space && known->address == address)
			return known;
	}
}

static uint32_t known_of(struct tr2_symbols *s,
			 const struct tr2_model_sample *sample,
			 uint64_t address)
{
	uint32_t *slot, known;
	const struct address *old =
		find_address(s, sample->space, address, &slot);
	bool always;

	if (old)
		return old->known;
	known = know_address(s, sample, address, &always);
	if (!always)
		return known;
	tr2_grow(s->addresses, s->nr_addresses, s->alloc_addresses);
	s->addresses[s->nr_addresses++] = (struct address){
		sample->space, known, address };
	*slot = s->nr_addresses;
	return known;
}

bool tr2_symbols_next(struct tr2_symbols *s, uint32_t *sample)
{
	s->progress.total = s->m->nr_samples - 1;
	if (!*sample)
		tr2_progress_start(&s->progress, "naming functions of sample");
	if (++*sample == s->m->nr_samples) {
		tr2_progress_end(&s->progress);
		return false;
	}
	tr2_progress_step(&s->progress, *sample - 1);
	return true;
}

/* Find the functions of a call. Count a sample only at its innermost call. */
static struct known *known_of_call(struct tr2_symbols *s,
				   const struct tr2_model_sample *sample,
				   uint32_t call)
{
	uint64_t address = s->m->calls[sample->first_call + call];
	uint32_t place = known_of(s, sample, address - 1);
	struct known *known = &s->known[place - 1];

	if (!call) {
		s->nr_samples++;
		s->nr_python += known->is_python &&
				!tr2_generated_any(&s->generated, s->m,
						   task_of(s->m, sample));
		if (known->is_nameless)
			s->files.file[known->file].nr_nameless++;
	}
	return known;
}

uint32_t tr2_symbols_function(struct tr2_symbols *s,
			      const struct tr2_model_sample *sample,
			      uint32_t call)
{
	return known_of_call(s, sample, call)->symbol;
}

unsigned int tr2_symbols_of_call(struct tr2_symbols *s,
				 const struct tr2_model_sample *sample,
				 uint32_t call,
				 uint32_t symbol[TR2_SYMBOLS_OF_CALL])
{
	struct known *known = known_of_call(s, sample, call);

	if (known->has_inlined)
		add_inlined(s, known);
	if (known->nr)
		memcpy(symbol, &s->numbers[known->first],
		       known->nr * sizeof(*symbol));
	symbol[known->nr] = known->symbol;
	return known->nr + 1;
}

void tr2_symbols_explain(const struct tr2_symbols *s)
{
	tr2_nameless_explain(&s->files, s->m, s->nr_samples);
	if (s->nr_python)
		tr2_warning("%s of the samples are in the interpreter of "
			    "Python: with PYTHONPERFSUPPORT=1, Python names its "
			    "functions",
			    tr2_share_text((double)s->nr_python /
					   s->nr_samples));
}

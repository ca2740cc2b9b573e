/* SPDX-License-Identifier: MIT */
/* kernel_profile - read samples and mappings from the kernel's records. */
#include "format/kernel/kernel_profile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/lines.h"
#include "common/memory.h"
#include "common/order.h"
#include "format/events/utf8.h"
#include "model/private.h"
#include "model/states.h"

/* Values from FIRST_MARKER on are not addresses: each marks the beginning of a
 * part of the call path. USER_MARKER marks the part of the user's code. */
#define FIRST_MARKER ((uint64_t)-4095)
#define USER_MARKER ((uint64_t)-512)

/* Parse a line `ADDRESS TYPE NAME [MODULE]`, and call fn for the function. */
static void pass_line(const char *line, size_t len, tr2_kernel_symbol_fn *fn,
		      void *data)
{
	const char *end = line + len, *name, *module;
	uint64_t addr = 0;
	unsigned int digit;

	for (; line < end && *line != ' '; line++) {
		digit = *line >= 'a' ? (unsigned int)(*line - 'a' + 10) :
				       (unsigned int)(*line - '0');
		if (digit > 15)
			return;
		addr = addr << 4 | digit;
	}
	/* Skip lines with address 0: without permission, the kernel shows only
	 * these. */
	if (end - line < 4 || line[2] != ' ' || !addr)
		return;
	name = line + 3;
	len = (size_t)(end - name);
	module = memchr(name, '\t', len);
	if (!module)
		module = memchr(name, ' ', len);
	if (module)
		len = (size_t)(module++ - name);
	else
		module = end;
	fn(data, addr, name, len, module, (size_t)(end - module));
}

/* Read the functions of a file, and call fn for each. */
static void each_symbol(int fd, tr2_kernel_symbol_fn *fn, void *data)
{
	struct tr2_lines lines = { 0 };
	enum tr2_lines_result got;
	const char *line;
	size_t len;

	tr2_lines_start(&lines, fd);
	while ((got = tr2_lines_next(&lines, &line, &len)) == TR2_LINES_LINE ||
	       got == TR2_LINES_LAST)
		pass_line(line, len, fn, data);
	tr2_lines_release(&lines);
}

static void add_symbol(void *data, uint64_t addr, const char *name, size_t len,
		       const char *module, size_t module_len)
{
	struct tr2_kernel_symbols *s = data;

	(void)module;
	(void)module_len;
	tr2_grow(s->list, s->nr, s->alloc);
	s->list[s->nr++] = (struct tr2_kernel_symbol){
		addr, tr2_wait_function(name, len)
	};
}

TR2_ORDER(by_symbol, struct tr2_kernel_symbol, TR2_UP(addr))

void tr2_kernel_symbols_read(struct tr2_kernel_symbols *s, int fd)
{
	each_symbol(fd, add_symbol, s);
	if (s->nr)
		qsort(s->list, s->nr, sizeof(*s->list), by_symbol);
}

void tr2_kernel_symbols_release(struct tr2_kernel_symbols *s)
{
	free(s->list);
}

/* Return the function that has this address; NULL: unknown. */
static const struct tr2_wait_function *
find(const struct tr2_kernel_symbols *s, uint64_t addr)
{
	uint32_t low = 0, high = s->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (s->list[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &s->list[low - 1].function : NULL;
}

enum tr2_cause tr2_kernel_symbols_cause(const struct tr2_kernel_symbols *s,
					const unsigned char *calls,
					uint32_t nr, bool *futex)
{
	enum tr2_cause cause = TR2_CAUSE_unknown;
	const struct tr2_wait_function *f;
	bool found = false;
	uint64_t addr;
	uint32_t i;

	for (i = 0; s->nr && i < nr; i++) {
		memcpy(&addr, calls + i * sizeof(addr), sizeof(addr));
		if (addr == USER_MARKER)
			break;
		if (addr >= FIRST_MARKER)
			continue;
		/* Look up the address before the return address: the call is
		 * there. */
		f = find(s, addr - 1);
		if (f && f->page_fault && cause == TR2_CAUSE_disk)
			return TR2_CAUSE_page;
		if (f && f->listed && !found) {
			cause = f->cause;
			*futex = f->futex;
			found = true;
			if (cause != TR2_CAUSE_disk)
				return cause;
		}
		if (f && cause == TR2_CAUSE_unknown)
			cause = TR2_CAUSE_other;
	}
	return cause;
}

/* Reject a longer list of addresses: it is no call path. */
#define MAX_CALLS 4096
/* Values from FIRST_MARKER on are not addresses: each marks the beginning of a
 * part of the call path. */
#define FIRST_MARKER ((uint64_t)-4095)

void tr2_kernel_profile_begin(struct tr2_kernel_profile *p, struct tr2_model *m,
			      const struct tr2_kernel_data *f)
{
	struct tr2_model_input *in = &m->inputs[m->nr_inputs - 1];
	uint32_t i;

	*p = (struct tr2_kernel_profile){ .m = m,
					  .first_sample = m->nr_samples };
	for (i = 0; i < f->nr_sources; i++) {
		if (f->sources[i].is != TR2_DATA_PROFILE)
			continue;
		p->is_on = true;
		in->period_ns = (int64_t)f->sources[i].sample_period;
		in->samples_without_kernel = f->sources[i].without_kernel;
	}
	if (p->is_on) {
		p->cpu = tr2_intern(m, "task-clock", 10);
		p->waits = tr2_intern(m, "waits", 5);
	}
}

void tr2_kernel_profile_release(struct tr2_kernel_profile *p)
{
	tr2_map_release(&p->spaces);
}

static void add_function(void *data, uint64_t addr, const char *name,
			 size_t len, const char *module, size_t module_len)
{
	struct tr2_kernel_profile *p = data;
	struct tr2_model *m = p->m;
	struct tr2_kernel_function *f;
	uint32_t i;

	if (!tr2_utf8_valid(name, len) || !tr2_utf8_valid(module, module_len))
		return;
	i = tr2_add(m, kernel_functions);
	f = &m->kernel_functions[i];
	f->addr = addr;
	f->kernel = p->kernel;
	f->name = tr2_intern(m, name, len);
	f->module = module_len ? tr2_intern(m, module, module_len) :
				 tr2_intern(m, "[kernel]", 8);
}

TR2_ORDER(by_addr, struct tr2_kernel_function, TR2_UP(addr))

void tr2_kernel_profile_names(struct tr2_kernel_profile *p, int fd)
{
	struct tr2_model *m = p->m;
	uint32_t first = m->nr_kernel_functions;

	/* Use the next number: the list already has the functions of the
	 * kernels of earlier recordings. */
	p->kernel = m->kernel_functions[first - 1].kernel + 1;
	each_symbol(fd, add_function, p);
	if (m->nr_kernel_functions > first)
		qsort(m->kernel_functions + first,
		      m->nr_kernel_functions - first,
		      sizeof(*m->kernel_functions), by_addr);
	else
		p->kernel = 0;
}

static uint32_t new_space(struct tr2_kernel_profile *p, uint32_t pid,
			  uint32_t parent, int64_t wall_ns)
{
	uint32_t i = tr2_add(p->m, spaces);

	p->m->spaces[i] = (struct tr2_space){ .parent = parent,
					      .start_ns = wall_ns,
					      .kernel = p->kernel };
	*tr2_map_slot(&p->spaces, tr2_key(0, pid)) = i;
	return i;
}

static uint32_t space_of(struct tr2_kernel_profile *p, uint32_t pid,
			 int64_t wall_ns)
{
	uint32_t i = tr2_map_get(&p->spaces, tr2_key(0, pid));

	return i ? i : new_space(p, pid, 0, wall_ns);
}

/* Handle a fork; ids: pid, ppid. The new process gets its parent's present
 * mappings, including mappings that the parent got at its own fork. */
static void on_fork(struct tr2_kernel_profile *p, const uint32_t ids[2],
		    int64_t wall_ns)
{
	const struct tr2_space *parent;
	uint32_t i;

	if (ids[0] == ids[1]) /* a thread */
		return;
	i = space_of(p, ids[1], wall_ns);
	parent = &p->m->spaces[i];
	if (!parent->has_mappings && parent->parent) {
		i = parent->parent;
		wall_ns = parent->start_ns;
	}
	new_space(p, ids[0], i, wall_ns);
}

static bool read_name(struct tr2_kernel_profile *p, const unsigned char *at,
		      size_t size, struct tr2_mapping *mapping)
{
	const char *name = (const char *)at;
	size_t len = strnlen(name, size);

	mapping->file = tr2_utf8_intern(p->m, name, len);
	return len > 0;
}

/* The fields that MMAP and MMAP2 share, as in the kernel's records. */
struct mapped {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
};

struct mapped_file {
	uint8_t build_id_size, reserved[3];
	uint8_t build_id[TR2_BUILD_ID_MAX];
	uint32_t prot, flags;
};

/* Read the fields of MMAP2 before the name. Return false if the mapping is not
 * code. */
static bool read_file(const struct tr2_kernel_record *r, size_t *at,
		      struct tr2_mapping *mapping)
{
	struct mapped_file file;

	if (r->type == PERF_RECORD_MMAP)
		return !(r->misc & PERF_RECORD_MISC_MMAP_DATA);
	if (r->len < *at + sizeof(file))
		return false;
	memcpy(&file, r->body + *at, sizeof(file));
	*at += sizeof(file);
	if (r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
	    file.build_id_size <= sizeof(file.build_id)) {
		mapping->build_id_size = file.build_id_size;
		memcpy(mapping->build_id, file.build_id,
		       sizeof(file.build_id));
	}
	return file.prot & PROT_EXEC;
}

static void on_mapping(struct tr2_kernel_profile *p,
		       const struct tr2_kernel_record *r, int64_t wall_ns)
{
	struct tr2_mapping mapping = { .at_ns = wall_ns };
	size_t at = sizeof(struct mapped);
	struct mapped mapped;
	uint32_t i;

	if (r->len < sizeof(mapped))
		return;
	memcpy(&mapped, r->body, sizeof(mapped));
	if (mapped.pid == UINT32_MAX || !read_file(r, &at, &mapping) ||
	    !read_name(p, r->body + at, r->len - at, &mapping))
		return;
	mapping.space = space_of(p, mapped.pid, wall_ns);
	p->m->spaces[mapping.space].has_mappings = true;
	mapping.addr = mapped.addr;
	mapping.len = mapped.len;
	mapping.pgoff = mapped.pgoff;
	i = tr2_add(p->m, mappings);
	p->m->mappings[i] = mapping;
}

void tr2_kernel_profile_process(struct tr2_kernel_profile *p,
				const struct tr2_kernel_record *r,
				int64_t wall_ns)
{
	uint32_t ids[2];

	if (!p->is_on || r->len < sizeof(ids))
		return;
	memcpy(ids, r->body, sizeof(ids));
	if (r->type == PERF_RECORD_FORK)
		on_fork(p, ids, wall_ns);
	else if (r->type == PERF_RECORD_COMM &&
		 r->misc & PERF_RECORD_MISC_COMM_EXEC)
		new_space(p, ids[0], 0, wall_ns);
	else if (r->type == PERF_RECORD_MMAP || r->type == PERF_RECORD_MMAP2)
		on_mapping(p, r, wall_ns);
}

static void add_call(struct tr2_model *m, struct tr2_model_sample *sample,
		     uint64_t addr)
{
	uint32_t call = tr2_add(m, calls);

	m->calls[call] = addr;
	if (!sample->nr_calls++)
		sample->first_call = call;
}

/* Add return addresses. The first address in the kernel, and the first in the
 * process, is the address of the instruction itself: add 1 to it. */
static void add_calls(struct tr2_model *m, struct tr2_model_sample *sample,
		      const struct tr2_kernel_record *r)
{
	bool is_return = false;
	uint64_t addr;
	uint32_t i;

	for (i = 0; i < r->nr_calls && i < MAX_CALLS; i++) {
		memcpy(&addr, r->calls + i * sizeof(addr), sizeof(addr));
		if (addr < FIRST_MARKER)
			add_call(m, sample, addr + !is_return);
		is_return = addr < FIRST_MARKER;
	}
}

/* Keep the place of the copied stack in the file. Do not keep the copy itself,
 * which few readers need. Return 0 if the file cannot be kept open. */
static uint32_t add_stack(struct tr2_kernel_profile *p,
			  const struct tr2_kernel_data *f,
			  const struct tr2_kernel_record *r)
{
	struct tr2_model *m = p->m;
	uint32_t i;
	int fd;

	if (!p->stack_file) {
		fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 3);
		if (fd < 0)
			return 0;
		p->stack_file = tr2_add(m, stack_files);
		m->stack_files[p->stack_file] = (struct tr2_stack_file){
			fd, r->source->registers };
	}
	i = tr2_add(m, stacks);
	m->stacks[i] = (struct tr2_sample_stack){
		.file = p->stack_file,
		.len = r->stack_len,
		.registers_at = r->at + (uint64_t)(r->registers - r->body),
		.stack_at = r->at + (uint64_t)(r->stack - r->body),
	};
	return i;
}

/* Add a sample of an event with the calls of the record. */
static void add_sample(struct tr2_kernel_profile *p, tr2_str event,
		       const struct tr2_kernel_record *r, uint32_t task_thread,
		       int64_t wall_ns, uint32_t stack)
{
	struct tr2_model_sample sample = {
		.event = event,
		.cpu = r->ring,
		.task_thread = task_thread,
		.space = space_of(p, (uint32_t)r->pid, wall_ns),
		.at_ns = wall_ns,
		.count = r->source->sample_period,
		.is_time = true,
		.is_wait = event == p->waits,
		.stack = stack,
	};
	uint32_t i;

	add_calls(p->m, &sample, r);
	i = tr2_add(p->m, samples);
	p->m->samples[i] = sample;
}

void tr2_kernel_profile_sample(struct tr2_kernel_profile *p,
			       const struct tr2_kernel_data *f,
			       const struct tr2_kernel_record *r,
			       uint32_t task_thread, int64_t wall_ns)
{
	if (task_thread)
		add_sample(p, p->cpu, r, task_thread, wall_ns,
			   r->registers && r->stack ? add_stack(p, f, r) : 0);
	else
		p->nr_unknown++;
}

/* Add only the program's own calls. The kernel's calls only serve to find the
 * cause of the wait. */
void tr2_kernel_profile_leaves(struct tr2_kernel_profile *p,
			       const struct tr2_kernel_record *r,
			       uint32_t task_thread, int64_t wall_ns)
{
	struct tr2_kernel_record user = *r;
	uint64_t addr = 0;

	while (user.nr_calls && addr != USER_MARKER) {
		memcpy(&addr, user.calls, sizeof(addr));
		user.calls += sizeof(addr);
		user.nr_calls--;
	}
	if (task_thread && user.nr_calls)
		add_sample(p, p->waits, &user, task_thread, wall_ns, 0);
}

/* The kernel reports the calls at most this long before the thread leaves its
 * CPU. */
#define LEAVING_NS 50000

/* Return the wait that began at this time, or at most LEAVING_NS later; 0:
 * there is no such wait. */
static uint32_t wait_at(const struct tr2_model *m, uint32_t thread,
			int64_t wall_ns)
{
	const struct tr2_task_thread *t = &m->task_threads[thread];
	uint32_t i = tr2_state_at(m, thread, wall_ns);

	if (i && m->states[i].kind == TR2_STATE_RUN &&
	    i + 1 < t->first_state + t->nr_states)
		i++;
	return i && m->states[i].kind == TR2_STATE_WAIT &&
			       m->states[i].start_ns <= wall_ns + LEAVING_NS &&
			       m->states[i].start_ns >= wall_ns ?
		       i : 0;
}

/* Turn the calls of a thread that left its CPU into a sample of the wait that
 * then began. Return false if no wait began. */
static bool set_wait(const struct tr2_model *m, struct tr2_model_sample *s)
{
	uint32_t state = wait_at(m, s->task_thread, s->at_ns);

	if (!state)
		return false;
	s->at_ns = m->states[state].start_ns;
	s->count = (uint64_t)(tr2_state_end(m, s->task_thread, state) -
			      s->at_ns);
	return true;
}

void tr2_kernel_profile_waits(struct tr2_kernel_profile *p)
{
	struct tr2_model *m = p->m;
	uint32_t i, nr = p->first_sample;

	for (i = nr; i < m->nr_samples; i++) {
		struct tr2_model_sample *s = &m->samples[i];

		if (!s->is_wait || set_wait(m, s))
			m->samples[nr++] = *s;
	}
	m->nr_samples = nr;
}

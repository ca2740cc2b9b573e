/* SPDX-License-Identifier: MIT */
/* kernel_data_load - pass the records of kernel.data to the model. */
#include "format/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/words.h"
#include "common/memory.h"
#include "format/events/utf8.h"
#include "format/kernel/kernel_data.h"
#include "format/kernel/kernel_profile.h"
#include "model/build/build.h"
#include "model/build/build_states.h"

/* Because of an interrupt, a record may be earlier than the previous record in
 * its ring, by at most this. */
#define SWAPPED_NS 1000000

struct kernel {
	struct tr2_model *m;
	tr2_str source;
	struct tr2_kernel_data file;
	struct tr2_kernel_symbols symbols;
	struct tr2_states_build *build;
	struct tr2_kernel_profile profile;
	/* Maps the machine's tids to a container's tids. In a container,
	 * tracepoints have the machine's tids. Samples of switches have both,
	 * and fill the map. */
	struct tr2_map tids;
	bool in_container;
	uint64_t *last_ns; /* by ring: time of the ring's last record */
	uint64_t end_ns, lost, went_back;
	struct tr2_buf comm; /* a repaired comm that was not UTF-8 */
};

static int64_t wall_of(const struct kernel *k, uint64_t time_ns)
{
	if (time_ns > INT64_MAX / 4)
		time_ns = INT64_MAX / 4;
	return tr2_wall_ns((int64_t)time_ns + k->m->meta_wall_ns -
			   k->m->meta_mono_ns);
}

/* Convert a record of a task. The bodies are: FORK and EXIT: pid, ppid, tid,
 * ptid, time. COMM: pid, tid, comm. */
static bool load_task(const struct kernel *k, const struct tr2_kernel_record *r,
		      struct tr2_task_record *out)
{
	uint32_t ids[4];
	uint64_t time_ns;
	size_t n = r->type == PERF_RECORD_COMM ? 2 : 4;

	if (r->len < n * sizeof(*ids))
		return false;
	memcpy(ids, r->body, n * sizeof(*ids));
	out->pid = (int32_t)ids[0];
	out->tid = (int32_t)ids[n / 2];
	if (n == 2) {
		out->kind = TR2_TASK_RECORD_COMM;
		out->how = r->misc & PERF_RECORD_MISC_COMM_EXEC ? TR2_HOW_EXEC :
								  0;
		out->comm.p = (const char *)r->body + 2 * sizeof(*ids);
		out->comm.len = strnlen(out->comm.p, r->len - 2 * sizeof(*ids));
	} else {
		out->kind = r->type == PERF_RECORD_FORK ? TR2_TASK_RECORD_FORK :
							  TR2_TASK_RECORD_EXIT;
		out->other = (int32_t)ids[3];
		/* Use the time in the record's body, as tasks.jsonl does: it is
		 * a little earlier than the record's time. */
		if (r->len >= sizeof(ids) + sizeof(time_ns)) {
			memcpy(&time_ns, r->body + sizeof(ids),
			       sizeof(time_ns));
			out->wall_ns = wall_of(k, time_ns);
		}
	}
	return true;
}

/* Convert a record with a count of CPU time. The body is: pid, tid, value. */
static bool load_cpu_time(const struct tr2_kernel_record *r,
			  struct tr2_task_record *out)
{
	uint32_t ids[2];

	if (r->source->is != TR2_DATA_TASK_CLOCK ||
	    r->source->read_format & PERF_FORMAT_GROUP ||
	    r->len < sizeof(ids) + sizeof(out->value))
		return false;
	memcpy(ids, r->body, sizeof(ids));
	memcpy(&out->value, r->body + sizeof(ids), sizeof(out->value));
	out->pid = (int32_t)ids[0];
	out->tid = (int32_t)ids[1];
	out->kind = TR2_TASK_RECORD_CPU_TIME;
	return true;
}

static bool load_switch(const struct tr2_kernel_record *r,
			struct tr2_task_record *out)
{
	out->kind = TR2_TASK_RECORD_IN;
	if (r->misc & PERF_RECORD_MISC_SWITCH_OUT) {
		out->kind = TR2_TASK_RECORD_OUT;
		if (r->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
			out->how = TR2_HOW_PREEMPTED;
	}
	return true;
}

/* Read a number of a tracepoint. */
static bool raw_number(const struct tr2_kernel_record *r,
		       const struct tr2_kernel_field *field, uint32_t *value)
{
	*value = 0;
	if (!field->size || field->size > sizeof(*value) ||
	    field->at > r->raw_len || field->size > r->raw_len - field->at)
		return false;
	memcpy(value, r->raw + field->at, field->size);
	return true;
}

/* Read prev_state, a long. Use only its low bits. */
static void raw_state(const struct tr2_kernel_record *r,
		      const struct tr2_kernel_field *field, uint32_t *state)
{
	struct tr2_kernel_field low = *field;

	if (low.size > sizeof(*state))
		low.size = sizeof(*state);
	raw_number(r, &low, state);
}

static struct tr2_view raw_text(const struct tr2_kernel_record *r,
				const struct tr2_kernel_field *field)
{
	struct tr2_view text = { NULL, 0 };

	if (field->at < r->raw_len && field->size &&
	    field->size <= r->raw_len - field->at) {
		text.p = (const char *)r->raw + field->at;
		text.len = strnlen(text.p, field->size);
	}
	return text;
}

static int32_t tid_of(const struct kernel *k, uint32_t pid)
{
	return pid && k->in_container ?
		       (int32_t)tr2_map_get(&k->tids, tr2_key(0, pid)) :
		       (int32_t)pid;
}

/* Read the thread that gets the CPU from sched_switch. */
static void load_next(struct kernel *k, const struct tr2_kernel_record *r,
		      struct tr2_task_record *out)
{
	const struct tr2_kernel_formats *f = &k->file.formats;
	uint32_t prev, next;

	if (!raw_number(r, &f->prev_pid, &prev) ||
	    !raw_number(r, &f->next_pid, &next))
		return;
	if (prev != (uint32_t)r->tid)
		k->in_container = true;
	if (k->in_container)
		*tr2_map_slot(&k->tids, tr2_key(0, prev)) = (uint32_t)r->tid;
	out->other = tid_of(k, next);
	if (next && !out->other)
		out->other = -1;
	out->how |= TR2_HOW_NEXT;
	out->comm = raw_text(r, &f->next_comm);
}

/* Bits of common_flags. */
#define IN_HARDIRQ 0x08
#define IN_SOFTIRQ 0x10

static bool load_waking(const struct kernel *k,
			const struct tr2_kernel_record *r,
			struct tr2_task_record *out)
{
	uint32_t pid, flags, depth;

	if (!raw_number(r, &k->file.formats.pid, &pid))
		return false;
	raw_number(r, &k->file.formats.depth, &depth);
	out->value = depth;
	raw_number(r, &k->file.formats.flags, &flags);
	out->kind = TR2_TASK_RECORD_WAKING;
	out->other = r->tid > 0 || r->tid == TR2_TID_ENDED ? r->tid : 0;
	out->tid = tid_of(k, pid);
	if (flags & IN_HARDIRQ)
		out->how |= TR2_HOW_INTERRUPT;
	else if (flags & IN_SOFTIRQ)
		out->how |= TR2_HOW_SOFTIRQ;
	return true;
}

static bool load_sample(struct kernel *k, const struct tr2_kernel_record *r,
			struct tr2_task_record *out)
{
	bool futex = false;

	switch (r->source->is) {
	case TR2_DATA_SCHED_SWITCH:
		load_next(k, r, out);
		/* fallthrough */
	case TR2_DATA_SWITCHES:
		out->kind = TR2_TASK_RECORD_LEAVES;
		out->cause = tr2_kernel_symbols_cause(&k->symbols, r->calls,
						      r->nr_calls, &futex);
		out->how |= futex ? TR2_HOW_FUTEX : 0;
		return true;
	case TR2_DATA_SCHED_WAKING:
		return load_waking(k, r, out);
	default:
		return false;
	}
}

/* Convert a report of lost records. The body is: id, number. */
static bool load_lost(const struct kernel *k, const struct tr2_kernel_record *r,
		      struct tr2_task_record *out)
{
	bool has_id = r->type == PERF_RECORD_LOST;
	size_t at = has_id ? sizeof(uint64_t) : 0;

	if (r->len < at + sizeof(out->value))
		return false;
	memcpy(&out->value, r->body + at, sizeof(out->value));
	out->kind = TR2_TASK_RECORD_LOST;
	out->since_ns = wall_of(k, k->last_ns[r->ring]);
	return true;
}

/* Convert a record. Return false if the record is not about tasks. */
static bool load_record(struct kernel *k, const struct tr2_kernel_record *r,
			struct tr2_task_record *out)
{
	memset(out, 0, sizeof(*out));
	out->pid = r->pid;
	out->tid = r->tid;
	out->cpu = r->ring;
	out->wall_ns = wall_of(k, r->time_ns);
	switch (r->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_COMM:
		return load_task(k, r, out);
	case PERF_RECORD_READ:
		return load_cpu_time(r, out);
	case PERF_RECORD_SAMPLE:
		return load_sample(k, r, out);
	case PERF_RECORD_SWITCH:
		return load_switch(r, out);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return load_lost(k, r, out);
	default:
		return false;
	}
}

/*
 * Convert a record. A sched_switch of the whole machine becomes three records:
 * why a thread leaves its CPU, that it leaves, and which thread gets the CPU.
 * Return the number of records.
 */
static unsigned int load_all(struct kernel *k,
			     const struct tr2_kernel_record *r,
			     struct tr2_task_record out[3])
{
	const struct tr2_kernel_formats *f = &k->file.formats;
	uint32_t prev, next, state;

	if (r->type != PERF_RECORD_SAMPLE || !r->source->of_machine ||
	    r->source->is != TR2_DATA_SCHED_SWITCH)
		return load_record(k, r, &out[0]);
	if (!load_record(k, r, &out[0]) ||
	    !raw_number(r, &f->prev_pid, &prev) ||
	    !raw_number(r, &f->next_pid, &next))
		return 0;
	raw_state(r, &f->prev_state, &state);
	out[1] = (struct tr2_task_record){
		.kind = TR2_TASK_RECORD_OUT,
		.how = TR2_HOW_MACHINE |
		       (state & TR2_PREV_STATE_DEAD ? TR2_HOW_DEAD : 0) |
		       (!state || state & TR2_PREV_STATE_PREEMPTED ?
				TR2_HOW_PREEMPTED : 0),
		.pid = r->pid,
		.tid = (int32_t)prev,
		.cpu = r->ring,
		.wall_ns = out[0].wall_ns,
		.comm = raw_text(r, &f->prev_comm),
	};
	out[2] = (struct tr2_task_record){
		.kind = TR2_TASK_RECORD_IN,
		.how = TR2_HOW_MACHINE,
		.tid = (int32_t)next, /* pid stays 0: the thread's process is
				       * not known */
		.cpu = r->ring,
		.wall_ns = out[0].wall_ns,
		.comm = out[0].comm,
	};
	return 3;
}

static bool count_record(void *data, const struct tr2_kernel_record *r)
{
	struct kernel *k = data;
	struct tr2_task_record record[3];
	unsigned int nr, i;
	uint64_t *last = &k->last_ns[r->ring];

	if (r->time_ns + SWAPPED_NS < *last)
		k->went_back++;
	*last = r->time_ns;
	if (r->time_ns > k->end_ns)
		k->end_ns = r->time_ns;
	if (r->type == PERF_RECORD_SAMPLE && !r->source->of_machine &&
	    r->source->is != TR2_DATA_SCHED_WAKING)
		return true;
	nr = load_all(k, r, record);
	for (i = 0; i < nr; i++) {
		if (record[i].kind == TR2_TASK_RECORD_LOST)
			k->lost += record[i].value;
		if (record[i].kind != TR2_TASK_RECORD_LEAVES)
			tr2_states_build_count(k->build, &record[i]);
	}
	return true;
}

static void repair_comm(struct kernel *k, struct tr2_task_record *record)
{
	if (tr2_utf8_valid(record->comm.p, record->comm.len))
		return;
	tr2_utf8_repair(&k->comm, record->comm.p, record->comm.len, 0);
	record->comm.p = tr2_buf_str(&k->comm);
	record->comm.len = k->comm.len;
}

static bool add_record(void *data, const struct tr2_kernel_record *r)
{
	struct kernel *k = data;
	struct tr2_task_record record[3];
	unsigned int nr, i;

	if (r->source->is == TR2_DATA_PROFILE &&
	    r->type == PERF_RECORD_SAMPLE) {
		if (!k->m->without_cpu)
			tr2_kernel_profile_sample(&k->profile, &k->file, r,
				tr2_states_build_thread(k->build, r->tid),
				wall_of(k, r->time_ns));
	} else {
		nr = load_all(k, r, record);
		for (i = 0; i < nr; i++) {
			repair_comm(k, &record[i]);
			tr2_states_build_add(k->build, &record[i]);
		}
		if (nr && record[0].kind == TR2_TASK_RECORD_LEAVES &&
		    k->profile.is_on && k->m->with_waits)
			tr2_kernel_profile_leaves(&k->profile, r,
				tr2_states_build_thread(k->build, r->tid),
				record[0].wall_ns);
	}
	if (k->profile.is_on && r->type != PERF_RECORD_SAMPLE)
		tr2_kernel_profile_process(&k->profile, r,
					   wall_of(k, r->time_ns));
	k->last_ns[r->ring] = r->time_ns;
	return true;
}

static void note_problems(const struct kernel *k)
{
	if (k->file.problem)
		tr2_build_problem(k->m, TR2_PROBLEM_FILE, k->source, 0,
				  k->file.problem);
	tr2_build_problems(k->m, TR2_PROBLEM_CLOCK, k->source,
			   "the kernel's clock went back: times of states are "
			   "wrong", k->went_back);
	tr2_build_problems(k->m, TR2_PROBLEM_LOST, k->source,
			   "records were lost, since the kernel's buffers were "
			   "full: some states are wrong", k->lost);
	tr2_build_problems(k->m, TR2_PROBLEM_LOST, k->source,
			   "samples of threads that have no other records",
			   k->profile.nr_unknown);
}

static void read_records(struct kernel *k, uint32_t first_task, int64_t *end_ns)
{
	size_t nr = k->file.nr_rings;
	int64_t last_ns;

	k->last_ns = tr2_calloc(nr, sizeof(*k->last_ns));
	k->build = tr2_states_build_new(k->m, first_task);
	tr2_kernel_data_scan(&k->file, count_record, k);
	memset(k->last_ns, 0, nr * sizeof(*k->last_ns));
	if (tr2_states_build_begin(k->build, k->file.nr_rings))
		tr2_kernel_data_merge(&k->file, add_record, k);
	else
		k->file.problem = "it has too many records";
	last_ns = wall_of(k, k->end_ns);
	if (last_ns > *end_ns)
		*end_ns = last_ns;
	tr2_states_build_end(k->build, *end_ns);
	if (k->m->with_waits)
		tr2_kernel_profile_waits(&k->profile);
	free(k->last_ns);
}

/* Open a file of the recording. -1: the file does not exist, or cannot be
 * read. */
static int open_file(struct tr2_model *m, const char *dir, const char *name,
		     tr2_str *source)
{
	struct tr2_buf path = TR2_BUF_INIT;
	int fd = open(tr2_join(&path, dir, name),
		      O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*source = tr2_intern(m, path.p, path.len);
	if (fd < 0 && errno != ENOENT)
		tr2_build_problem(m, TR2_PROBLEM_FILE, *source, 0,
				  strerror(errno));
	tr2_buf_release(&path);
	return fd;
}

static void read_symbols(struct kernel *k, const char *dir)
{
	tr2_str source;
	int fd = open_file(k->m, dir, "kernel.symbols", &source);

	if (fd < 0)
		return;
	tr2_kernel_symbols_read(&k->symbols, fd);
	if (k->profile.is_on && !lseek(fd, 0, SEEK_SET))
		tr2_kernel_profile_names(&k->profile, fd);
	close(fd);
}

uint64_t tr2_kernel_load(struct tr2_model *m, const char *dir,
			 uint32_t first_task, int64_t *end_ns)
{
	struct kernel k = { .m = m, .comm = TR2_BUF_INIT };
	int fd = open_file(m, dir, "kernel.data", &k.source);

	if (fd < 0)
		return 0;
	if (tr2_kernel_data_open(&k.file, fd)) {
		tr2_kernel_profile_begin(&k.profile, m, &k.file);
		read_symbols(&k, dir);
		read_records(&k, first_task, end_ns);
	}
	note_problems(&k);
	tr2_kernel_data_release(&k.file);
	tr2_kernel_symbols_release(&k.symbols);
	tr2_kernel_profile_release(&k.profile);
	tr2_map_release(&k.tids);
	tr2_buf_release(&k.comm);
	close(fd);
	return k.lost;
}

/* SPDX-License-Identifier: MIT */
/* kernel_data_record - find the fields of a record of the kernel. */
#include <string.h>

#include "format/kernel/kernel_data.h"

/* The unread rest of a record. */
struct rest {
	const unsigned char *p;
	size_t n;
};

static bool read_bytes(struct rest *rest, void *out, size_t n)
{
	if (n > rest->n)
		return false;
	if (out)
		memcpy(out, rest->p, n);
	rest->p += n;
	rest->n -= n;
	return true;
}

static bool read_u64s(struct rest *rest, uint64_t nr)
{
	return nr <= rest->n / sizeof(uint64_t) &&
	       read_bytes(rest, NULL, (size_t)nr * sizeof(uint64_t));
}

/* Skip the values of an event's group, or of the event alone. */
static bool skip_values(struct rest *rest, uint64_t format)
{
	uint64_t nr = 1, each = 1, times = 0;

	each += !!(format & PERF_FORMAT_ID);
	each += !!(format & PERF_FORMAT_LOST);
	times += !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	times += !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (format & PERF_FORMAT_GROUP && !read_bytes(rest, &nr, sizeof(nr)))
		return false;
	return read_u64s(rest, times) && nr <= rest->n &&
	       read_u64s(rest, nr * each);
}

static bool read_calls(struct rest *rest, struct tr2_kernel_record *r)
{
	uint64_t nr;

	if (!read_bytes(rest, &nr, sizeof(nr)))
		return false;
	r->calls = rest->p;
	r->nr_calls = (uint32_t)nr;
	return read_u64s(rest, nr);
}

static bool read_raw(struct rest *rest, struct tr2_kernel_record *r)
{
	if (!read_bytes(rest, &r->raw_len, sizeof(r->raw_len)))
		return false;
	r->raw = rest->p;
	return read_bytes(rest, NULL, r->raw_len);
}

/* Read the registers: abi, and a value for each. Then read the stack: its size,
 * its data, and the size of the valid data. */
static __attribute__((noinline)) bool take_stack(struct rest *rest,
						 struct tr2_kernel_record *r)
{
	unsigned int nr = (unsigned int)
		__builtin_popcountll(r->source->registers);
	uint64_t abi, size, valid = 0;

	if (!read_bytes(rest, &abi, sizeof(abi)))
		return false;
	if (abi == PERF_SAMPLE_REGS_ABI_64)
		r->registers = rest->p;
	if (abi && !read_u64s(rest, nr))
		return false;
	if (!(r->source->sample_type & PERF_SAMPLE_STACK_USER))
		return true;
	if (!read_bytes(rest, &size, sizeof(size)))
		return false;
	r->stack = rest->p;
	if (size && (!read_u64s(rest, size / sizeof(size)) ||
		     !read_bytes(rest, &valid, sizeof(valid))))
		return false;
	r->stack_len = (uint32_t)(valid < size ? valid : size);
	return true;
}

/* Read the fields of a sample in their order, up to the last field that is
 * used. */
static bool parse_sample(struct rest *rest, struct tr2_kernel_record *r)
{
	uint64_t type = r->source->sample_type;
	uint32_t ids[2];

	if (type & PERF_SAMPLE_IDENTIFIER && !read_u64s(rest, 1))
		return false;
	if (type & PERF_SAMPLE_IP && !read_u64s(rest, 1))
		return false;
	if (!(type & PERF_SAMPLE_TID) || !read_bytes(rest, ids, sizeof(ids)) ||
	    !(type & PERF_SAMPLE_TIME) ||
	    !read_bytes(rest, &r->time_ns, sizeof(r->time_ns)))
		return false;
	r->pid = (int32_t)ids[0];
	r->tid = (int32_t)ids[1];
	if (!read_u64s(rest, !!(type & PERF_SAMPLE_ADDR) +
				     !!(type & PERF_SAMPLE_ID) +
				     !!(type & PERF_SAMPLE_STREAM_ID) +
				     !!(type & PERF_SAMPLE_CPU) +
				     !!(type & PERF_SAMPLE_PERIOD)))
		return false;
	if (type & PERF_SAMPLE_READ &&
	    !skip_values(rest, r->source->read_format))
		return false;
	if (type & PERF_SAMPLE_CALLCHAIN && !read_calls(rest, r))
		return false;
	if (type & PERF_SAMPLE_RAW && !read_raw(rest, r))
		return false;
	/* Stop at a branch stack, which may precede the registers: `trace2
	 * record` does not request it. */
	return !(type & PERF_SAMPLE_REGS_USER) ||
	       type & PERF_SAMPLE_BRANCH_STACK || take_stack(rest, r);
}

/* Read the fields at the end of all other records: pid, tid, time and others,
 * each of 8 bytes. */
static bool parse_trailer(struct tr2_kernel_record *r)
{
	uint64_t type = r->source->sample_type;
	size_t at = 0, size = 8 * (size_t)__builtin_popcountll(type &
		(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
		 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
		 PERF_SAMPLE_IDENTIFIER));
	const unsigned char *p;
	uint32_t ids[2];

	if (size > r->len || !(type & PERF_SAMPLE_TIME))
		return false;
	r->len -= size;
	p = r->body + r->len;
	if (type & PERF_SAMPLE_TID) {
		memcpy(ids, p, sizeof(ids));
		r->pid = (int32_t)ids[0];
		r->tid = (int32_t)ids[1];
		at = sizeof(ids);
	}
	memcpy(&r->time_ns, p + at, sizeof(r->time_ns));
	return true;
}

/* Find the event of a record by the event's id, which is the first or the last
 * number of the record. */
static bool find_source(const struct tr2_kernel_data *f,
			struct tr2_kernel_record *r)
{
	uint32_t i = 0;
	uint64_t id;

	if (f->has_identifier) {
		if (r->len < sizeof(id))
			return false;
		memcpy(&id, r->type == PERF_RECORD_SAMPLE ?
				    r->body : r->body + r->len - sizeof(id),
		       sizeof(id));
		i = id == UINT64_MAX ? 0 : tr2_map_get(&f->ids, id + 1);
		if (!i)
			return false;
	}
	r->source = &f->sources[f->opened[i].source];
	r->ring = f->opened[i].ring;
	return true;
}

bool tr2_kernel_record_parse(const struct tr2_kernel_data *f,
			     const unsigned char *p, size_t size,
			     struct tr2_kernel_record *r)
{
	struct perf_event_header header;
	struct rest rest;

	memcpy(&header, p, sizeof(header));
	/* Reset the fields that a record may lack. */
	r->pid = r->tid = 0;
	r->calls = r->raw = r->registers = r->stack = NULL;
	r->nr_calls = r->raw_len = r->stack_len = 0;
	r->type = header.type;
	r->misc = header.misc;
	r->body = p + sizeof(header);
	r->at = sizeof(header);
	r->len = size - sizeof(header);
	/* Reject types from 64 on: perf itself writes these records, without
	 * time and id. */
	if (r->type >= 64 || !find_source(f, r))
		return false;
	if (r->type != PERF_RECORD_SAMPLE)
		return parse_trailer(r);
	rest = (struct rest){ r->body, r->len };
	return parse_sample(&rest, r);
}

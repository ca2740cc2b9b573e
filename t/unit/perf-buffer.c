/* SPDX-License-Identifier: MIT */
/* The buffer of records: wrapping at its end, and invalid content. */
#include "pmu/buffer.h"

#include "tap.h"

static void test_end_of_ring(void)
{
	struct {
		struct trace2_perf_record head;
		uint64_t word[2];
	} three = { { 9, 0, 24 }, { 5, 7 } }, copied;
	struct tr2_buffer buffer = { 0 };
	struct trace2_perf_record head;
	uint64_t first;

	tr2_buffer_map(&buffer, -1, 1);
	while (tr2_buffer_room(&buffer) >= 24)
		tr2_buffer_put(&buffer, &three.head);
	while (tr2_buffer_peek(&buffer, &head))
		tr2_buffer_consume(&buffer, head.size);
	three.word[0] = 76;
	three.word[1] = 77;
	tr2_buffer_put(&buffer, &three.head);
	/*
	 * The page's size is 16 more than a multiple of 24, so that the rest is
	 * 77; or 8 more (8 KiB), so that the rest begins with 76.
	 */
	memcpy(&first, buffer.base + buffer.page_size, sizeof(first));
	ok(first == 77 || first == 76, "the rest lies at the beginning");
	IS(tr2_buffer_peek(&buffer, &head), 24, "of a whole record");
	tr2_buffer_copy(&buffer, 0, &copied, sizeof(copied));
	ok(!memcmp(&copied, &three, sizeof(three)), "which is as it was");
	tr2_buffer_unmap(&buffer);
}

static void test_spoiled(void)
{
	struct trace2_perf_record bad = { 9, 0, 16 }, head;
	struct tr2_buffer buffer = { 0 };

	IS(tr2_buffer_map(&buffer, -1, 1), 0, "memory");
	tr2_buffer_put(&buffer, &(struct trace2_perf_record){ 9, 0, 8 });
	tr2_buffer_put(&buffer, &(struct trace2_perf_record){ 9, 0, 8 });
	/* Larger than the content. */
	memcpy(buffer.base + buffer.page_size, &bad, sizeof(bad));
	IS(tr2_buffer_peek(&buffer, &head), 16, "two records as one");
	bad.size = 24;
	memcpy(buffer.base + buffer.page_size, &bad, sizeof(bad));
	IS(tr2_buffer_peek(&buffer, &head), 0, "one beyond the end");
	IS(tr2_buffer_room(&buffer), buffer.size, "and all is given up");
	tr2_buffer_put(&buffer, &(struct trace2_perf_record){ 9, 0, 8 });
	bad.size = 0;
	memcpy(buffer.base + buffer.page_size + 16, &bad, sizeof(bad));
	IS(tr2_buffer_peek(&buffer, &head), 0, "one of no size");
	tr2_buffer_unmap(&buffer);
	tr2_buffer_unmap(&buffer);
	ok(!buffer.base, "unmapped");
}

int main(void)
{
	test_end_of_ring();
	test_spoiled();
	return done_testing();
}

/* SPDX-License-Identifier: MIT */
/*
 * A module that, as libgomp does, demands a place for its variables near the
 * thread's pointer. The dynamic linker has little space there.
 */
#define BYTES 1000

__attribute__((visibility("default"))) int near_use(int value);

static __thread char bytes[BYTES] __attribute__((tls_model("initial-exec")));

int near_use(int value)
{
	int i, sum = 0;

	for (i = 0; i < BYTES; i++)
		sum += bytes[i];
	bytes[value % BYTES]++;
	return sum;
}

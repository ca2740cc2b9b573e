/* SPDX-License-Identifier: MIT */
/*
 * `expression`: compute for a while in a function whose caller has a frame that
 * only an expression finds, as entries of a procedure linkage table have: 32
 * bytes above the stack pointer, a sum to which each operation adds its part.
 */
#include <time.h>

void through(void);
void work(void);

__attribute__((noinline)) void work(void)
{
	static volatile unsigned int sum;
	struct timespec now = { 0, 0 };
	unsigned int i;

	while (now.tv_sec || now.tv_nsec < 200000000) {
		for (i = 0; i < 1000000; i++)
			sum += i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	}
}

__asm__(".text\n"
	".type through, @function\n"
	"through:\n"
	".cfi_startproc\n"
	"	sub $24, %rsp\n"
	/* DW_CFA_def_cfa_expression, and its length */
	".cfi_escape 0x0f, 42\n"
	".cfi_escape 0x33, 0x35, 0x1e\n" /* 3 * 5 */
	".cfi_escape 0x36, 0x1a\n" /* & 6 */
	".cfi_escape 0x31, 0x21\n" /* | 1 */
	".cfi_escape 0x33, 0x1c\n" /* - 3 */
	".cfi_escape 0x32, 0x24\n" /* << 2 */
	".cfi_escape 0x31, 0x25\n" /* >> 1: 8 */
	".cfi_escape 0x33, 0x33, 0x2a, 0x22\n" /* + (3 >= 3) */
	".cfi_escape 0x34, 0x33, 0x2b, 0x22\n" /* + (4 > 3) */
	".cfi_escape 0x33, 0x33, 0x2c, 0x22\n" /* + (3 <= 3) */
	".cfi_escape 0x32, 0x33, 0x2d, 0x22\n" /* + (2 < 3) */
	".cfi_escape 0x33, 0x33, 0x29, 0x22\n" /* + (3 == 3) */
	".cfi_escape 0x33, 0x34, 0x2e, 0x22\n" /* + (3 != 4) */
	".cfi_escape 0x23, 18\n" /* + 18: 32 */
	".cfi_escape 0x77, 0, 0x22\n" /* + RSP + 0 */
	"	call work\n"
	"	add $24, %rsp\n"
	".cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size through, . - through\n");

int main(void)
{
	through();
	return 0;
}

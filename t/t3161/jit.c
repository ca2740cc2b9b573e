/* SPDX-License-Identifier: MIT */
/* Write jit-PID.dump, and map it as code, as compilers do. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	char name[40];
	FILE *f;

	snprintf(name, sizeof(name), "jit-%d.dump", (int)getpid());
	f = fopen(name, "w+");
	if (!f || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
		       fileno(f), 0) == MAP_FAILED)
		return 1;
	fputs("the whole dump\n", f);
	return fclose(f) != 0;
}

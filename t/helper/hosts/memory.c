/* SPDX-License-Identifier: MIT */
/*
 * `memory WORD=MB...`: a process that does the words in order. Each word takes
 * memory of one kind and touches all of it. fork=N and threads=N begin
 * children, which do the words up to `parent`; their parent does the words
 * after it. hold=FD waits until the descriptor's input ends.
 */
#include "../system.h"

#define PAGE ((size_t)4096)

static struct piece {
	char *p;
	size_t size;
} last;
static char *self;

static void touch(char *p, size_t size, bool write)
{
	volatile char *at = p;
	size_t i;

	for (i = 0; i < size; i += PAGE) {
		if (write)
			at[i] = 1;
		else
			(void)at[i];
	}
}

static char *map(size_t size, int flags, int fd)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p == MAP_FAILED)
		exit(1);
	last = (struct piece){ p, size };
	return p;
}

#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

static void take(size_t size)
{
	char *p = map(size, ANON, -1);

	madvise(p, size, MADV_NOHUGEPAGE);
	touch(p, size, true);
}

static void take_huge(size_t size)
{
	char *p = map(size, ANON, -1);

	madvise(p, size, MADV_HUGEPAGE);
	touch(p, size, true);
}

/* Map memory and only read it: one page of zeros of the kernel stands for all
 * of its pages. */
static void take_zeros(size_t size)
{
	touch(map(size, ANON, -1), size, false);
}

static void reserve(size_t size)
{
	map(size, ANON | MAP_NORESERVE, -1);
}

static void take_blocks(size_t size)
{
	static struct block {
		struct block *next;
	} *blocks;
	struct block *b;

	for (; size > PAGE; size -= PAGE) {
		b = malloc(PAGE - 16);
		if (!b)
			exit(1);
		memset(b, 1, PAGE - 16);
		b->next = blocks;
		blocks = b;
	}
}

static void take_shared(size_t size)
{
	touch(map(size, MAP_SHARED | MAP_ANONYMOUS, -1), size, true);
}

/* Return a new file of this size, in memory or on the disk. */
static int make_file(size_t size, bool in_memory)
{
	FILE *f = in_memory ? NULL : tmpfile();
	int fd = in_memory ? (int)syscall(SYS_memfd_create, "memory", 0) :
		 f	   ? fileno(f) :
			     -1;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		exit(1);
	return fd;
}

static void map_file(size_t size)
{
	touch(map(size, MAP_SHARED, make_file(size, false)), size, true);
}

static void map_memory_file(size_t size)
{
	touch(map(size, MAP_SHARED, make_file(size, true)), size, true);
}

static void copy_file(size_t size)
{
	touch(map(size, MAP_PRIVATE, make_file(size, false)), size, true);
}

/* Write a file that exists only in memory, without mapping the file. */
static void fill_file(size_t size)
{
	static char page[PAGE];
	int fd = make_file(0, true);

	for (; size; size -= PAGE)
		if (write(fd, page, PAGE) < 0)
			exit(1);
}

/* Write to the first `size` bytes of the memory that the last word took. */
static void write_to(size_t size)
{
	touch(last.p, size, true);
}

static void read_from(size_t size)
{
	touch(last.p, size, false);
}

static void drop(size_t size)
{
	munmap(last.p, size);
}

static void forget(size_t size)
{
	madvise(last.p, size, MADV_DONTNEED);
}

#define WORD(name, function) { #name, function }
static const struct {
	const char *name;
	void (*take)(size_t size);
} words[] = {
	WORD(take, take), WORD(huge, take_huge), WORD(zeros, take_zeros),
	WORD(reserve, reserve), WORD(blocks, take_blocks),
	WORD(shared, take_shared), WORD(file, map_file),
	WORD(memfd, map_memory_file), WORD(private, copy_file),
	WORD(unmapped, fill_file), WORD(write, write_to),
	WORD(read, read_from), WORD(drop, drop), WORD(forget, forget),
};

static void hold(int fd)
{
	char c;

	while (read(fd, &c, 1) > 0)
		;
}

static void do_words(char **word);

static void *run_thread(void *data)
{
	do_words(data);
	return NULL;
}

static void begin_threads(unsigned long nr, char **word)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 16);
	while (nr--)
		if (pthread_create(&thread, &attr, run_thread, word))
			exit(1);
}

static void begin_children(unsigned long nr, char **word)
{
	while (nr--)
		if (!fork()) {
			do_words(word);
			_exit(0);
		}
}

/* Return the words after `parent`, which ends the words of the children. */
static char **after_children(char **word)
{
	while (*word && strcmp(*word, "parent") != 0)
		word++;
	return *word ? word + 1 : word;
}

static void do_words(char **word)
{
	unsigned long number;
	char *value;
	size_t i;

	for (; *word && strcmp(*word, "parent") != 0; word++) {
		value = strchr(*word, '=');
		number = value ? strtoul(value + 1, NULL, 10) : 0;
		for (i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (!strncmp(*word, words[i].name,
				     strlen(words[i].name)))
				words[i].take(number << 20);
		if (!strncmp(*word, "hold", 4)) {
			hold((int)number);
		} else if (!strcmp(*word, "exec")) {
			*word = self;
			execv(self, word);
			exit(1);
		} else if (!strncmp(*word, "fork", 4) ||
			   !strncmp(*word, "threads", 7)) {
			(**word == 'f' ? begin_children :
					 begin_threads)(number, word + 1);
			word = after_children(word + 1) - 1;
		}
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	self = argv[0];
	do_words(argv + 1);
	while (wait(NULL) > 0)
		;
	return 0;
}

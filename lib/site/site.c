/* SPDX-License-Identifier: MIT */
/* Number the sites of the program, and copy their strings. */
#include "site/site.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* The value of trace2_site.number for a site that gets no copy. No copy has
 * this key, since the highest number is never assigned. */
#define NONE (~UINT32_C(0))
#define HIGHEST (TR2_MAX_SITES - 2)

#define NR_BUCKETS 1024u
#define BLOCK_BYTES 65536u
/* Memory for processes with few sites. */
#define FIRST_BYTES 8192u

TR2_LARGE const struct tr2_site *tr2_sites[TR2_MAX_SITES];

/* Lists of the sites, by a hash of category and name. The newest site of a list
 * is first. */
TR2_LARGE const struct tr2_site *tr2_site_buckets[NR_BUCKETS];
static uint32_t nr_sites;

struct block {
	struct block *older;
	size_t used; /* bytes in use; may exceed the size of the block */
	char memory[];
};

union first {
	struct block block;
	char bytes[FIRST_BYTES];
};
TR2_LARGE union first tr2_site_first;
static struct block *newest = &tr2_site_first.block;

static size_t room_of(const struct block *block)
{
	return (block == &tr2_site_first.block ? FIRST_BYTES : BLOCK_BYTES) -
	       sizeof(*block);
}

/* Return a block that replaces a full one; NULL: no memory. */
static struct block *add_block(struct block *full)
{
	int saved_errno = errno;
	struct block *block = mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (block == MAP_FAILED) {
		errno = saved_errno;
		return NULL;
	}
	block->older = full;
	/* Release: a thread that takes memory from the block sees its head. */
	if (!__atomic_compare_exchange_n(&newest, &full, block, false,
					 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		munmap(block, BLOCK_BYTES);
	return __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
}

void *tr2_site_memory(size_t bytes)
{
	/* Acquire: pairs with the release in add_block(). */
	struct block *block = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
	size_t at;

	bytes = (bytes + 7) & ~(size_t)7;
	if (bytes > TR2_SITE_MEMORY_MAX)
		return NULL;
	while (block) {
		at = __atomic_fetch_add(&block->used, bytes, __ATOMIC_RELAXED);
		if (at <= room_of(block) && bytes <= room_of(block) - at)
			return block->memory + at;
		block = add_block(block);
	}
	return NULL;
}

static uint32_t add_hash(uint32_t hash, const void *data, size_t bytes)
{
	const unsigned char *p = data;

	while (bytes--)
		hash = (hash ^ *p++) * 16777619u;
	return hash;
}

/* The site that a search looks for. */
struct wanted {
	const struct trace2_site *site;
	size_t file_len, category_len, name_len;
	uint32_t names_hash, hash;
};

static void describe_site(struct wanted *w, const struct trace2_site *site)
{
	w->site = site;
	w->file_len = strlen(site->file);
	w->category_len = strlen(site->category);
	w->name_len = strlen(site->name);
	w->names_hash = add_hash(2166136261u, site->category,
				 w->category_len + 1);
	w->names_hash = add_hash(w->names_hash, site->name, w->name_len + 1);
	w->hash = add_hash(w->names_hash, site->file, w->file_len + 1);
	w->hash = add_hash(w->hash, &site->line, sizeof(site->line));
}

static bool has_names(const struct tr2_site *known, const struct wanted *w)
{
	return known->category_len == w->category_len &&
	       known->name_len == w->name_len &&
	       !memcmp(known->category, w->site->category, w->category_len) &&
	       !memcmp(known->name, w->site->name, w->name_len);
}

/*
 * Search a bucket from the site `newer` up to the site `older`. *names: set to
 * the number `names` of a site with the same category and name, unless it is
 * set already.
 */
static const struct tr2_site *search_site(const struct tr2_site *newer,
					  const struct tr2_site *older,
					  const struct wanted *w,
					  uint32_t *names)
{
	for (; newer != older; newer = newer->next) {
		if (!has_names(newer, w))
			continue;
		if (newer->line == w->site->line &&
		    newer->file_len == w->file_len &&
		    !memcmp(newer->file, w->site->file, w->file_len))
			return newer;
		if (!*names)
			*names = newer->names;
	}
	return NULL;
}

/* Return whether the text contains characters around which redaction looks for
 * secrets. */
static bool has_marks(const char *s)
{
	return s[strcspn(s, ":=")] != '\0';
}

/* Copy a text, and return the place after it. The NUL is already there. */
static char *copy_text(char *to, const char *s, size_t len)
{
	memcpy(to, s, len);
	return to + len + 1;
}

/* Return a site that is complete except for the number `names`; NULL: there is
 * no number or memory left. */
static struct tr2_site *copy_site(const struct wanted *w)
{
	size_t bytes = w->file_len + w->category_len + w->name_len + 3;
	struct tr2_site *made;
	char *text;
	uint32_t number;

	if (bytes > TR2_SITE_TEXT_MAX ||
	    __atomic_load_n(&nr_sites, __ATOMIC_RELAXED) >= HIGHEST)
		return NULL;
	number = __atomic_add_fetch(&nr_sites, 1, __ATOMIC_RELAXED);
	if (number > HIGHEST)
		return NULL;
	made = tr2_site_memory(sizeof(*made) + bytes);
	if (!made)
		return NULL;
	text = (char *)(made + 1);
	made->key = (w->hash * TR2_MAX_SITES) | number;
	made->number = number;
	made->line = w->site->line;
	made->may_have_secret = has_marks(w->site->category) ||
				has_marks(w->site->name);
	made->file = text;
	made->file_len = (uint32_t)w->file_len;
	made->category_len = (uint32_t)w->category_len;
	made->name_len = (uint32_t)w->name_len;
	text = copy_text(text, w->site->file, w->file_len);
	made->category = text;
	text = copy_text(text, w->site->category, w->category_len);
	made->name = text;
	copy_text(text, w->site->name, w->name_len);
	return made;
}

/* Return the published copy of a site; NULL: it gets no copy. */
static const struct tr2_site *find_or_add(const struct trace2_site *site)
{
	const struct tr2_site **bucket, *newest_site, *seen = NULL, *found;
	struct tr2_site *made = NULL;
	struct wanted w;
	uint32_t names = 0;

	describe_site(&w, site);
	bucket = &tr2_site_buckets[w.names_hash % NR_BUCKETS];
	/* Acquire: pairs with the release below. */
	newest_site = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
	do {
		found = search_site(newest_site, seen, &w, &names);
		if (found)
			return found; /* the memory of `made` is lost */
		if (!made)
			made = copy_site(&w);
		if (!made)
			return NULL;
		seen = newest_site;
		made->next = newest_site;
		made->names = names ? names : made->number;
	} while (!__atomic_compare_exchange_n(bucket, &newest_site, made, false,
					      __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	return made;
}

__attribute__((noinline, cold)) const struct tr2_site *
tr2_site_get_slow(struct trace2_site *site)
{
	const struct tr2_site *found = NULL;

	if (__atomic_load_n(&site->number, __ATOMIC_RELAXED) == NONE)
		return NULL;
	if (site->file && site->category && site->name)
		found = find_or_add(site);
	/* Release: a thread that reads the copy's address, or the number, finds
	 * the copy. */
	if (found)
		__atomic_store_n(&tr2_sites[found->number], found,
				 __ATOMIC_RELEASE);
	__atomic_store_n(&site->number, found ? found->key : NONE,
			 __ATOMIC_RELEASE);
	return found;
}

void tr2_site_release(void)
{
	struct block *block;

	while (newest != &tr2_site_first.block) {
		block = newest;
		newest = block->older;
		munmap(block, BLOCK_BYTES);
	}
}

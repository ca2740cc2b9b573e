/* SPDX-License-Identifier: MIT */
/*
 * macros - small helpers: sizes of arrays, texts in tables, branch hints,
 * inlining, hidden variables, large arrays, and lists.
 */
#pragma once

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))

/*
 * TR2_IN_PLACE(text): an initializer for an array of characters in a table; ""
 * for NULL. A pointer would be relocated at the start of each process, and its
 * page would be private to the process.
 */
#define TR2_IN_PLACE(text) _Generic((text), void *: "", default: text)

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* A function that is inline at each of its calls, for speed. */
#define TR2_INLINE static inline __attribute__((always_inline))

/* TR2_HIDDEN marks a variable that frequent events read. The variable is in
 * this module, so that its address needs no table. */
#define TR2_HIDDEN __attribute__((visibility("hidden")))

/*
 * TR2_LARGE marks an array that most processes never touch. Linkers put such
 * arrays after all other data, so that small variables share a few pages. The
 * array is zeroed, and must not be static.
 */
#define TR2_LARGE __attribute__((common))

/* Add an item to a list by its members `next` and `prev`, or remove it. first:
 * the variable with the list's first item. */
#define TR2_LIST_ADD(first, item)               \
	do {                                    \
		(item)->prev = NULL;            \
		(item)->next = (first);         \
		if (first)                      \
			(first)->prev = (item); \
		(first) = (item);               \
	} while (0)
#define TR2_LIST_REMOVE(first, item)                       \
	do {                                               \
		if ((item)->prev)                          \
			(item)->prev->next = (item)->next; \
		else                                       \
			(first) = (item)->next;            \
		if ((item)->next)                          \
			(item)->next->prev = (item)->prev; \
	} while (0)

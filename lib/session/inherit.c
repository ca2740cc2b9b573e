/* SPDX-License-Identifier: MIT */
/*
 * The variables for children: copy them from the parent, and change them in
 * place.
 */
#include "session/inherit.h"

#include <stdlib.h>

#include "base/barrier.h"
#include "base/buf.h"
#include "base/mask.h"
#include "base/raw.h"
#include "base/sha1.h"
#include "event/render.h"

#define SID_VARIABLE "GIT_TRACE2_PARENT_SID"
#define NAME_VARIABLE "GIT_TRACE2_PARENT_NAME"

#define MAX_PARENT 4096u
/* Room after the inherited value: each fork of a fork appends a component of 41
 * bytes to the id. */
#define ROOM 1024u
#define MAX_OWN 96u
#define MAX_WAITS 100u /* number of calls of tr2_await(), 10 ms each */

/*
 * A variable that is changed in place after it was put into the environment, so
 * that no code needs setenv()'s lock or malloc after a fork. The memory is
 * never freed: environ points into it.
 */
struct variable {
	char *text; /* NAME=value; NULL: not set */
	char *value;
	size_t len; /* length of the value */
	size_t max; /* maximal length of the value */
	size_t inherited; /* length of the part that comes from the parent */
};

static struct variable sid, names;
static size_t own_sid_at;
static unsigned int depth;
/* maker: the process that is making its id; made_by: the process whose id is
 * complete. 0: no process; -1: the parent of this process. */
static atomic_int maker, made_by;

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Copy a value from outside: without control characters, of limited length, cut
 * after the last whole component. */
static void copy_clean(struct variable *v, const char *from)
{
	size_t start = v->len;

	for (; from && *from && v->len < MAX_PARENT; from++)
		if (!is_control(*from))
			v->value[v->len++] = *from;
	if (from && *from)
		while (v->len > start && v->value[v->len] != '/')
			v->len--;
	v->value[v->len] = '\0';
}

static bool variable_start(struct variable *v, const char *name)
{
	const char *inherited = getenv(name);
	size_t n = strlen(name);

	v->max = ROOM + (inherited ? strnlen(inherited, MAX_PARENT) : 0);
	v->text = calloc(1, n + 1 + v->max + 1);
	if (!v->text)
		return false;
	memcpy(v->text, name, n);
	v->text[n] = '=';
	v->value = v->text + n + 1;
	v->len = 0;
	copy_clean(v, inherited);
	v->inherited = v->len;
	return true;
}

/*
 * Append "/text", or "text" to an empty value. A reader of the environment in
 * another thread sees the old value or the new one: the byte at the old end is
 * written last, before the length. If a handler jumps out before the length is
 * set, the next call replaces the text.
 */
static bool
variable_append(struct variable *v, const char *text, size_t n)
{
	size_t old = v->len;
	char first = old ? '/' : *text;

	if (!n)
		return true;
	if (n + 1 > v->max - old)
		return false;
	if (old)
		memcpy(v->value + old + 1, text, n + 1);
	else
		memcpy(v->value + 1, text + 1, n);
	__atomic_store_n(&v->value[old], first, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_RELEASE);
	v->len = old + n + (old != 0);
	return true;
}

static void add_hex(struct tr2_buf *b, uint32_t value, unsigned int width)
{
	while (width--)
		tr2_buf_addch(b, "0123456789abcdef"[value >> 4 * width & 15]);
}

static void add_host(struct tr2_buf *b)
{
	char host[256] = "";
	uint8_t digest[20];
	unsigned int i;

	if (gethostname(host, sizeof(host) - 1) || !*host) {
		tr2_buf_addlit(b, "Localhost");
		return;
	}
	tr2_sha1(host, strlen(host), digest);
	tr2_buf_addch(b, 'H');
	for (i = 0; i < 4; i++)
		add_hex(b, digest[i], 2);
}

static void append_own_sid(uint64_t wall_us, int pid)
{
	char memory[MAX_OWN];
	struct tr2_buf own;

	tr2_buf_init_fixed(&own, memory, sizeof(memory));
	tr2_render_time_compact(&own, wall_us);
	tr2_buf_addch(&own, '-');
	add_host(&own);
	tr2_buf_addlit(&own, "-P");
	add_hex(&own, (uint32_t)pid, 8);
	/* After 20 forks of forks, leave out the ancestors. */
	if (sid.len + own.len + 1 > sid.max)
		sid.len = sid.inherited = 0;
	own_sid_at = sid.len ? sid.len + 1 : 0;
	variable_append(&sid, tr2_buf_str(&own), own.len);
}

static void count_depth(void)
{
	const char *p;

	depth = 0;
	for (p = sid.value; *p; p++)
		depth += *p == '/';
}

/* Make the session id; in a forked child, append to the parent's id. */
static bool make_sid(uint64_t wall_us, int pid)
{
	if (!made_by && !(variable_start(&sid, SID_VARIABLE) &&
			  variable_start(&names, NAME_VARIABLE)))
		return false;
	append_own_sid(wall_us, pid);
	count_depth();
	return true;
}

bool tr2_inherit_start(uint64_t wall_us)
{
	int pid = getpid(), before = maker, made;
	unsigned int tries = MAX_WAITS;
	struct tr2_mask mask;

	if (made_by == pid)
		return true;
	tr2_mask_begin(&mask);
	if (before != pid &&
	    atomic_compare_exchange_strong(&maker, &before, pid)) {
		if (make_sid(wall_us, pid))
			made_by = pid;
		else
			maker = 0;
		if (!tr2_barrier_is_alone())
			tr2_awake(&made_by);
	}
	tr2_mask_end(&mask);
	/* If another thread of this process makes the id, wait for it. A child
	 * in another PID namespace may have the number of the parent that was
	 * making an id, and then waits in vain. */
	while ((made = made_by) != pid && maker == pid && tries--)
		tr2_await(&made_by, made);
	return made_by == pid;
}

bool tr2_inherit_renew(uint64_t wall_us)
{
	if (made_by != getpid())
		return tr2_inherit_start(wall_us);
	sid.len = own_sid_at ? own_sid_at - 1 : 0;
	/*
	 * Cut the old id off first: until the new one is complete, a process
	 * that is forked has only the ids of the ancestors.
	 */
	__atomic_store_n(&sid.value[sid.len], '\0', __ATOMIC_RELEASE);
	append_own_sid(wall_us, made_by);
	return true;
}

bool tr2_inherit_is_made_here(void)
{
	return made_by == getpid();
}

void tr2_inherit_keep(void)
{
	maker = made_by = getpid();
}

void tr2_inherit_publish_sid(void)
{
	putenv(sid.text);
}

void tr2_inherit_publish(void)
{
	putenv(sid.text);
	putenv(names.text);
}

void tr2_inherit_after_fork(void)
{
	maker = 0;
	if (made_by)
		made_by = -1;
}

size_t tr2_inherit_sid_room(void)
{
	return sid.len + MAX_OWN;
}

static void variable_end(struct variable *v)
{
	if (!v->value)
		return;
	v->len = v->inherited;
	__atomic_store_n(&v->value[v->len], '\0', __ATOMIC_RELEASE);
}

void tr2_inherit_end(void)
{
	variable_end(&sid);
	variable_end(&names);
	own_sid_at = 0;
	maker = made_by = 0;
}

const char *tr2_inherit_sid(void)
{
	return sid.value ? sid.value : "";
}

const char *tr2_inherit_own_sid(void)
{
	return tr2_inherit_sid() + own_sid_at;
}

unsigned int tr2_inherit_depth(void)
{
	return depth;
}

const char *tr2_inherit_add_name(const char *name, size_t len)
{
	if (!names.value)
		return "";
	variable_append(&names, name, len);
	return names.value;
}

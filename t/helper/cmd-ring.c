/* SPDX-License-Identifier: MIT */
/*
 * `test-tool ring VERB`: show the content of an arena's file, based only on the
 * headers of its layout. For tests of the library; it checks all values that it
 * uses, and stops at the first error.
 */
#include "cmd-ring.h"

#include "event/event.h"
#include "ring/layout.h"

noreturn static void damaged(const char *what, uint64_t at)
{
	tool_die("damaged: %s at %#" PRIx64, what, at);
}

void tool_arena_open(struct tool_arena *arena, const char *path, bool writable)
{
	int fd = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	struct stat st;
	void *p;

	if (fd < 0 || fstat(fd, &st))
		tool_die("cannot open '%s': %s", path, strerror(errno));
	if ((size_t)st.st_size < TR2_SLOTS_OFFSET)
		damaged("a short header", (uint64_t)st.st_size);
	p = mmap(NULL, (size_t)st.st_size,
		 PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		tool_die("cannot map '%s': %s", path, strerror(errno));
	close(fd);
	arena->base = p;
	arena->size = (uint64_t)st.st_size;
	arena->header = p;
	if (memcmp(arena->header->magic, TR2_ARENA_MAGIC, 8) != 0)
		damaged("no magic", 0);
	if (arena->header->version != TR2_LAYOUT_VERSION ||
	    arena->header->compat_version != TR2_LAYOUT_COMPAT_VERSION ||
	    arena->header->byte_order != 0x01020304 ||
	    arena->header->header_size != sizeof(*arena->header))
		damaged("an unknown version", 8);
}

unsigned int tool_arena_nr_slots(const struct tool_arena *arena)
{
	return __atomic_load_n(&arena->header->nr_slots, __ATOMIC_ACQUIRE);
}

struct tr2_slot *tool_arena_slot(const struct tool_arena *arena, unsigned int i)
{
	const struct tr2_arena_header *h = arena->header;
	uint64_t offset = h->slots_offset + i * h->slot_size;

	if (h->slot_size < sizeof(struct tr2_slot) || offset > arena->size ||
	    h->slot_size > arena->size - offset)
		damaged("a slot beyond the end", offset);
	return (struct tr2_slot *)(void *)(arena->base + offset);
}

const char *tool_arena_string(const struct tool_arena *arena, uint32_t at)
{
	const struct tr2_arena_header *h = arena->header;

	if (at >= h->strings_used || h->strings_used > h->strings_size)
		damaged("a string beyond the end", at);
	return arena->base + h->strings_offset + at;
}

/* The bytes of a record that are still to be read. */
struct cursor {
	const char *p, *end;
};

static const char *take(struct cursor *c, size_t n)
{
	const char *p = c->p;

	if (n > (size_t)(c->end - c->p))
		damaged("a record that is too short", 0);
	c->p += n;
	return p;
}

static uint64_t take_u64(struct cursor *c)
{
	uint64_t value;

	memcpy(&value, take(c, sizeof(value)), sizeof(value));
	return value;
}

static unsigned int take_u16(struct cursor *c)
{
	uint16_t value;

	memcpy(&value, take(c, sizeof(value)), sizeof(value));
	return value;
}

static void print_text(const char *s, size_t len)
{
	putchar('"');
	for (; len; s++, len--)
		if (*s < ' ' || *s == '"' || *s == '\\' || *s == 127)
			printf("\\%03o", (unsigned char)*s);
		else
			putchar(*s);
	putchar('"');
}

static void print_string(struct cursor *c)
{
	unsigned int len = take_u16(c);

	if (len == TR2_RECORD_ABSENT)
		putchar('-');
	else
		print_text(take(c, len), len);
}

static void print_list(struct cursor *c, bool pairs)
{
	unsigned int nr = take_u16(c), i;

	if (nr == TR2_RECORD_ABSENT) {
		putchar('-');
		return;
	}
	putchar('[');
	for (i = 0; i < nr; i++) {
		if (i)
			putchar(' ');
		if (!pairs) {
			print_string(c);
			continue;
		}
		printf("%" PRIu64 ":", take_u64(c));
		printf("%" PRIu64, take_u64(c));
	}
	putchar(']');
}

static void print_field(struct cursor *c, enum tr2_field_type type)
{
	switch (type) {
	case TR2_T_STR:
	case TR2_T_JSON:
		print_string(c);
		break;
	case TR2_T_ARGV:
		print_list(c, false);
		break;
	case TR2_T_HISTOGRAM:
		print_list(c, true);
		break;
	default:
		printf("%" PRId64, (int64_t)take_u64(c));
		break;
	}
}

static void check_end(const struct tr2_record *head, struct cursor *c)
{
	if (c->end - c->p >= 8)
		damaged("a record that is too long", head->size);
	while (c->p < c->end)
		if (*c->p++)
			damaged("a record whose end is not zero", head->size);
}

static void print_text_at(const struct tool_arena *arena, uint32_t at)
{
	const char *s = tool_arena_string(arena, at);

	print_text(s, strlen(s));
}

/* Print the fields of an event of a site, as if it were an event without a
 * site. */
static void print_site_event(const struct tool_arena *arena,
			     const struct tr2_record *head, struct cursor *c)
{
	bool of_numbers = head->type >= TR2_RECORD_SITE_NUMBER;
	uint32_t kind = head->type - (of_numbers ? TR2_RECORD_SITE_NUMBER :
						   TR2_RECORD_SITE_EVENT);
	const struct tr2_record_site_event *event =
		(const void *)take(c, sizeof(*event));
	const struct tr2_site_row *row;
	const struct tr2_field *f;
	uint32_t names[2], nr = 0;

	if (kind >= TR2_EVENT_NR)
		damaged("an unknown event", kind);
	if (event->site % 4 || event->site > arena->header->strings_used ||
	    arena->header->strings_used - event->site < sizeof(*row))
		damaged("a site's row", event->site);
	row = (const void *)(arena->base + arena->header->strings_offset +
			     event->site);
	names[0] = row->category;
	names[1] = row->name;
	printf("%s time=%" PRIu64 " tid=%u repo=0 nesting=%u file=",
	       tr2_event_rows[kind].name, event->time, event->tid,
	       head->misc >> TR2_MISC_NESTING_SHIFT);
	print_text_at(arena, row->file);
	printf(" line=%u site=%u", row->line, event->site);
	for (f = tr2_event_rows[kind].field; *f->name; f++) {
		if (f->type == TR2_T_T_ABS || f->type == TR2_T_NESTING)
			continue;
		printf(" %s=", f->name);
		if (f->flags & TR2_F_SITE)
			print_text_at(arena, names[nr++]);
		else if (f->flags & TR2_F_OPT)
			putchar('-');
		else if (of_numbers && f->type == TR2_T_STR)
			printf("\"%" PRId64 "\"", (int64_t)take_u64(c));
		else
			print_field(c, f->type);
	}
	check_end(head, c);
}

static void print_event(const struct tr2_record *head, struct cursor *c)
{
	uint32_t kind = head->type - TR2_RECORD_EVENT;
	const struct tr2_record_event *event =
		(const void *)take(c, sizeof(*event));
	const struct tr2_field *f;

	if (kind >= TR2_EVENT_NR)
		damaged("an unknown event", kind);
	printf("%s time=%" PRIu64 " tid=%u", tr2_event_rows[kind].name,
	       event->time, event->tid);
	printf("%s%s repo=%u nesting=%u file=",
	       head->misc & TR2_MISC_MAIN ? " main" : "",
	       head->misc & TR2_MISC_CUT ? " cut" : "", event->repo_id,
	       event->nesting);
	print_string(c);
	printf(" line=%u", event->line);
	for (f = tr2_event_rows[kind].field; *f->name; f++) {
		if (f->type == TR2_T_T_ABS || f->type == TR2_T_NESTING)
			continue;
		printf(" %s=", f->name);
		print_field(c, f->type);
	}
	check_end(head, c);
}

static void print_task(const char *name, struct cursor *c)
{
	const struct tr2_record_task *task =
		(const void *)take(c, sizeof(*task));

	printf("%s pid=%u ppid=%u tid=%u ptid=%u time=%" PRIu64, name,
	       task->pid, task->ppid, task->tid, task->ptid, task->time);
}

static void print_sample(struct cursor *c)
{
	const struct tr2_record_sample *sample =
		(const void *)take(c, sizeof(*sample));
	uint64_t nr = take_u64(c), i;

	printf("SAMPLE tid=%u time=%" PRIu64 " id=%" PRIx64 " period=%" PRIu64
	       " values=", sample->tid, sample->time, sample->id,
	       sample->period);
	for (i = 0; i < nr; i++) {
		printf("%s%" PRIu64, i ? "," : "", take_u64(c));
		take_u64(c);
	}
	nr = take_u64(c);
	if (nr && take_u64(c) != TR2_SAMPLE_CONTEXT_USER)
		damaged("a sample without a context", nr);
	printf(" calls=%" PRIu64 "%s", nr ? nr - 1 : 0,
	       sample->ip ? "" : " nowhere");
	for (i = 1; i < nr; i++)
		if (take_u64(c) != sample->ip && i == 1)
			damaged("a sample that is elsewhere", i);
	if (c->p != c->end)
		damaged("a sample that is too long", nr);
}

static void print_rest(struct cursor *c)
{
	size_t len = strnlen(c->p, (size_t)(c->end - c->p));

	if (len == (size_t)(c->end - c->p))
		damaged("a name without an end", 0);
	print_text(c->p, len);
}

static void print_mmap(const struct tr2_record *record, struct cursor *c)
{
	const struct tr2_record_mmap2 *mmap =
		(const void *)take(c, sizeof(*mmap));
	const char *end = c->end - sizeof(uint64_t);
	uint64_t time;
	unsigned int i;

	if (c->end - c->p < (ptrdiff_t)sizeof(time))
		damaged("no time", record->size);
	memcpy(&time, end, sizeof(time));
	c->end = end;
	printf("MMAP pid=%u tid=%u addr=%#" PRIx64 " len=%#" PRIx64
	       " pgoff=%#" PRIx64 " time=%" PRIu64 " prot=%u id=", mmap->pid,
	       mmap->tid, mmap->addr, mmap->len, mmap->pgoff, time, mmap->prot);
	if (!(record->misc & TR2_MISC_BUILD_ID))
		printf("%x:%x:%" PRIu64, mmap->dev_major, mmap->dev_minor,
		       mmap->inode);
	for (i = 0; record->misc & TR2_MISC_BUILD_ID &&
		    i < mmap->build_id_size; i++)
		printf("%02x", mmap->build_id[i]);
	printf(" filename=");
	print_rest(c);
}

static void print_span(const struct tr2_record *head, struct cursor *c)
{
	static const char *const names[] = { "SPAN_START", "SPAN_END",
					     "TRACE" };
	const struct tr2_record_span *span =
		(const void *)take(c, sizeof(*span));
	uint32_t kind = head->type - TR2_RECORD_SPAN_START;

	if (kind >= sizeof(names) / sizeof(*names))
		damaged("an unknown record", head->type);
	printf("%s tid=%u id=%" PRIx64, names[kind], span->tid, span->id);
	take(c, span->bytes);
	check_end(head, c);
}

void tool_record_print(const struct tool_arena *arena,
		       const struct tr2_record *record)
{
	struct cursor c = { (const char *)record,
			    (const char *)record + record->size };
	const union {
		struct tr2_record_lost lost;
		struct tr2_record_comm comm;
	} *u = (const void *)record;

	if (record->type == TR2_RECORD_FORK) {
		print_task("FORK", &c);
	} else if (record->type == TR2_RECORD_EXIT) {
		print_task("EXIT", &c);
	} else if (record->type == TR2_RECORD_COMM) {
		take(&c, sizeof(u->comm));
		printf("COMM pid=%u tid=%u comm=", u->comm.pid, u->comm.tid);
		print_rest(&c);
	} else if (record->type == TR2_RECORD_MMAP2) {
		print_mmap(record, &c);
	} else if (record->type == TR2_RECORD_LOST) {
		take(&c, sizeof(u->lost));
		printf("LOST id=%" PRIu64 " lost=%" PRIu64, u->lost.id,
		       u->lost.lost);
	} else if (record->type == TR2_RECORD_SAMPLE) {
		print_sample(&c);
	} else if (record->type == TR2_RECORD_FILLER) {
		printf("FILLER %u", record->size);
	} else if (record->type >= TR2_RECORD_SPAN_START &&
		   record->type < TR2_RECORD_SITE_NUMBER) {
		print_span(record, &c);
	} else if (record->type >= TR2_RECORD_SITE_EVENT) {
		print_site_event(arena, record, &c);
	} else if (record->type >= TR2_RECORD_EVENT) {
		print_event(record, &c);
	} else {
		damaged("an unknown record", record->type);
	}
	putchar('\n');
}

const struct tr2_record *tool_ring_record(const struct tr2_slot *slot,
					  uint64_t at, uint64_t head)
{
	const struct tr2_control *ring = &slot->control;
	uint64_t offset = at & (ring->data_size - 1);
	const struct tr2_record *record =
		(const void *)((const char *)slot + ring->data_offset + offset);

	if (at % 8 || head - at < sizeof(*record) || record->size < 8 ||
	    record->size % 8 || record->size > head - at ||
	    record->size > ring->data_size - offset)
		damaged("a record's size", at);
	return record;
}

static void dump_ring(const struct tool_arena *arena, unsigned int nr)
{
	const struct tr2_slot *slot = tool_arena_slot(arena, nr);
	const struct tr2_control *ring = &slot->control;
	const struct tr2_record *record;
	uint64_t tail = ring->data_tail, head = ring->data_head;

	if (!ring->data_size)
		return;
	if (ring->data_size & (ring->data_size - 1) || tail > head ||
	    head - tail > ring->data_size ||
	    ring->data_offset + ring->data_size > arena->header->slot_size)
		damaged("a ring", tail);
	for (; tail < head; tail += record->size) {
		record = tool_ring_record(slot, tail, head);
		printf("%u ", nr);
		tool_record_print(arena, record);
	}
}

static void dump_cells(const struct tool_arena *arena, unsigned int nr)
{
	const struct tr2_arena_header *h = arena->header;
	const struct tr2_slot *slot = tool_arena_slot(arena, nr);
	const struct tr2_definition *row =
		(const void *)(arena->base + h->definitions_offset);
	uint32_t i;

	for (i = 0; i < h->nr_definitions; i++, row++) {
		const char *name = tool_arena_string(arena, row->name);
		const char *category = tool_arena_string(arena, row->category);
		const struct tr2_timer_cell *timer;

		if (row->kind == TR2_DEFINITION_COUNTER) {
			if (slot->counter[row->index])
				printf("%u counter %s/%s %" PRIu64 "\n", nr,
				       category, name,
				       slot->counter[row->index]);
			continue;
		}
		if (row->kind != TR2_DEFINITION_TIMER)
			continue;
		timer = &slot->timer[row->index];
		if (timer->count || timer->nest || timer->unpaired)
			printf("%u timer %s/%s %" PRIu64 " nest=%u unpaired=%"
			       PRIu64 "\n", nr, category, name, timer->count,
			       timer->nest, timer->unpaired);
	}
}

static void dump_control(const struct tr2_control *c, unsigned int nr)
{
	static const char *const states[] = { "free", "live", "ended" };
	unsigned int i;

	if (c->state > TR2_SLOT_ENDED)
		damaged("a slot's state", c->state);
	printf("%u slot %s tid=%u ptid=%u name=%s overwritten=%" PRIu64, nr,
	       states[c->state], c->tid, c->ptid, c->name, c->overwritten);
	for (i = 0; i < TR2_LOST_CAUSES; i++)
		if (c->lost[i])
			printf(" lost[%u]=%" PRIu64, i, c->lost[i]);
	putchar('\n');
}

static void dump_arena(const char *path)
{
	static const char *const states[] = { "starting", "running", "exited",
					      "signalled" };
	struct tool_arena arena;
	const struct tr2_arena_header *h;
	unsigned int i;

	tool_arena_open(&arena, path, false);
	h = arena.header;
	printf("arena %s status=%u pid=%u ppid=%u sid=%s mode=%s size=%" PRIu64,
	       h->state < 4 ? states[h->state] : "?", h->status, h->pid,
	       h->ppid, tool_arena_string(&arena, h->sid),
	       h->mode ? "consume" : "overwrite", h->data_size);
	for (i = 0; i < TR2_LOST_CAUSES; i++)
		if (h->lost[i])
			printf(" lost[%u]=%" PRIu64, i, h->lost[i]);
	putchar('\n');
	for (i = 0; i < h->nr_slots; i++) {
		dump_control(&tool_arena_slot(&arena, i)->control, i);
		dump_cells(&arena, i);
		dump_ring(&arena, i);
	}
}

static int ring_dump(int argc, const char **argv)
{
	while (argc--)
		dump_arena(*argv++);
	return 0;
}

/* Print the offset of a member of the header. */
static int ring_where(int argc, const char **argv)
{
	(void)argc, (void)argv;
	printf("%zu\n", offsetof(struct tr2_arena_header, strings_used));
	return 0;
}

int tr2_cmd_ring(int argc, const char **argv)
{
	static const struct tool_verb verbs[] = {
		{ "dump", "<file>...", 1, -1, ring_dump },
		{ "where", "strings_used", 1, 1, ring_where },
		{ NULL, NULL, 0, 0, NULL },
	};
	static const struct tool_verb *const tables[] = {
		verbs, tool_verbs_ring_stress, tool_verbs_ring_wait, NULL
	};

	return tool_run_verb(tables, argc, argv);
}

/* SPDX-License-Identifier: MIT */
/*
 * `test-tool ring stress` and `kill`: a process whose threads and signal
 * handlers write numbered records as fast as they can. Another process reads
 * them while the writer runs, or after it was killed. The records of a thread
 * are numbered from 0 without gaps, and those of its handlers, too; so a record
 * that is torn, out of order, or lost without being counted is detected.
 */
#include "cmd-ring.h"

#include "event/event.h"

#define MAX_THREADS 64

/* How many records were written, in memory that both processes share. */
struct account {
	uint64_t by_thread[MAX_THREADS], by_handler[MAX_THREADS];
	uint32_t tid[MAX_THREADS];
	uint64_t records; /* records that each thread writes; 0: no limit, the
			   * process is killed */
	unsigned int nr_threads, nr_ready, nr_done;
};

static struct account *account;
static __thread unsigned int self;
static pthread_t threads[MAX_THREADS];

#define load(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define store(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

static void write_in_handler(int signo)
{
	uint64_t number = account->by_handler[self];

	/* Write long and short records in turn. */
	if (number & 1)
		trace2_data_intmax_fl("f", 1, "stress", NULL, "h",
				      (intmax_t)number);
	else
		trace2_data_intmax("stress", NULL, "h", (intmax_t)number);
	store(&account->by_handler[self], number + 1);
}

static void mask_handler(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(how, &set, NULL);
}

static void *write_records(void *arg)
{
	uint64_t number, records = account->records;
	char text[24];

	self = (unsigned int)(uintptr_t)arg;
	trace2_thread_start("writer");
	account->tid[self] = (uint32_t)gettid();
	__atomic_fetch_add(&account->nr_ready, 1, __ATOMIC_RELEASE);
	/* Wait for all threads: the slot of an ended thread could go to
	 * another. */
	while (load(&account->nr_ready) < account->nr_threads)
		sched_yield();
	mask_handler(SIG_UNBLOCK);
	for (number = 0; !records || number < records; number++) {
		snprintf(text, sizeof(text), "%" PRIu64, number);
		if (number % 3 == 1)
			trace2_data_intmax("stress", NULL, "t",
					   (intmax_t)number);
		else if (number % 3)
			trace2_data_string("stress", NULL, "t", text);
		else
			trace2_data_string_fl("f", 1, "stress", NULL, "t",
					      text);
		store(&account->by_thread[self], number + 1);
	}
	mask_handler(SIG_BLOCK);
	trace2_thread_exit();
	__atomic_fetch_add(&account->nr_done, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Send signals to the writing threads now and then. */
static void pester(void)
{
	const struct timespec pause = { 0, 20000 };
	unsigned int i;

	while (load(&account->nr_ready) < account->nr_threads)
		sched_yield();
	while (load(&account->nr_done) < account->nr_threads) {
		for (i = 0; i < account->nr_threads; i++)
			pthread_kill(threads[i], SIGUSR1);
		nanosleep(&pause, NULL);
	}
}

noreturn static void be_writer(const char *file, const char *mode)
{
	struct sigaction action = { .sa_handler = write_in_handler };
	unsigned int i;

	setenv("GIT_TRACE2_RING", file, 1);
	setenv("GIT_TRACE2_RING_MODE", mode, 1);
	setenv("GIT_TRACE2_RING_BRIEF", "1", 1);
	trace2_initialize();
	if (!trace2_is_enabled())
		tool_die("there is no ring in '%s'", file);
	sigaction(SIGUSR1, &action, NULL);
	mask_handler(SIG_BLOCK);
	for (i = 0; i < account->nr_threads; i++)
		if (pthread_create(&threads[i], NULL, write_records,
				   (void *)(uintptr_t)i))
			tool_die("cannot start a thread");
	pester();
	for (i = 0; i < account->nr_threads; i++)
		pthread_join(threads[i], NULL);
	exit(0);
}

static pid_t start_writer(const char *file, const char *mode,
			  unsigned int nr_threads, uint64_t records)
{
	pid_t pid;

	if (!account)
		account = mmap(NULL, sizeof(*account), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(account, 0, sizeof(*account));
	account->nr_threads = nr_threads;
	account->records = records;
	fflush(stdout);
	pid = tool_fork();
	if (!pid)
		be_writer(file, mode);
	return pid;
}

/* The reader's state for one thread. */
struct reading {
	uint64_t next_by_thread, next_by_handler; /* the numbers that the next
						   * records must have */
	uint64_t first_by_thread;
	uint64_t records, others, told;
	bool any;
};

static const char *skip_string(const char *p, const char *end)
{
	uint16_t len;

	if (end - p < 2)
		tool_die("a record that is too short");
	memcpy(&len, p, sizeof(len));
	p += sizeof(len);
	if (len == TR2_RECORD_ABSENT)
		return p;
	if (len > end - p)
		tool_die("a string beyond its record");
	return p + len;
}

static void take_number(struct reading *r, char who, uint64_t number)
{
	uint64_t *next = who == 't' ? &r->next_by_thread : &r->next_by_handler;

	if (number < *next)
		tool_die("%c %" PRIu64 " after %" PRIu64, who, number, *next);
	if (!r->any && who == 't') {
		r->first_by_thread = number;
		r->any = true;
	}
	*next = number + 1;
	r->records++;
}

static void take_value(struct reading *r, const struct tr2_record *record,
		       char who, const char *value)
{
	const char *end = (const char *)record + record->size;
	const char *p = skip_string(value, end);
	uint64_t number = 0;

	if ((who != 't' && who != 'h') || p - value < 3 || end - p > 7)
		tool_die("a torn record");
	for (value += 2; value < p; value++) {
		if (*value < '0' || *value > '9')
			tool_die("a torn number");
		number = number * 10 + (uint64_t)(*value - '0');
	}
	take_number(r, who, number);
}

/* Parse the record of a data event, which has a file, t_rel, category, key and
 * value. */
static void take_data(struct reading *r, const struct tr2_record *record)
{
	const char *end = (const char *)record + record->size;
	const char *p = (const char *)record + sizeof(struct tr2_record_event);
	const char *key, *value;

	key = skip_string(skip_string(p, end) + 8, end);
	value = skip_string(key, end);
	if (value - key != 3)
		tool_die("a torn record");
	take_value(r, record, key[2], value);
}

/* Parse the record of a data event of a site, which has t_rel and a value or
 * number. */
static void take_data_of_site(struct reading *r, const struct tool_arena *arena,
			      const struct tr2_record *record)
{
	const struct tr2_record_site_event *event = (const void *)record;
	const char *value = (const char *)(event + 1) + 8, *name;
	const struct tr2_site_row *row;
	uint64_t number;

	if (event->site % 4 || load(&arena->header->strings_used) <
				       event->site + sizeof(*row))
		tool_die("a record without the row of its site");
	row = (const void *)(arena->base + arena->header->strings_offset +
			     event->site);
	if (strcmp(tool_arena_string(arena, row->category), "stress") != 0)
		tool_die("a torn row");
	name = tool_arena_string(arena, row->name);
	if (record->type < TR2_RECORD_SITE_NUMBER) {
		take_value(r, record, *name, value);
		return;
	}
	if ((*name != 't' && *name != 'h') || record->size != 40)
		tool_die("a torn record");
	memcpy(&number, value, sizeof(number));
	take_number(r, *name, number);
}

static void take_record(struct reading *r, const struct tool_arena *arena,
			const struct tr2_record *record)
{
	if (record->type == TR2_RECORD_LOST)
		r->told += ((const struct tr2_record_lost *)
			    (const void *)record)->lost;
	else if (record->type == TR2_RECORD_EVENT + TR2_EV_data)
		take_data(r, record);
	else if (record->type == TR2_RECORD_SITE_EVENT + TR2_EV_data ||
		 record->type == TR2_RECORD_SITE_NUMBER + TR2_EV_data)
		take_data_of_site(r, arena, record);
	else if (record->type != TR2_RECORD_FILLER)
		r->others++;
}

/* Take all records, in consume mode. Return whether there was a record. */
static bool drain(const struct tool_arena *arena, struct tr2_slot *slot,
		  struct reading *r)
{
	struct tr2_control *ring = &slot->control;
	uint64_t head = load(&ring->data_head), tail = ring->data_tail;
	const struct tr2_record *record;
	bool any = tail < head;

	for (; tail < head; tail += record->size) {
		record = tool_ring_record(slot, tail, head);
		take_record(r, arena, record);
	}
	store(&ring->data_tail, tail);
	return any;
}

/* Return the number of the writer that owns this slot; -1: no writer owns
 * it. */
static int writer_of(const struct tr2_slot *slot)
{
	unsigned int i;

	for (i = 0; i < account->nr_threads; i++)
		if (account->tid[i] && account->tid[i] == slot->control.tid)
			return (int)i;
	return -1;
}

static bool has_magic(const char *file)
{
	struct stat st;
	char magic[8] = "";
	FILE *f = fopen(file, "rb");
	bool has = f && fread(magic, 1, 8, f) == 8 &&
		   !memcmp(magic, TR2_ARENA_MAGIC, 8);

	if (f)
		fclose(f);
	return has && !stat(file, &st) && st.st_size > TR2_SLOTS_OFFSET;
}

/*
 * Map the file again, since it grows with its slots. Return the number of slots
 * in the mapping; more may be added at any time.
 */
static unsigned int map_all(struct tool_arena *arena, const char *file)
{
	unsigned int nr;

	if (arena->base) {
		nr = tool_arena_nr_slots(arena);
		if (arena->header->slots_offset +
			    nr * arena->header->slot_size <=
		    arena->size)
			return nr;
		munmap(arena->base, arena->size);
	}
	tool_arena_open(arena, file, true);
	return map_all(arena, file);
}

static void check_thread(struct tr2_slot *slot, const struct reading *r,
			 unsigned int writer, uint64_t *read, uint64_t *lost)
{
	uint64_t all = account->by_thread[writer] + account->by_handler[writer];
	uint64_t lost_here = 0;
	unsigned int i;

	for (i = 0; i < TR2_LOST_CAUSES; i++)
		lost_here += slot->control.lost[i];
	/* Two more records are thread_start and thread_exit. */
	if (r->records + r->others + lost_here != all + 2)
		tool_die("%" PRIu64 " written, %" PRIu64 " read, %" PRIu64
			 " lost", all + 2, r->records + r->others, lost_here);
	if (r->told > lost_here)
		tool_die("more losses told than there were");
	*read += r->records;
	*lost += lost_here;
}

static int ring_stress(int argc, const char **argv)
{
	static struct reading readings[TR2_MAX_SLOTS];
	unsigned int nr_threads =
		(unsigned int)tool_number(argv[2], 1, MAX_THREADS);
	uint64_t records = tool_unsigned(argv[1]), read = 0, lost = 0;
	uint64_t handled = 0;
	struct tool_arena arena = { NULL, 0, NULL };
	pid_t pid = start_writer(argv[0], "consume", nr_threads,
				 records / nr_threads);
	bool ended = false, any = true;
	unsigned int nr_slots, i;
	int status = 0;

	while (!has_magic(argv[0]))
		if (waitpid(pid, &status, WNOHANG) == pid)
			tool_die("the writer ended");
	while (!ended || any) {
		ended = ended || waitpid(pid, &status, WNOHANG) == pid;
		nr_slots = map_all(&arena, argv[0]);
		for (any = false, i = 1; i < nr_slots; i++)
			any |= drain(&arena, tool_arena_slot(&arena, i),
				     &readings[i]);
	}
	if (status)
		tool_die("the writer ended with status %d", status);
	for (i = 1; i < tool_arena_nr_slots(&arena); i++) {
		struct tr2_slot *slot = tool_arena_slot(&arena, i);
		int writer = writer_of(slot);

		if (writer >= 0)
			check_thread(slot, &readings[i], (unsigned int)writer,
				     &read, &lost);
	}
	for (records = 0, i = 0; i < nr_threads; i++) {
		records += account->by_thread[i];
		handled += account->by_handler[i];
	}
	printf("%" PRIu64 " written, %" PRIu64 " by handlers; %" PRIu64
	       " read, %" PRIu64 " lost and counted\n", records + handled,
	       handled, read, lost);
	return 0;
}

/* Check a ring in overwrite mode, after its process died. */
static uint64_t read_dead(const struct tool_arena *arena, struct tr2_slot *slot,
			  unsigned int writer)
{
	const struct tr2_control *ring = &slot->control;
	struct reading r = { .any = false };
	uint64_t at;
	const struct tr2_record *record;

	if (ring->data_tail > ring->data_head ||
	    ring->data_head - ring->data_tail > ring->data_size)
		tool_die("head and tail");
	for (at = ring->data_tail; at < ring->data_head; at += record->size) {
		record = tool_ring_record(slot, at, ring->data_head);
		take_record(&r, arena, record);
	}
	if (r.told)
		tool_die("a loss in overwrite mode");
	/*
	 * The ring must have the last record that was counted, and may have one
	 * more, which was written but not counted.
	 */
	if (r.any && (r.next_by_thread < account->by_thread[writer] ||
		      r.next_by_thread > account->by_thread[writer] + 1))
		tool_die("%" PRIu64 " written, and the last one is %" PRIu64,
			 account->by_thread[writer], r.next_by_thread);
	if (!r.any && account->by_thread[writer])
		tool_die("%" PRIu64 " written, and none there",
			 account->by_thread[writer]);
	return r.records;
}

static uint64_t kill_once(const char *file, unsigned int *seed)
{
	pid_t pid;
	struct timespec life = { 0, 0 };
	struct tool_arena arena;
	uint64_t read = 0;
	unsigned int i;
	int writer;

	unlink(file);
	pid = start_writer(file, "overwrite", 2, 0);
	while (load(&account->nr_ready) < 2 && !waitpid(pid, NULL, WNOHANG))
		sched_yield();
	life.tv_nsec = rand_r(seed) % 1500000;
	nanosleep(&life, NULL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	tool_arena_open(&arena, file, false);
	for (i = 1; i < tool_arena_nr_slots(&arena); i++) {
		writer = writer_of(tool_arena_slot(&arena, i));
		if (writer >= 0)
			read += read_dead(&arena, tool_arena_slot(&arena, i),
					  (unsigned int)writer);
	}
	munmap(arena.base, arena.size);
	return read;
}

static int ring_kill(int argc, const char **argv)
{
	uint64_t kills = tool_unsigned(argv[1]), i, read = 0;
	unsigned int seed = argc > 2 ? (unsigned int)tool_unsigned(argv[2]) : 1;

	for (i = 0; i < kills; i++)
		read += kill_once(argv[0], &seed);
	printf("%" PRIu64 " kills, %" PRIu64 " records read back\n", kills,
	       read);
	return 0;
}

const struct tool_verb tool_verbs_ring_stress[] = {
	{ "stress", "<new file> <records> <threads>", 3, 3, ring_stress },
	{ "kill", "<new file> <kills> [<seed>]", 2, 3, ring_kill },
	{ NULL, NULL, 0, 0, NULL },
};

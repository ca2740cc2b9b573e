/* SPDX-License-Identifier: MIT */
/* Apply settings while the process runs. */
#include "session/control.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/barrier.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/lock.h"
#include "base/macros.h"
#include "base/mask.h"
#include "config/control_block.h"
#include "part/part.h"
#include "session/control_request.h"
#include "session/inherit.h"
#include "session/parts.h"
#include "session/session.h"
#include "session/targets.h"
#include "thread/stream.h"

#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1u
#define MFD_ALLOW_SEALING 2u
#endif

static struct {
	struct tr2_control_block *block; /* the shared page; NULL: the settings
					  * do not ask for it */
	int fd;
	struct tr2_file_id id;
	atomic_bool is_taken; /* a thread is handling a request */
	bool was_on; /* a session has used the session id */
	bool looks_always;
} control = { .fd = -1 };

/* Memory for the thread that has set control.is_taken. */
struct room {
	struct tr2_control_wish request;
	char text[TR2_CONTROL_TEXT];
};
TR2_LARGE struct room tr2_control_room;

static void set_enabled(bool on)
{
	__atomic_store_n(&trace2_enabled_, tr2_stream.enabled[on],
			 __ATOMIC_SEQ_CST);
}

/* Return whether a user without privileges may write into the memory of their
 * other processes. Yama may forbid it. */
static bool others_may_write(void)
{
	char scope = '0';
	int fd = open("/proc/sys/kernel/yama/ptrace_scope",
		      O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return true;
	if (read(fd, &scope, 1) != 1)
		scope = '1';
	close(fd);
	return scope == '0';
}

/* Make a sealed file: if someone could shorten it, an access would raise
 * SIGBUS. A limit for the size of files counts here, too. */
static int make_file(void)
{
	int fd = -1;

	if (tr2_file_size_limit() >= TR2_CONTROL_BYTES)
		fd = (int)syscall(SYS_memfd_create, TR2_CONTROL_NAME,
				  MFD_CLOEXEC | MFD_ALLOW_SEALING);
	fd = tr2_fd_move_up(fd);
	if (fd >= 0 && (ftruncate(fd, TR2_CONTROL_BYTES) ||
			fcntl(fd, F_ADD_SEALS,
			      F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Check the size: a sandbox may have reported that ftruncate() succeeded,
 * although it did nothing. */
static bool map_file(int fd)
{
	struct tr2_control_block *block;
	struct stat st;

	if (fstat(fd, &st) || st.st_size != TR2_CONTROL_BYTES)
		return false;
	block = mmap(NULL, TR2_CONTROL_BYTES, PROT_READ | PROT_WRITE,
		     MAP_SHARED, fd, 0);
	if (block == MAP_FAILED)
		return false;
	block->enabled_at = (uint64_t)(uintptr_t)&trace2_enabled_;
	block->pid = (uint32_t)getpid();
	block->looks = control.looks_always;
	block->is_on = tr2_session.state == TR2_SESSION_ON;
	__atomic_store_n(&block->magic, TR2_CONTROL_MAGIC, __ATOMIC_RELEASE);
	control.id = tr2_file_id_of(&st);
	control.fd = fd;
	control.block = block;
	return true;
}

static void share_page(void)
{
	int fd = make_file();

	if (fd >= 0 && !map_file(fd))
		close(fd);
	if (!control.block)
		tr2_pending_errors_add("GIT_TRACE2_CONTROL: no page can be "
				       "shared (RLIMIT_FSIZE, RLIMIT_NOFILE, "
				       "a sandbox)");
	if (control.block && control.looks_always &&
	    tr2_session.state != TR2_SESSION_CLOSED) {
		tr2_stream.enabled[0] = TR2_ENABLED_LOOK;
		tr2_stream.enabled[1] = TR2_ENABLED_LOOK;
		set_enabled(true);
	}
}

void tr2_control_open(void)
{
	const struct tr2_settings *settings = &tr2_session.settings;

	if (settings->destination[TR2_TARGET_ring] || settings->counters ||
	    settings->sample) {
		tr2_pending_errors_add("GIT_TRACE2_CONTROL: not with a ring, "
				       "opened counters or samples");
		return;
	}
	control.looks_always = !others_may_write();
	control.was_on = tr2_session.state == TR2_SESSION_ON;
	share_page();
}

/* Forget the parent's page, but keep it mapped: if a handler interrupted a call
 * and forked, that call may be reading the page. */
void tr2_control_after_fork(void)
{
	if (!control.block)
		return;
	control.block = NULL;
	if (tr2_fd_is(control.fd, &control.id))
		tr2_fd_close(control.fd);
	control.fd = -1;
	control.is_taken = control.was_on = false;
	if (tr2_session.state == TR2_SESSION_PAUSED)
		__atomic_store_n(&trace2_enabled_, 0, __ATOMIC_RELAXED);
	share_page();
}

void tr2_control_tell_on(bool on)
{
	if (control.block)
		__atomic_store_n(&control.block->is_on, on, __ATOMIC_SEQ_CST);
}

void tr2_control_release(void)
{
	if (!control.block)
		return;
	tr2_control_release_settings();
	munmap(control.block, TR2_CONTROL_BYTES);
	control.block = NULL;
	if (tr2_fd_is(control.fd, &control.id))
		close(control.fd);
}

/* Emit the start of a process that called trace2_cmd_start() while tracing was
 * off. */
static void emit_start(struct tr2_call *call)
{
	char text[1024];
	const char *argv[64];
	ssize_t n, at = 0;
	unsigned int nr = 0;
	int fd;

	if (tr2_session.argv) {
		TR2_EMIT(call, start,
			 .argv.argv = (const char *const *)tr2_session.argv);
		return;
	}
	fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	for (text[n > 0 ? n : 0] = '\0'; at < n && nr < ARRAY_SIZE(argv) - 1;
	     at += (ssize_t)strlen(text + at) + 1)
		argv[nr++] = text + at;
	argv[nr] = NULL;
	TR2_EMIT(call, start, .argv.argv = argv);
}

static void prepare_call(struct tr2_call *call)
{
	*call = (struct tr2_call){ .thread = tr2_self,
				   .emitter = &tr2_self->emitter,
				   .file = __FILE__,
				   .line = __LINE__,
				   .generation = tr2_stream.generation,
				   .errno_at = tr2_self->errno_at,
				   .now_ns = tr2_clock_now_ns() };
}

/* Begin a session, even if a target is missing. No other thread is in a call,
 * except threads that wait until the state is ON. */
static int switch_on(const struct tr2_control_wish *r)
{
	struct tr2_thread *main_thread = tr2_thread_main();
	uint64_t wall_us = tr2_clock_wall_us(tr2_clock_now_ns());
	struct tr2_call call;
	int error = 0;

	if (!(control.was_on ? tr2_inherit_renew(wall_us)
			     : tr2_inherit_start(wall_us)))
		return -ENOMEM;
	control.was_on = true;
	tr2_session_begin_again(tr2_clock_now_ns());
	prepare_call(&call);
	call.emitter = &main_thread->emitter;
	tr2_stream.depth = tr2_inherit_depth();
	tr2_thread_begin_again(call.now_ns);
	errno = 0;
	if (!tr2_session_open_targets(TR2_OPEN_CHANGED))
		return errno ? -errno : -EINVAL;
	if (tr2_control_is_missing(r))
		error = errno ? -errno : -EINVAL;
	tr2_session.state = TR2_SESSION_OPENING;
	tr2_session_emit_version(&call);
	emit_start(&call);
	tr2_session.state = TR2_SESSION_ON;
	return error;
}

static int change_settings(const struct tr2_control_wish *r)
{
	bool was_on = tr2_session.state == TR2_SESSION_ON;
	int error = was_on ? tr2_session_pause() : 0;

	if (error)
		return error;
	/* Set the state first: a child that is forked from now on has a session
	 * if its settings, old or new, have a target. */
	tr2_session.state = TR2_SESSION_CHANGING;
	if (tr2_control_change(r))
		error = switch_on(r);
	if (tr2_session.state == TR2_SESSION_CHANGING)
		tr2_session.state = TR2_SESSION_PAUSED;
	return error;
}

static int reopen_targets(void)
{
	struct tr2_call call;

	prepare_call(&call);
	return tr2_session_reopen_targets(&call) ? -EIO : 0;
}

static void flush_session(void)
{
	struct tr2_call call;

	prepare_call(&call);
	tr2_session_flush(&call);
}

static int apply_request(char *text)
{
	struct tr2_control_wish *r = &tr2_control_room.request;
	int error = 0;

	memset(r, 0, sizeof(*r));
	if (!tr2_control_parse(r, text))
		return -EINVAL;
	if (tr2_control_is_change(r)) /* change_settings() ends the session,
				       * which emits all metrics */
		error = change_settings(r);
	else if (r->flush && tr2_session.state == TR2_SESSION_ON)
		flush_session();
	if (!error && r->reopen && tr2_session.state == TR2_SESSION_ON)
		error = reopen_targets();
	return error;
}

static bool is_on(void)
{
	int state = tr2_session.state;

	return state == TR2_SESSION_ON || state == TR2_SESSION_FORKED;
}

static void take_request(struct tr2_control_block *block)
{
	char *text = tr2_control_room.text;
	uint32_t request = __atomic_load_n(&block->request, __ATOMIC_ACQUIRE);
	uint32_t taken = request;
	int error = 0;

	memcpy(text, block->text, TR2_CONTROL_TEXT - 1);
	if (request && __atomic_compare_exchange_n(&block->request, &taken, 0,
						   false, __ATOMIC_ACQ_REL,
						   __ATOMIC_RELAXED))
		error = apply_request(text);
	else
		request = 0;
	set_enabled(is_on());
	block->is_on = tr2_session.state == TR2_SESSION_ON;
	if (!request)
		return;
	block->result = error;
	__atomic_store_n(&block->done, request, __ATOMIC_RELEASE);
}

/* Return whether the calling thread has a table of descriptors of its own:
 * files that it opens would be missing in the other threads. */
static bool has_own_descriptors(void)
{
	return !tr2_fd_is(control.fd, &control.id) &&
	       tr2_fd_is_elsewhere(control.fd, &control.id);
}

static bool may_take(bool is_due)
{
	int state = tr2_session.state;

	if (!is_due)
		return !control.looks_always;
	return !has_own_descriptors() &&
	       (state == TR2_SESSION_ON || state == TR2_SESSION_PAUSED) &&
	       !tr2_lock_is_mine();
}

/* Only the thread that has set control.is_taken changes trace2_enabled_: other
 * threads may have read an old value of it. */
bool tr2_control_look(void)
{
	struct tr2_control_block *block = control.block;
	struct tr2_mask before;
	bool is_due;

	is_due = block && __atomic_load_n(&block->request, __ATOMIC_RELAXED);
	if (!may_take(is_due))
		return is_on();
	tr2_mask_begin(&before);
	if (!atomic_exchange(&control.is_taken, true)) {
		if (is_due)
			take_request(block);
		else
			set_enabled(is_on());
		atomic_store(&control.is_taken, false);
	}
	tr2_mask_end(&before);
	return is_on();
}

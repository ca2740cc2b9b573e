/* SPDX-License-Identifier: MIT */
/*
 * trace2.hpp - trace2.h for C++17: objects that end what they began.
 *
 *	trace2::region r("odb", "unzip");
 *	trace2::timing t(decode_time);
 *
 * They end at the end of their block, by exceptions too. What holds for every
 * call of trace2.h holds here; nothing throws. The macros of trace2.h may be
 * used beside them, and TRACE2_SCOPE() is the fastest region.
 */
#ifndef TRACE2_HPP
#define TRACE2_HPP

#include <string>
#include <type_traits>

#include "trace2.h"

namespace trace2 {

/*
 * A region of the calling thread, which has to end it. Strings are read by the
 * constructor, and by the destructor or end(), too.
 */
class [[nodiscard]] region {
    public:
	region(const char *category, const char *label,
	       const struct trace2_repo *repo = nullptr,
	       const char *file = __builtin_FILE(),
	       int line = __builtin_LINE()) noexcept
		: category_(category), label_(label), repo_(repo), file_(file),
		  line_(line), is_open_(trace2_is_enabled())
	{
		if (!is_open_)
			return;
		trace2_region_enter_fl(file, line, category, label, repo);
		/* Before trace2_initialize(), the first call is lost. */
		is_open_ = trace2_is_enabled();
	}
	region(const region &) = delete;
	region &operator=(const region &) = delete;
	~region() { end(); }

	/* End it before the block ends. A second call does nothing. */
	void end() noexcept
	{
		if (is_open_)
			trace2_region_leave_fl(file_, line_, category_, label_,
					       repo_);
		is_open_ = false;
	}

    private:
	const char *category_, *label_;
	const struct trace2_repo *repo_;
	const char *file_;
	int line_;
	bool is_open_;
};

/* An interval of a timer, in the calling thread. */
class [[nodiscard]] timing {
    public:
	explicit timing(struct trace2_timer &timer,
			const char *file = __builtin_FILE(),
			int line = __builtin_LINE()) noexcept
		: timer_(timer), file_(file), line_(line),
		  is_on_(trace2_is_enabled())
	{
		if (is_on_)
			trace2_timer_start(timer_);
	}
	timing(const timing &) = delete;
	timing &operator=(const timing &) = delete;
	~timing()
	{
		if (is_on_ && !trace2_timer_stop_here_(&timer_))
			trace2_timer_stop_on_(&timer_, file_, line_);
	}

    private:
	struct trace2_timer &timer_;
	const char *file_;
	int line_;
	bool is_on_;
};

/* First in the function of a std::thread: names the thread, until its end. */
class [[nodiscard]] thread_name {
    public:
	explicit thread_name(const char *name,
			     const char *file = __builtin_FILE(),
			     int line = __builtin_LINE()) noexcept
		: file_(file), line_(line), is_on_(trace2_is_enabled())
	{
		if (is_on_)
			trace2_thread_start_fl(file, line, name);
	}
	thread_name(const thread_name &) = delete;
	thread_name &operator=(const thread_name &) = delete;
	~thread_name()
	{
		if (is_on_)
			trace2_thread_exit_fl(file_, line_);
	}

    private:
	const char *file_;
	int line_;
	bool is_on_;
};

} // namespace trace2

#endif /* TRACE2_HPP */

/* SPDX-License-Identifier: MIT */
/*
 * trace2.hpp - trace2.h for C++17: objects that end regions, timers and spans.
 *
 *	trace2::region r("odb", "unzip");
 *	trace2::timing t(decode_time);
 *	trace2::span s("http", "request");
 *
 * Objects end at the end of their block, by exceptions too. The rules of
 * trace2.h hold for every call here; nothing throws. The macros of trace2.h may
 * be used beside these classes, and TRACE2_SCOPE() is the fastest region.
 */
#ifndef TRACE2_HPP
#define TRACE2_HPP

#if __cplusplus < 201703L
#error "trace2.hpp needs C++17: compile with -std=c++17, or use trace2.h"
#endif

#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "trace2.h"

namespace trace2 {

/*
 * A region of the calling thread; the same thread has to end it. The
 * constructor reads the strings, and the destructor or end() reads them again.
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

	/* End the region before the block ends. A second call does nothing. */
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

/* Names the thread until its end. Construct it first in the function of a
 * std::thread. */
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

/*
 * A span that ends with the object. It may be moved: into a request, a
 * coroutine's frame, a task of another thread. A span that an exception
 * destroys has failed.
 */
class [[nodiscard]] span {
    public:
	/* An empty span: all calls do nothing. */
	span() noexcept = default;
	span(const char *category, const char *name,
	     trace2_span_t parent = TRACE2_SPAN_NONE,
	     const char *file = __builtin_FILE(),
	     int line = __builtin_LINE()) noexcept
		: span(trace2_span_start_(file, line, category, name, parent),
		       file, line)
	{
	}
	/* Begin this process's part of a request from another process. */
	static span remote(const char *category, const char *name,
			   const char *traceparent,
			   const char *tracestate = nullptr,
			   const char *file = __builtin_FILE(),
			   int line = __builtin_LINE()) noexcept
	{
		return span(trace2_span_start_remote_(file, line, category,
						      name, traceparent,
						      tracestate),
			    file, line);
	}
	/* A destructor may move the span: an exception that is under way then
	 * does not count as a failure of the span. */
	span(span &&other) noexcept
		: span(std::exchange(other.span_, TRACE2_SPAN_NONE),
		       other.file_, other.line_)
	{
	}
	/* End the span that this object had. */
	span &operator=(span &&other) noexcept
	{
		span moved(std::move(other));

		end();
		std::swap(span_, moved.span_);
		file_ = moved.file_;
		line_ = moved.line_;
		exceptions_ = moved.exceptions_;
		return *this;
	}
	~span()
	{
		if (span_.place && std::uncaught_exceptions() > exceptions_)
			fail("exception");
		end();
	}

	/* Return the span for the calls of C, and as a parent: span s("a", "b",
	 * outer.get()). */
	trace2_span_t get() const noexcept { return span_; }

	/* Set an attribute. An unsigned value above INTMAX_MAX becomes a
	 * double. */
	template <typename T> void set(const char *key, const T &value) noexcept
	{
		if constexpr (std::is_same_v<T, bool>)
			trace2_span_set_bool(span_, key, value);
		else if constexpr (std::is_integral_v<T>)
			set_integer(key, value);
		else if constexpr (std::is_floating_point_v<T>)
			trace2_span_set_double(span_, key,
					       static_cast<double>(value));
		else if constexpr (std::is_same_v<T, std::string> ||
				   std::is_same_v<T, std::string_view>)
			trace2_span_set_string_n(span_, key, value.data(),
						 value.size());
		else
			trace2_span_set_string(span_, key, value);
	}

	/* Return the traceparent, or an empty string if there is no span. */
	std::string context() const
	{
		char text[TRACE2_SPAN_CONTEXT_BYTES];

		trace2_span_context(span_, text, sizeof(text));
		return text;
	}

	/* End the span now. Later calls do nothing. */
	void end() noexcept
	{
		trace2_span_call_(trace2_span_end_fl, file_, line_,
				  std::exchange(span_, TRACE2_SPAN_NONE));
	}
	void fail(const char *reason) noexcept
	{
		trace2_span_fail_(file_, line_,
				  std::exchange(span_, TRACE2_SPAN_NONE),
				  reason);
	}

    private:
	span(trace2_span_t of, const char *file, int line) noexcept
		: span_(of), file_(file), line_(line),
		  exceptions_(std::uncaught_exceptions())
	{
	}

	template <typename T>
	void set_integer(const char *key, T value) noexcept
	{
		constexpr auto most = std::numeric_limits<intmax_t>::max();

		if (std::is_unsigned_v<T> &&
		    static_cast<uintmax_t>(value) > uintmax_t{ most })
			trace2_span_set_double(span_, key,
					       static_cast<double>(value));
		else
			trace2_span_set_intmax(span_, key,
					       static_cast<intmax_t>(value));
	}

	trace2_span_t span_ = TRACE2_SPAN_NONE;
	const char *file_ = "";
	int line_ = 0, exceptions_ = 0;
};

/* Makes the calling thread work for a span until the end of the block. */
class [[nodiscard]] work_for {
    public:
	explicit work_for(const span &s, const char *file = __builtin_FILE(),
			  int line = __builtin_LINE()) noexcept
		: span_(s.get()), file_(file), line_(line)
	{
		trace2_span_call_(trace2_span_enter_fl, file, line, span_);
	}
	work_for(const work_for &) = delete;
	work_for &operator=(const work_for &) = delete;
	~work_for()
	{
		trace2_span_call_(trace2_span_leave_fl, file_, line_, span_);
	}

    private:
	trace2_span_t span_;
	const char *file_;
	int line_;
};

} // namespace trace2

#endif /* TRACE2_HPP */

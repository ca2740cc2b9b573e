/* SPDX-License-Identifier: MIT */
/*
 * The public header in C++: several metrics in a namespace, calls in a thread, in
 * a destructor and in a lambda.
 */
#include "trace2.h"

#include <cstdio>
#include <string>
#include <thread>

namespace shop {

TRACE2_COUNTER_DECLARE(sold);
TRACE2_TIMER_DECLARE(waiting);
TRACE2_COUNTER_SHARED(sold, "shop", "sold", 0);
TRACE2_COUNTER_SHARED(returned, "shop", "returned", 0);
TRACE2_TIMER_SHARED(waiting, "shop", "waiting", 0);
TRACE2_TIMER_SHARED(serving, "shop", "serving", 0);

} // namespace shop

namespace {

TRACE2_TIMER(cxx_timer, "cxx", "scope", TRACE2_PER_THREAD | TRACE2_HISTOGRAM);
TRACE2_TIMER(other_timer, "cxx", "other", 0);
TRACE2_COUNTER(cxx_counter, "cxx", "items", 0);
TRACE2_COUNTER(other_counter, "cxx", "others", 0);
static struct trace2_counter array[] = {
	TRACE2_COUNTER_INIT("cxx", "array", 0),
	TRACE2_COUNTER_INIT("cxx", "unused", 0),
};
TRACE2_COUNTERS(array);

class Region {
public:
	explicit Region(const std::string &label) : label_(label)
	{
		trace2_region_enter("cxx", label_.c_str(), nullptr);
		trace2_timer_start(cxx_timer);
	}
	~Region()
	{
		trace2_timer_stop(cxx_timer);
		trace2_region_leave("cxx", label_.c_str(), nullptr);
	}
	Region(const Region &) = delete;
	Region &operator=(const Region &) = delete;

private:
	std::string label_;
};

void work(int items)
{
	trace2_thread_start("cxx");
	{
		Region region("work");
		trace2_counter_add(cxx_counter, items);
	}
	trace2_thread_exit();
}

} // namespace

int main(int, char **argv)
{
	trace2_initialize_clock();
	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_cmd_name("cxx");
	{
		Region region("main");
		std::thread first(work, 20), second(work, 30);

		first.join();
		second.join();
	}
	trace2_timer_start(other_timer);
	trace2_timer_start(shop::waiting);
	trace2_timer_start(shop::serving);
	trace2_counter_add(other_counter, 1);
	trace2_counter_add(array[0], 2);
	trace2_counter_add(shop::sold, 2);
	trace2_counter_add(shop::returned, 3);
	trace2_timer_stop(shop::serving);
	trace2_timer_stop(shop::waiting);
	trace2_timer_stop(other_timer);
	trace2_child child = TRACE2_CHILD_INIT;
	trace2_child_start(&child);
	child.pid = 4711; // a value as from fork()
	trace2_child_exit(&child, 0);
	trace2_printf("%s", "from C++");
	trace2_data_intmax("cxx", nullptr, "answer", 42);
	std::puts("done");
	trace2_exec_result(trace2_exec("prog", argv), 2);
	return trace2_cmd_exit(0);
}

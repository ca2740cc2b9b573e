#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='regions that end with their block

TRACE2_SCOPE() in C and C++, and the objects of trace2.hpp.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-build.sh

# regions [ARGUMENT]: run ./program.
# The kind, the line and the label of each region and message, the messages of
# errors, and the threads.
regions () {
	rm -f trace &&
	GIT_TRACE2_EVENT="$PWD/trace" GIT_TRACE2_EVENT_NESTING=9 ./program "$@" &&
	jq -r "select(.event | test(\"region|printf|error|thread|data|th_timer\")) |
		\"\(.event) \(.line) \(.label // .msg // .thread)\"" trace >actual
}

cat >scope.c <<'EOT2'
#include <stdlib.h>
#include "trace2.h"

static int early(int nr)
{
	TRACE2_SCOPE("a", "function");
	TRACE2_SCOPE("a", "one"); TRACE2_SCOPE(getenv("HOME"), "two");
	if (nr)
		return nr;
	{
		TRACE2_SCOPE("a", "inner");
		trace2_printf("inside");
	}
	for (;;) {
		TRACE2_SCOPE("a", "loop");
		if (nr++)
			break;
	}
	return 0;
}

inline int of_an_inline_function(const char *label);
inline int of_an_inline_function(const char *label)
{
	TRACE2_SCOPE("a", label);
	return 0;
}
extern int of_an_inline_function(const char *label);

int main(void)
{
	TRACE2_SCOPE("a", "before the start");
	trace2_initialize();
	return early(1) - 1 + early(0) + of_an_inline_function("label");
}
EOT2

cat >expect-scope <<\EOF
region_enter 6 function
region_enter 7 one
region_enter 7 two
region_leave 7 two
region_leave 7 one
region_leave 6 function
region_enter 6 function
region_enter 7 one
region_enter 7 two
region_enter 11 inner
printf 12 inside
region_leave 11 inner
region_enter 15 loop
region_leave 15 loop
region_enter 15 loop
region_leave 15 loop
region_leave 7 two
region_leave 7 one
region_leave 6 function
region_enter 25 label
region_leave 25 label
error 32 trace2: a call came before trace2_initialize(); such calls are lost
EOF

for compiler in $(compilers gcc clang)
do
	nr=0
	for flags in "-std=c99 -O0" "-std=c11 -O2" "-std=gnu17 -O1"
	do
		nr=$((nr + 1))
		turns "$compiler" $nr
		test_expect_success "JQ,!INSTRUMENTED$rare" "$compiler $flags: TRACE2_SCOPE leaves its region wherever the block ends" '
			build $compiler scope.c $flags &&
			regions &&
			test_cmp expect-scope actual
		'
	done
done

cat >objects.cc <<'EOT2'
#include <stdexcept>
#include <thread>
#include "trace2.hpp"

TRACE2_TIMER(timer, "t", "timer", TRACE2_PER_THREAD);

static void throws()
{
	TRACE2_SCOPE("s", "scope");
	trace2::region r("r", "region");
	trace2::timing t(timer);
	throw std::runtime_error("");
}

template <typename T> static T in_template(T value)
{
	trace2::region r("r", "template");
	auto lambda = [&] { TRACE2_SCOPE("s", "lambda"); return value; };
	return lambda();
}

static int objects()
{
	trace2::region off("r", "off");
	trace2_initialize();
	off.end();
	try {
		throws();
	} catch (const std::exception &) {
		trace2_printf("caught");
	}
	in_template(1);
	trace2::region r("r", "ended");
	r.end();
	r.end();
	std::thread([] {
		trace2::thread_name name("worker");
		trace2::timing t(timer);
		trace2::region inside("r", "in the thread");
	}).join();
	return trace2_cmd_exit(0);
}
EOT2

cat >expect-objects <<\EOF
region_enter 9 scope
region_enter 10 region
region_leave 10 region
region_leave 9 scope
printf 30 caught
region_enter 17 template
region_enter 18 lambda
region_leave 18 lambda
region_leave 17 template
region_enter 33 ended
region_leave 33 ended
thread_start 37 th01:worker
region_enter 39 in the thread
region_leave 39 in the thread
th_timer null th01:worker
thread_exit 37 th01:worker
error 24 trace2: a call came before trace2_initialize(); such calls are lost
th_timer null main
EOF

cat >spans.cc <<'EOT2'
#include <future>
#include <stdexcept>
#include <string_view>
#include <vector>
#include "trace2.hpp"

static trace2::span begin(const char *name)
{
	trace2::span s("http", name);

	s.set("status", 200);
	s.set("path", std::string("/index"));
	s.set("literal", "text");
	s.set("load", 0.5);
	s.set("cached", true);
	return s;
}

/* What a destructor does while an exception is under way. */
struct in_destructor {
	trace2::span &ends, &begins, &replaced;

	~in_destructor()
	{
		trace2::span here(std::move(ends));

		begins = begin("begins");
		replaced = trace2::span();
	}
};

static void move_in_destructor()
{
	trace2::span ends = begin("ends"), replaced = begin("replaced"), begins;

	try {
		in_destructor d{ ends, begins, replaced };
		throw std::runtime_error("");
	} catch (const std::exception &) {
	}
	try {
		trace2::span moved(std::move(begins));
		throw std::runtime_error("");
	} catch (const std::exception &) {
	}
}

static int spans()
{
	trace2_initialize();
	{
		trace2::span outer = begin("request");
		auto done = std::async(std::launch::async,
				       [s = std::move(outer)]() mutable {
			trace2::work_for w(s);
			trace2::region r("r", "inside");
			trace2::span child("db", "query", s.get());
			s.set("thread", "other");
		});
		done.get();
		outer.set("moved", "away");
	}
	std::vector<trace2::span> many;
	many.push_back(begin("first"));
	many.push_back(begin("second"));
	many.erase(many.begin());
	many[0].fail("refused");
	try {
		trace2::span s("http", "throws");
		throw std::runtime_error("");
	} catch (const std::exception &) {
	}
	move_in_destructor();
	auto remote = trace2::span::remote("http", "remote",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
	remote.set("part", std::string_view("abcdef").substr(1, 3));
	remote.set("nothing", std::string_view());
	remote.set("more", uint64_t{ 1 } << 63);
	trace2_printf("%s", remote.context().c_str());
	return trace2_cmd_exit(0);
}
EOT2

cat >expect-spans <<\EOF
query null {}
request null {"status":200,"path":"/index","literal":"text","load":0.5,"cached":true,"thread":"other"}
first null {"status":200,"path":"/index","literal":"text","load":0.5,"cached":true}
second refused {"status":200,"path":"/index","literal":"text","load":0.5,"cached":true}
throws exception {}
replaced null {"status":200,"path":"/index","literal":"text","load":0.5,"cached":true}
ends null {"status":200,"path":"/index","literal":"text","load":0.5,"cached":true}
begins exception {"status":200,"path":"/index","literal":"text","load":0.5,"cached":true}
remote null {"part":"bcd","nothing":""}
true
EOF

cat >both.cc <<'EOT2'
#include "objects.cc"
#include "spans.cc"

int main(int argc, char **)
{
	return argc > 1 ? spans() : objects();
}
EOT2

# The headers of C++ take most of the time: they are read once, and in a usual run
# with one compiler.
# shellcheck disable=SC2046 # words
usual=$(first_of $(compilers g++ clang++))
for compiler in $(compilers g++ clang++)
do
	nr=0
	for flags in "-std=c++17 -O0" "-std=gnu++17 -O2" "-std=c++20 -O2"
	do
		nr=$((nr + 1))
		turns "$compiler" $nr
		test "$nr $compiler" = "1 $usual" || rare=,EXPENSIVE
		test_expect_success "JQ,!INSTRUMENTED$rare" "$compiler $flags: C++ objects leave their regions, also by exceptions and in threads" '
			build $compiler both.cc $flags &&
			regions &&
			sed "s/^th_timer .* \(th01.worker\|main\)/th_timer null \1/" \
				actual >scrubbed &&
			test_cmp expect-objects scrubbed
		'

		test_expect_success "JQ,!INSTRUMENTED$rare" "$compiler $flags: C++ spans can be moved, end once, and fail by exceptions" '
			regions spans &&
			jq -s -r "map(select(.key == \"span\").value) |
				(.[] | \"\(.name) \(.failed) \(.attributes // {} | del(.more))\"),
				(.[0].parent_id == .[1].span_id and
				(.[1].threads | length) == 1 and .[-1].remote and
				.[-1].attributes.more > 9e18 and
				.[-1].trace_id == \"0af7651916cd43dd8448eb211c80319c\"),
				\"00-\(.[-1].trace_id)-\(.[-1].span_id)-01\"" \
				trace >actual &&
			trace_id=$(sed -n "\$p" actual) &&
			sed "\$d" actual >known &&
			test_cmp expect-spans known &&
			test_grep "\"msg\":\"$trace_id\"" trace &&
			test_grep ! "\"event\":\"error\"" trace
		'
	done
done

test_done

#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the places of calls in the program, and their constant strings

The macros of trace2.h define a structure for each call. Programs of C and C++
compile as before, with any of their strings constant or not, and their events
are the same.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-build.sh

cat >calls.c <<'EOT'
#include <stdlib.h>
#include "trace2.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static const char array[] = "array";
static const char *const pointer = "pointer";

static const char *variable(void)
{
	return getenv("HOME") ? "variable" : "";
}

static inline void in_inline(const char *label)
{
	trace2_region_enter("inline", label, NULL);
	trace2_region_leave("inline", "fixed", NULL);
}

static void call(int nr)
{
	const char local[] = "local";
	int i;

	trace2_region_enter("a", "b", NULL);
	trace2_region_leave("a", "b", NULL);
	trace2_region_enter(variable(), "b", NULL);
	trace2_region_leave("variable", "b", NULL);
	trace2_region_enter("a", variable(), NULL);
	trace2_region_leave("a", "variable", NULL);
	trace2_region_enter(array, pointer, NULL);
	trace2_region_leave("array", "pointer", NULL);
	trace2_region_enter(local, "b", NULL);
	trace2_region_leave(local, "b", NULL);
	trace2_region_enter(nr ? "yes" : "no", 1 ? "one" : "two", NULL);
	trace2_region_leave("yes", "one", NULL);
	trace2_region_enter(TEXT(nr), "jo" "ined", NULL);
	trace2_region_leave("nr", "joined", NULL);
	trace2_region_enter(NULL, NULL, NULL);
	trace2_region_leave("", "", NULL);
	trace2_region_enter("", "", NULL);
	trace2_region_leave(NULL, NULL, NULL);
	trace2_region_enter_printf("a", "b", NULL, "%d", nr);
	trace2_region_leave_printf("a", "b", NULL, "%s", "text");
	trace2_region_enter("outer", "o", NULL);
	trace2_region_enter("inner", "i", NULL);
	trace2_region_leave("outer", "o", NULL);
	trace2_region_enter("right", "r", NULL);
	trace2_region_leave("wrong", "w", NULL);
	in_inline("fixed");
	for (i = 0; i < 2; i++)
		trace2_data_string("a", NULL, "k", i ? "1" : "0");
	trace2_data_intmax("a", NULL, variable(), nr);
	trace2_data_intmax("a", NULL, "k", nr);
	trace2_data_json("a", NULL, "k", "[1]");
	if (nr)
		trace2_printf("plain");
	else
		trace2_printf("%d", nr);
	(nr ? trace2_printf("%s", variable()) : (void)0);
	trace2_data_string("token=hidden", NULL, "password=hidden", "v");
}

int main(void)
{
	trace2_initialize();
	call(1);
	call(1);
	return 0;
}
EOT

# C++ adds these calls.
{
	sed -e '/^int main/,$d' calls.c &&
	cat <<-\EOT
	#include <string>

	template <typename T> struct named { static constexpr const char *name = "n"; };
	template <typename T> void in_template(T label)
	{
		trace2_region_enter("template", label, NULL);
		trace2_region_leave("template", std::string(label).c_str(), NULL);
		trace2_printf("%s", named<T>::name);
	}
	struct object {
		object() { trace2_printf("constructor"); }
		~object() { trace2_data_string("a", NULL, "k", "destructor"); }
	};

	int main()
	{
		auto lambda = [](const char *label) {
			trace2_region_enter("lambda", label, NULL);
			trace2_region_leave("lambda", "l", NULL);
		};

		trace2_initialize();
		call(1);
		call(1);
		in_template("t");
		object o;
		lambda("l");
		return 0;
	}
	EOT
} >calls.cc

# Print the events without times, places and the process's own events.
events () {
	rm -f trace &&
	GIT_TRACE2_EVENT="$PWD/trace" GIT_TRACE2_EVENT_NESTING=9 \
	GIT_TRACE2_EVENT_BRIEF=1 ./program &&
	sed -n -e '/"event":"\(region\|data\|printf\|error\)/!d' \
		-e 's/"t_abs":[0-9.]*,//; s/"t_rel":[0-9.]*,//' \
		-e 's/"sid":"[^"]*",//; p' trace
}

for compiler in $(compilers gcc clang)
do
	nr=0
	for flags in "-std=c99 -O0" "-std=c11 -O2" "-std=gnu17 -O2 -fno-common"
	do
		nr=$((nr + 1))
		turns "$compiler" $nr
		test_expect_success "!INSTRUMENTED$rare" "$compiler $flags: constant and variable strings give the same events" '
			build $compiler calls.c $flags &&
			events >constants &&
			test_line_count -gt 50 constants &&
			test_grep ! hidden constants &&
			build $compiler calls.c $flags \
				-D__builtin_constant_p\(x\)=0 &&
			events >variables &&
			test_cmp variables constants
		'
	done
done

cat >plugin.cc <<'EOT'
#include "trace2.h"

template <typename T> void in_template(T value)
{
	trace2_data_intmax("template", NULL, "key", value);
}
inline void in_inline()
{
	trace2_printf("inline");
}
extern "C" void run();
void run()
{
	in_template(1);
	in_inline();
}
EOT

cat >loads.cc <<'EOT'
#include <dlfcn.h>
#include "trace2.h"

int main()
{
	void *plugin = dlopen("./plugin.so", RTLD_NOW);

	trace2_initialize();
	if (!plugin)
		return 1;
	reinterpret_cast<void (*)()>(dlsym(plugin, "run"))();
	dlclose(plugin);
	return dlopen("./plugin.so", RTLD_NOW | RTLD_NOLOAD) ? 2 : 0;
}
EOT

# shellcheck disable=SC2046 # words
usual=$(first_of $(compilers g++ clang++))
for compiler in $(compilers g++ clang++)
do
	nr=0
	for flags in "-std=c++11 -O0" "-std=c++14 -O2" "-std=gnu++17 -O0" "-std=c++20 -O2"
	do
		nr=$((nr + 1))
		turns "$compiler" $nr
		test "$nr $compiler" = "1 $usual" || rare=,EXPENSIVE
		test_expect_success "!INSTRUMENTED$rare" "$compiler $flags: constant and variable strings give the same events in C++" '
			build $compiler calls.cc $flags &&
			events >constants &&
			test_grep constructor constants &&
			test_grep lambda constants &&
			LC_ALL=C nm program >symbols &&
			test_grep ! guard symbols
		'
	done
	rare=
	test "$compiler" = "$usual" || rare=,EXPENSIVE
	# musl never unloads.
	test_expect_success "!INSTRUMENTED,!MUSL$rare" "$compiler: a module with call sites in inline functions can be unloaded" '
		build $compiler loads.cc -std=c++11 -ldl &&
		mv program loads &&
		build $compiler plugin.cc -std=c++11 -fPIC -shared &&
		mv program plugin.so &&
		GIT_TRACE2_EVENT="$PWD/trace" ./loads &&
		test_grep "\"template\"" trace
	'
done

test_done

#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='misused calls are reported once for each place, and do no harm

The call is dropped, an error event names each place in the program once, and
the program continues.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless JQ

# misused CODE [--no-init] ARG...: run test-tool; write its stream to e, its
# errors to actual.
misused () {
	code=$1 &&
	shift &&
	rm -f e &&
	case $1 in
	--no-init)
		shift &&
		set -- --no-init trace2 "$@"
		;;
	*)
		set -- trace2 "$@"
		;;
	esac &&
	GIT_TRACE2_EVENT="$(pwd)/e" test_expect_code "$code" \
		test-tool "$@" 2>err &&
	test_must_be_empty err &&
	expect_valid_stream e &&
	sed -n "/^{\"event\":\"error\"/s/.*,\"msg\":\"\(.*\)\",\"fmt\":.*/\1/p" e >actual
}

test_expect_success 'region_leave without enter is one error, though called a thousand times' '
	misused 0 032leave 1000 &&
	echo "trace2: region_leave of '\''too many'\'' without region_enter" >expect &&
	test_cmp expect actual &&
	trace2_jq "all(.[]; .event != \"region_leave\") and
		[.[] | select(.event == \"data\").nesting] == [1]" e
'

test_expect_success 'region_leave without enter at two lines of source makes two errors' '
	misused 0 call region_leave a one , region_leave a one , \
		region_leave_printf a two NULL m , region_leave_printf a two NULL m &&
	test_cmp - actual <<-\EOF
	trace2: region_leave of '\''one'\'' without region_enter
	trace2: region_leave of '\''two'\'' without region_enter
	EOF
'

test_expect_success 'an error event of misuse has file, line and fmt' '
	trace2_jq "
		[.[] | select(.event == \"error\")] | .[0] |
		.file == \"t/helper/cmd-trace2-calls.def\" and .line > 0 and
		.fmt == \"trace2: region_leave of '\''%s'\'' without region_enter\"" e
'

test_expect_success 'one region_leave too many does not end later regions' '
	misused 0 call region_enter a b , region_leave a b , region_leave a b , \
		region_enter c d , region_leave c d &&
	test_prints jq -r "select(.event | startswith(\"region\")) | \"\\(.event) \\(.nesting) \\(.label)\"" e <<-\EOF
	region_enter 1 b
	region_leave 1 b
	region_enter 1 d
	region_leave 1 d
	EOF
'

# tree FILE...: print the regions and errors of event streams, one per line, each
# after the name of its file.
tree () {
	"$PERL_PATH" -ne '
		my %of = (category => "", label => "");
		$of{$1} = $2 // $3 while /"(event|nesting|category|label|msg)":
			(?:"((?:[^"\\]|\\.)*)"|(\d+))/gx;
		print "$ARGV $1 $of{nesting} $of{category}/$of{label}\n"
			if $of{event} =~ /^region_(.*)/;
		print "$ARGV $of{msg}\n" if $of{event} eq "error"' "$@"
}

# expect_tree CALL... <EXPECT: the regions and errors after these calls. A ring
# has the same, though its events are written by another path of the library.
expect_tree () {
	cat >expect &&
	rm -rf e ring &&
	GIT_TRACE2_EVENT="$(pwd)/e" GIT_TRACE2_EVENT_NESTING=9 \
		test-tool trace2 call "$@" &&
	expect_valid_stream e || return 1
	mkdir ring &&
	GIT_TRACE2_RING="$(pwd)/ring" test-tool trace2 call "$@" &&
	trace2 check ring/* &&
	trace2 script --git-event ring >from-ring &&
	tree e from-ring >trees &&
	sed -n "s/^e //p" trees >actual &&
	test_cmp expect actual &&
	sed -n "s/^from-ring //p" trees >actual.ring &&
	test_cmp expect actual.ring
}

test_expect_success 'regions that cross: leaving the outer one ends the inner one' '
	expect_tree region_enter a one , region_enter a two , \
		region_leave a one , region_leave_printf a two NULL x <<-\EOF
	enter 1 a/one
	enter 2 a/two
	trace2: region_leave of '\''a/one'\'' before that of '\''a/two'\''
	leave 2 a/two
	leave 1 a/one
	trace2: region_leave of '\''two'\'' without region_enter
	EOF
'

test_expect_success 'two regions left in the wrong order do not end the region around them' '
	expect_tree region_enter a zero , \
		region_enter a one , region_enter b two , \
		region_leave a one , region_leave_printf b two NULL x , \
		region_enter c three , region_leave c three , \
		region_leave a zero <<-\EOF
	enter 1 a/zero
	enter 2 a/one
	enter 3 b/two
	trace2: region_leave of '\''a/one'\'' before that of '\''b/two'\''
	leave 3 b/two
	leave 2 a/one
	trace2: region_leave of '\''b/two'\'', which has ended
	enter 2 c/three
	leave 2 c/three
	leave 1 a/zero
	EOF
'

test_expect_success 'an outer region_leave ends regions that a function left open, with one error' '
	expect_tree --repeat=2 region_enter a outer , \
		region_enter a early , region_enter a inner , \
		region_leave a outer <<-\EOF
	enter 1 a/outer
	enter 2 a/early
	enter 3 a/inner
	trace2: region_leave of '\''a/outer'\'' before that of '\''a/inner'\''
	leave 3 a/inner
	leave 2 a/early
	leave 1 a/outer
	enter 1 a/outer
	enter 2 a/early
	enter 3 a/inner
	leave 3 a/inner
	leave 2 a/early
	leave 1 a/outer
	EOF
'

test_expect_success 'one line with region_leave may end regions of different names' '
	misused 0 034leave_others &&
	head -n 1 actual >first &&
	test_cmp - first <<-\EOF &&
	trace2: region '\''leave/first'\'' is left as '\''leave/own'\''
	EOF
	jq -r "select(.event == \"region_leave\").label" e >actual &&
	test_write_lines first own last | test_cmp - actual
'

test_expect_success 'an outer region_leave gives each region that it ends the right duration' '
	traced test-tool trace2 call \
		region_enter a one , sleep_ms 20 , region_enter a two , \
		region_leave a one &&
	trace2_jq "
		[.[] | select(.event == \"region_leave\").t_rel] |
		length == 2 and .[1] > 0.02 and .[0] < .[1] - 0.019" e
'

test_expect_success 'region_leave under another name ends the innermost region, with one error' '
	expect_tree --repeat=2 region_enter a one , region_enter a two , \
		region_leave a too , region_leave a one <<-\EOF
	enter 1 a/one
	enter 2 a/two
	trace2: region '\''a/two'\'' is left as '\''a/too'\''
	leave 2 a/two
	leave 1 a/one
	enter 1 a/one
	enter 2 a/two
	leave 2 a/two
	leave 1 a/one
	EOF
'

test_expect_success 'a region that is left twice does not end the one around it' '
	expect_tree region_enter a one , region_enter a two , \
		region_leave a two , region_leave a two , \
		region_enter a three , region_leave a three , \
		region_leave a one <<-\EOF
	enter 1 a/one
	enter 2 a/two
	leave 2 a/two
	trace2: region_leave of '\''a/two'\'', which has ended
	enter 2 a/three
	leave 2 a/three
	leave 1 a/one
	EOF
'

test_expect_success 'leaving the inner region twice repeatedly does not increase the nesting' '
	set -- region_enter a one , region_enter a two , \
		region_leave a two , region_leave a two , &&
	expect_tree "$@" "$@" "$@" region_leave a one <<-\EOF
	enter 1 a/one
	enter 2 a/two
	leave 2 a/two
	trace2: region_leave of '\''a/two'\'', which has ended
	leave 1 a/one
	enter 1 a/one
	enter 2 a/two
	leave 2 a/two
	leave 1 a/one
	enter 1 a/one
	enter 2 a/two
	leave 2 a/two
	leave 1 a/one
	EOF
'

test_expect_success 'a region may be entered inside itself after a mistaken leave' '
	expect_tree region_enter a one , region_enter a two , \
		region_leave a two , region_leave a two , region_leave a one , \
		region_enter a one , region_enter a one , \
		region_leave a one , region_leave a one <<-\EOF
	enter 1 a/one
	enter 2 a/two
	leave 2 a/two
	trace2: region_leave of '\''a/two'\'', which has ended
	leave 1 a/one
	enter 1 a/one
	enter 2 a/one
	leave 2 a/one
	leave 1 a/one
	EOF
'

test_expect_success 'a missing category or label counts as an empty name' '
	expect_tree region_enter NULL one , region_enter a NULL , \
		region_leave a NULL , region_leave "" one , \
		region_enter NULL NULL , region_leave NULL NULL , \
		region_enter a one , region_leave NULL two <<-\EOF
	enter 1 /one
	enter 2 a/
	leave 2 a/
	leave 1 /one
	enter 1 /
	leave 1 /
	enter 1 a/one
	trace2: region '\''a/one'\'' is left as '\''two'\''
	leave 1 a/one
	EOF
'

test_expect_success 'misuse is also reported for regions with messages and repositories' '
	expect_tree def_repo 1 /w , \
		region_enter_printf a one 1 hello , region_enter a two 1 , \
		region_leave_printf a one 1 bye <<-\EOF &&
	enter 1 a/one
	enter 2 a/two
	trace2: region_leave of '\''a/one'\'' before that of '\''a/two'\''
	leave 2 a/two
	leave 1 a/one
	EOF
	test_prints jq -c "select(.event == \"region_leave\") | [.label, .repo, .msg]" e <<-\EOF
	["two",1,null]
	["one",1,"bye"]
	EOF
'

test_expect_success 'names of 300 bytes match, and an error of misuse has all of them' '
	long=$(printf "%0300d" 7) &&
	expect_tree region_enter "$long" "$long" , \
		region_leave "$long" "$long" , region_leave a "$long" <<-EOF
	enter 1 $long/$long
	leave 1 $long/$long
	trace2: region_leave of '\''$long'\'' without region_enter
	EOF
'

test_expect_success 'names with secrets match, and an error of misuse does not have these' '
	expect_tree region_enter a https://u:hunter2@h/ , \
		region_leave a https://u:hunter2@h/ , region_leave b https://u:hunter2@h/ <<-\EOF
	enter 1 a/https://u:<REDACTED>@h/
	leave 1 a/https://u:<REDACTED>@h/
	trace2: region_leave of '\''https://u:<REDACTED>@h/'\'' without region_enter
	EOF
'

test_expect_success 'a forked child may leave regions of its parent without an error' '
	traced --valid test-tool trace2 call region_enter a one , fork , \
		region_enter a two , region_leave a two , region_leave a one &&
	trace2_jq "all(.[]; .event != \"error\")" e
'

test_expect_success 'each process reports misuse at the same place once' '
	traced --valid test-tool trace2 call \
		region_leave a one , fork , region_leave a one &&
	trace2_jq "
		map(select(.event == \"error\").sid) | length == 2 and .[0] != .[1]" e
'

test_expect_success 'child_end twice, or with an unknown id, is an error' '
	misused 0 call child_begin ls , child_end 0 , child_end 0 &&
	echo "trace2: child_end of no open child" | test_cmp - actual &&
	misused 0 call child_begin ls , child_end 0 , child_detach ready &&
	echo "trace2: child_detach of no open child" | test_cmp - actual &&
	trace2_jq "[.[] | select(.event == \"child_exit\")] | length == 1" e
'

test_expect_success 'child_end in a forked process for a child of its parent does nothing' '
	misused 0 call child_begin ls , fork , child_end 0 &&
	trace2_jq "[.[] | select(.event | test(\"child_\")) | .event] ==
		[\"child_start\", \"child_exit\"]" e
'

test_expect_success 'child_exit twice makes one error' '
	misused 0 spawn --twice true &&
	echo "trace2: child_exit a second time" | test_cmp - actual &&
	trace2_jq "[.[] | select(.event == \"child_exit\")] | length == 1" e &&
	misused 0 spawn --ready=ready --twice true &&
	echo "trace2: child_ready a second time" | test_cmp - actual &&
	trace2_jq "[.[] | select(.event == \"child_ready\")] | length == 1" e
'

test_expect_success 'child_exit after child_ready makes an error' '
	misused 0 call child_start 1 ls , child_ready 1 ready , child_exit 1 0 &&
	echo "trace2: child_exit a second time" | test_cmp - actual
'

test_expect_success 'the end of a child that was never started is an error' '
	misused 0 call child_exit 3 0 , child_ready 3 ready &&
	test_cmp - actual <<-\EOF &&
	trace2: child_exit without child_start
	trace2: child_ready without child_start
	EOF
	trace2_jq "all(.[]; .event | startswith(\"child_\") | not)" e
'

test_expect_success 'child_start again before child_exit is an error' '
	misused 0 call child_start 1 ls , child_again 1 , child_exit 1 0 , \
		child_start 2 ls , child_exit 2 0 , child_again 2 , child_exit 2 0 &&
	echo "trace2: child_start again, before child_exit of child 0" >expect &&
	test_cmp expect actual &&
	test_prints jq -c "select(.event | startswith(\"child_\"))
		| [.event, .child_id, .ready // .code]" e <<-\EOF
	["child_start",0,null]
	["child_ready",0,"error"]
	["child_start",1,null]
	["child_exit",1,0]
	["child_start",2,null]
	["child_exit",2,0]
	["child_start",3,null]
	["child_exit",3,0]
	EOF
'

test_expect_success 'a child struct without TRACE2_CHILD_INIT, or without a pid, is an error' '
	misused 0 call --repeat=3 child_garbage 1 , child_exit 1 0 &&
	test_cmp - actual <<-\EOF &&
	trace2: child_start without TRACE2_CHILD_INIT
	trace2: child_exit without a pid
	EOF
	trace2_jq "
		[.[] | select(.event == \"child_exit\").child_id] == [0, 1, 2]" e
'

test_expect_success 'a forked child reports no children of its parent' '
	traced --valid test-tool trace2 call \
		child_start 1 ls , fork , child_exit 1 0 &&
	trace2_jq "all(.[]; .event != \"error\") and
		(map(select(.event == \"child_exit\")) | length == 1)" e
'

test_expect_success 'one child struct serves several children one after the other' '
	misused 0 call child_start 1 a , child_exit 1 0 , child_start 1 b , \
		child_exit 1 0 &&
	test_must_be_empty actual &&
	trace2_jq "[.[] | select(.event == \"child_exit\").child_id] == [0, 1]" e
'

test_expect_success 'timer_stop without start is an error' '
	misused 0 call --repeat=5 timer_stop test2 &&
	echo "trace2: timer '\''test2'\'' stopped without a start" | test_cmp - actual
'

test_expect_success 'thread_start or thread_exit twice makes errors' '
	misused 0 049thread_twice &&
	test_cmp - actual <<-\EOF &&
	trace2: thread_start in '\''th01:first'\'', which has started already
	trace2: thread_exit without thread_start
	EOF
	trace2_jq "
		[.[] | select(.event == \"thread_start\").thread] == [\"th01:first\"] and
		([.[] | select(.event == \"thread_exit\")] | length == 1)" e
'

test_expect_success 'thread_exit without thread_start makes an error' '
	misused 0 043thread_no_start &&
	echo "trace2: thread_exit without thread_start" | test_cmp - actual &&
	trace2_jq "[.[] | select(.event == \"data\").value] == [\"exit only\", \"after exit\"]" e
'

test_expect_success 'thread_exit on main without thread_start is an error' '
	expect_tree region_enter a one , thread_exit , region_leave a one <<-\EOF
	enter 1 a/one
	trace2: thread_exit without thread_start
	leave 1 a/one
	EOF
'

test_expect_success 'thread_exit on main with an open region is an error' '
	expect_tree thread_start on_main , region_enter a one , thread_exit , \
		region_enter b two , region_leave b two <<-\EOF
	enter 1 /
	enter 2 a/one
	trace2: region_leave of '\'''\'' before that of '\''a/one'\''
	leave 2 a/one
	leave 1 /
	enter 1 b/two
	leave 1 b/two
	EOF
'

test_expect_success 'misuse at very many places does not fill the stream' '
	set -- call &&
	for i in $(test_seq 100)
	do
		set -- "$@" region_leave a b , child_exit 5 0 , timer_stop plain , || return 1
	done &&
	misused 0 "$@" is_enabled &&
	test_line_count = 3 actual
'

# misuse_is WORDS EVENTS CODE ARG...: the error is WORDS, and EVENTS is the
# output of jq for the calls.
misuse_is () {
	words=$1 events=$2 &&
	shift 2 &&
	misused "$@" &&
	echo "trace2: $words" | test_cmp - actual &&
	trace2_jq "$events" e
}

test_expect_success 'exec_result without exec, or a second one, is an error' '
	misuse_is "exec_result without exec" \
		"all(.[]; .event != \"exec_result\")" \
		0 call exec_result 2 , exec_result 2 &&
	misuse_is "exec_result a second time" \
		"[.[] | select(.event == \"exec_result\") | [.exec_id, .code]] ==
			[[0, 2], [1, 3]]" \
		0 call exec prog arg , exec_result 2 , exec_result 4 , \
			exec prog arg , exec_result 3 , exec_result 4
'

test_expect_success 'cmd_start or cmd_exit a second time is an error' '
	misuse_is "cmd_start a second time" \
		"[.[] | select(.event == \"start\")] | length == 1" \
		0 call cmd_start prog arg , cmd_start prog arg &&
	misuse_is "cmd_exit a second time" \
		"[.[] | select(.code) | [.event, .code]] == [[\"exit\", 4], [\"atexit\", 4]]" \
		4 067exit_twice 4
'

test_expect_success 'a metric that is defined again with other flags is an error' '
	misused 0 213redefined &&
	test_cmp - actual <<-\EOF
	trace2: timer '\''test/test1'\'' is defined again with another unit or other flags: the first ones count
	trace2: counter '\''test/test2'\'' is defined again with another unit or other flags: the first ones count
	EOF
'

test_expect_success 'a negative interval or value is an error' '
	misuse_is "timer '\''test1'\'' got a negative value" \
		"[.[] | select(.event == \"timer\") | [.intervals, .t_total]] == [[1, 0.000007]]" \
		0 call timer_add test1 -5 , timer_add test1 7000 &&
	misuse_is "distribution '\''size'\'' got a negative value" \
		"[.[] | select(.event == \"data_json\").value.sum] == [7]" \
		0 call distribution_add bytes -5 , distribution_add bytes 7
'

test_expect_success 'trace2_initialize a second time, in any form, changes nothing' '
	traced test-tool trace2 call initialize , \
		initialize_with "x 1.0" OTHER , initialize_clock &&
	trace2_jq "[.[] | select(.event == \"version\").exe] == [\"test-tool 1.0\"]" e &&
	expect_valid_stream e
'

test_expect_success 'calls before the library is initialized make one error' '
	misused 0 --no-init call \
		region_enter a b , data_string c k v , counter_add test1 5 , \
		initialize , cmd_start prog , data_string c k w , region_leave a b &&
	test_cmp - actual <<-\EOF &&
	trace2: a call came before trace2_initialize(); such calls are lost
	trace2: region_leave of '\''b'\'' without region_enter
	EOF
	line=$(grep -n "^TOOL_CALL(region_enter," \
		"$TEST_DIRECTORY/helper/cmd-trace2-calls.def" | sed "s/:.*//") &&
	trace2_jq "
		map(.event) == [\"version\", \"start\", \"error\", \"data\", \"error\",
			\"exit\", \"atexit\"] and
		(.[2] |
			.file == \"t/helper/cmd-trace2-calls.def\" and .line == $line)" e
'

test_expect_success 'an error of misuse cuts a file name to 255 bytes' '
	name=$(printf "%0250d" 0) &&
	misused 0 --no-init call data_string_fl "${name}1234567890" c k v , \
		initialize , cmd_start prog &&
	trace2_jq "[.[] | select(.event == \"error\")] | .[0] |
		.file == \"${name}12345\" and .line == 1" e
'

test_expect_success 'a metric or thread call before initialize is reported as an error' '
	for first in "counter_add test1 5" "timer_start test1" "thread_start x"
	do
		traced test-tool --no-init trace2 call \
			$first , initialize , counter_add test1 7 &&
		cat e >>all &&
		cat <<-\EOF || return 1
		"trace2: a call came before trace2_initialize(); such calls are lost"
		7
		EOF
	done >expect &&
	jq -c "select(.event | test(\"error|counter\")) | .msg // .count" all >actual &&
	test_cmp expect actual
'

test_expect_success 'trace2_session_id() before initialize is no error' '
	misused 0 --no-init call session_id , initialize , cmd_start prog &&
	test_must_be_empty actual
'

test_expect_success 'calls after atexit do nothing' '
	traced --valid test-tool trace2 068exit_destructor &&
	trace2_jq ".[-1].event == \"atexit\"" e
'

# A program contains the archive; a library of it has the shared one, or contains the
# archive, too. The program initializes its own copy, the library's, or both; then each
# says one thing.
test_expect_success CC,!INSTRUMENTED 'programs with two copies of the library are built' '
	cat >part.c <<-\EOF &&
	#include <string.h>
	#include <trace2.h>
	void part(const char *what);
	void part(const char *what)
	{
		static const char *const argv[] = { "part", NULL };

		if (strstr(what, "part"))
			trace2_initialize();
		if (strstr(what, "part-starts"))
			trace2_cmd_start(argv);
		trace2_data_intmax("part", NULL, "from-part", 1);
	}
	EOF
	cat >whole.c <<-\EOF &&
	#include <dlfcn.h>
	#include <string.h>
	#include <trace2.h>
	#ifdef LINKED
	void part(const char *what);
	#endif
	int main(int argc, char **argv)
	{
	#ifndef LINKED
		void *library = dlopen("libpart.so", RTLD_NOW);
		void (*part)(const char *);

		if (!library)
			return 99;
		*(void **)&part = dlsym(library, "part");
	#endif
		(void)argc;
		if (strstr(argv[1], "program")) {
			trace2_initialize();
			trace2_cmd_start((const char *const *)argv);
		}
		part(argv[1]);
		trace2_data_intmax("whole", NULL, "from-program", 1);
		return 0;
	}
	EOF
	lib=$GIT_BUILD_DIR/build/lib &&
	mkdir shared archive &&
	"$CC" -shared -fPIC -I"$GIT_BUILD_DIR/lib" part.c -o shared/libpart.so \
		-L"$lib" -ltrace2 -Wl,-rpath,"$lib" &&
	"$CC" -shared -fPIC -I"$GIT_BUILD_DIR/lib" part.c -o archive/libpart.so \
		"$lib/libtrace2.a" -pthread -Wl,--exclude-libs,ALL &&
	for kind in shared archive
	do
		"$CC" -I"$GIT_BUILD_DIR/lib" whole.c -o $kind/loaded \
			"$lib/libtrace2.a" -pthread -ldl \
			-Wl,-rpath,"$(pwd)/$kind" &&
		"$CC" -DLINKED -I"$GIT_BUILD_DIR/lib" whole.c -o $kind/linked \
			-L$kind -lpart "$lib/libtrace2.a" -pthread \
			-Wl,-rpath,"$(pwd)/$kind" -Wl,-rpath-link,"$lib" ||
		return 1
	done
'

# Print whose data the stream has, and the errors: their place, and the copy
# that they name.
told_by () {
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" "$@" &&
	expect_valid_stream e &&
	jq -r "select(.event == \"data\") | .key" e | sort >actual &&
	jq -r "select(.event == \"error\") | \"\(.file | sub(\".*/\"; \"\")) \(.msg |
		sub(\".* twice, here and (as .*/)?\"; \"\") | sub(\"[.:].*\"; \"\"))\"" \
		e >>actual
}

# of_each WORDS: test a library with a copy of its own, found at run time or by
# the linker; then a library with the shared one.
of_each () {
	for kind in shared/loaded archive/loaded archive/linked
	do
		other=libpart
		case $kind in shared/*) other=libtrace2 ;; esac
		told_by $kind "$1" &&
		eval "test_write_lines $2" >expect &&
		test_cmp expect actual || return 1
	done
}

test_expect_success CC,JQ,!INSTRUMENTED 'an error names the uninitialized copy of the library in a module' '
	of_each program "from-program \"part.c \$other\""
'

test_expect_success CC,JQ,!INSTRUMENTED 'an error names the uninitialized copy of the library in the program' '
	of_each part-starts "from-part \"whole.c in the program itself\""
'

test_expect_success CC,JQ,!INSTRUMENTED 'two copies of the library, both initialized, both record all calls' '
	of_each program+part-starts "from-part from-program"
'

# A program exports the names that its libraries ask for.
test_expect_success CC,JQ,!INSTRUMENTED 'two copies of the library, one used by the linker: all calls are recorded' '
	test_write_lines from-part from-program >expect &&
	for how in program part-starts program+part
	do
		told_by shared/linked $how &&
		test_cmp expect actual || return 1
	done
'

test_done

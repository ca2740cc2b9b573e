#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the harness: a script as a session, its tests as regions'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-subtest.sh
. "$TEST_DIRECTORY"/lib-trace2.sh

test_skip_unless JQ

# Print each region in trace.event, its result, the errors and the exit code.
print_timeline () {
	jq -r '
		if .event == "region_enter" then "\(.nesting) \(.category)/\(.label)"
		elif .event == "data" then "  \(.category)/\(.key) \(.value)"
		elif .event == "error" then "  error: \(.msg)"
		elif .event == "exit" then "exit \(.code)"
		else empty end' trace.event
}

# timeline_subtest NAME [OPTION...]: run it in each shell with its events going
# to trace.event, and compare its timeline.
timeline_subtest () {
	rm -f trace.event &&
	GIT_TRACE2_EVENT="$PWD/trace.event" run_subtest "$@"
	code=$?
	expect_valid_stream trace.event &&
	print_timeline >actual &&
	test_cmp expect actual || return 99
	return "$code"
}

test_expect_success 'setup: write tests with each kind of result' '
	cat >tests <<-\EOF
	test_lazy_prereq NEVER "false"
	test_expect_success "it works" "! env | grep TRACE2"
	test_expect_success "a \"password=x\" in quotes" "false"
	test_expect_success NEVER "not here" "false"
	test_expect_failure "a known fault" "false"
	test_expect_failure "no fault any more" "true"
	test_done
	EOF
'

test_expect_success 'each test of a script is a region, with the result inside' '
	write_subtest all <tests &&
	cat >expect <<-\EOF &&
	1 test/1 - it works
	  test/result ok
	1 test/2 - a "password=x" in quotes
	  error: not ok 2 - a "password=x" in quotes
	  test/result failed
	1 test/3 - not here
	2 prerequisite/NEVER
	  test/result skipped
	1 test/4 - a known fault
	  test/result broken
	1 test/5 - no fault any more
	  test/result fixed
	  test/script failed
	exit 1
	EOF
	test_expect_code 1 timeline_subtest all &&
	trace2_jq "map(select(.event == \"cmd_name\").name) == [\"all.sh\"]" \
		trace.event
'

# Each time that dash reads costs as much as a line.
test_expect_success 'the result event and the end of a test have the same time' '
	rm -f trace.event &&
	test_expect_code 1 test_env GIT_TRACE2_EVENT="$PWD/trace.event" \
		run_subtest all &&
	trace2_jq "[.[] | select(.category == \"test\" and .key != \"script\" and .event != \"region_enter\") | .t_rel] |
		length == 10 and
		all(range(0; length; 2) as \$i | .[\$i] == .[\$i + 1]; .)" \
		trace.event
'

test_expect_success 'tracing does not change the results of a script' '
	test_expect_code 1 run_subtest all &&
	mv out expect.out &&
	mv err expect.err &&
	test_expect_code 1 test_env GIT_TRACE2_EVENT="$PWD/e" \
		run_subtest all &&
	test_cmp expect.out out &&
	test_cmp expect.err err
'

test_expect_success 'a script that stops at a failure writes a complete session' '
	cat >expect <<-\EOF &&
	1 test/1 - it works
	  test/result ok
	1 test/2 - a "password=x" in quotes
	  error: not ok 2 - a "password=x" in quotes
	  test/result failed
	  test/script failed
	exit 1
	EOF
	test_expect_code 1 timeline_subtest all -i
'

# timeline_end NAME <TESTS: print the data of the session NAME about its script.
timeline_end () {
	write_subtest "$1" &&
	rm -f trace.event &&
	GIT_TRACE2_EVENT="$PWD/trace.event" run_subtest "$1"
	expect_valid_stream trace.event &&
	print_timeline | sed -n "/^1/d; /result/d; s/^  *//; p" |
		paste -s -d: | uniq
}

test_expect_success 'a session reports how the script ended' '
	timeline_end quits <<-\EOF >actual &&
	test_expect_success "it works" "true"
	exit 3
	EOF
	timeline_end quits_well <<-\EOF >>actual &&
	test_expect_success "it works" "true"
	exit 0
	EOF
	timeline_end within <<-\EOF >>actual &&
	test_expect_success "it leaves" "exit 4"
	test_done
	EOF
	timeline_end errs <<-\EOF >>actual &&
	error "no disk"
	EOF
	timeline_end holds_none <<-\EOF >>actual &&
	test_done
	EOF
	timeline_end skips <<-\EOF >>actual &&
	skip_all="nothing here"
	test_done
	EOF
	timeline_end works <<-\EOF >>actual &&
	test_expect_success "it works" "true"
	test_done
	EOF
	cat >expect <<-\EOF &&
	error: exited with 3:test/script failed:exit 3
	error: exited with 1:test/script failed:exit 1
	error: exited with 4:test/script failed:exit 4
	error: exited with 1:test/script failed:exit 1
	error: exited with 1:test/script failed:exit 1
	test/script skipped:exit 0
	test/script ok:exit 0
	EOF
	test_cmp expect actual
'

test_expect_success 'a script warns if it cannot use a destination, and gives the same results' '
	mkfifo pipe &&
	test_expect_code 1 test_env GIT_TRACE2_EVENT="$PWD/pipe" \
		run_subtest all &&
	test_cmp expect.out out &&
	test_grep "^warning: no events of all: .*cannot be used" err
'

# This test runs the programs of the build.
test_expect_success 'GIT_TEST_TRACE2 records a script' '
	rm -rf recording &&
	test_expect_code 1 test_env GIT_TEST_TRACE2=recording \
		run_subtest all &&
	test_cmp expect.out out &&
	trace2 list --format=json -i recording >list &&
	trace2_jq "[.. | .name? // empty] | index(\"all.sh\") != null" \
		list &&
	trace2 report --regions --format=csv -i recording >csv &&
	test_grep "test/1 - it works" csv
'

test_expect_success TASKS 'processes that a script starts are in the recording' '
	trace2 list -i recording >actual &&
	test_grep "all.sh" actual &&
	test_grep "env" actual
'

test_expect_success PROVE 'the scripts of one run of prove share a directory of streams' '
	cat >fine.sh <<-\EOF &&
	test_description="it passes"
	. "$TEST_DIRECTORY/test-lib.sh"
	test_expect_success "it works" "true"
	test_done
	EOF
	sed "s/it works/another/" fine.sh >other.sh &&
	(
		TEST_OUTPUT_DIRECTORY=$PWD TEST_NO_TEST_TOOL=t &&
		export TEST_OUTPUT_DIRECTORY TEST_NO_TEST_TOOL &&
		GIT_TEST_TRACE2=shared prove -j2 --exec "$SHELL_PATH" \
			fine.sh other.sh
	) &&
	cat shared/* >both &&
	trace2_jq "map(select(.event == \"region_enter\").label) | sort ==
		[\"1 - another\", \"1 - it works\"]" both
'

test_expect_success PROVE 'prove -PTrace2 makes a session from the output of a script' '
	cat >any.sh <<-\EOF &&
	cat <<-\TAP
	ok 1 - a "password=x"
	not ok 2 - fails
	ok 3 # skip nobody
	not ok 4 - broken # TODO known breakage
	ok 5 - fixed # TODO known breakage vanished
	ok 6
	1..6
	TAP
	exit 1
	EOF
	cat >expect <<-\EOF &&
	1 test/1 - a "password=x"
	  test/result ok
	1 test/2 - fails
	  error: not ok 2 - fails
	  test/result failed
	1 test/3
	  test/result skipped
	1 test/4 - broken
	  test/result broken
	1 test/5 - fixed
	  test/result fixed
	1 test/6
	  test/result ok
	  test/script failed
	exit 1
	EOF
	rm -rf dir && mkdir dir &&
	test_must_fail env GIT_TRACE2_EVENT="$PWD/dir" \
		PERL5LIB="$GIT_BUILD_DIR/lang/perl" prove -PTrace2 --exec "$SHELL_PATH" any.sh &&
	cat dir/* >trace.event &&
	expect_valid_stream trace.event &&
	print_timeline >actual &&
	test_cmp expect actual
'

# with_plugin OPTION... SCRIPT...: run prove with the plugin, the events going to
# a new directory dir.
with_plugin () {
	rm -rf dir && mkdir dir &&
	GIT_TRACE2_EVENT="$PWD/dir" PERL5LIB="$GIT_BUILD_DIR/lang/perl:$PWD" \
		prove -PTrace2 --exec "$SHELL_PATH" "$@"
}

# prove takes long to start: one run of each kind, unless GIT_TEST_LONG is set.
plugin_options='"-v --merge"' plugin_jobs=2 plugin_merges='""'
no_destinations='"" "$PWD/not/here"'
if test_have_prereq EXPENSIVE
then
	plugin_options='"" -v "-v --merge" "-f --comments" --tapversion=13'
	plugin_jobs='1 2' plugin_merges='"" --merge'
	no_destinations='"" 1 "$PWD/pipe" "$PWD/not/here"'
fi

# In each script one test waits for the event of the test before: the line of
# that test must be read at once.
test_expect_success PROVE 'prove -PTrace2 -j: a test ends when the line with the result is printed' '
	cat >seen.sh <<-\EOF &&
	seen () {
		until cat dir/* | grep -q "region_leave.*$1\""
		do
			sleep 0.02
		done
	}
	EOF
	cat >plan.sh <<-\EOF &&
	. ./seen.sh
	printf "1..3\n# a comment\nok 1 - first\n"
	seen "1 - first"
	printf "ok 2 - second\nok 3 - third\n"
	seen "3 - third"
	EOF
	cat >part.sh <<-\EOF &&
	. ./seen.sh
	echo "on standard error" >&2
	seen "3 - third"
	printf "1..2\nok 1 - part"
	echo "on standard error" >&2
	printf " by part\nok 2 - last\n"
	seen "2 - last"
	EOF
	eval "set -- $plugin_merges" &&
	for merge
	do
		with_plugin -j2 $merge plan.sh part.sh >out 2>err &&
		test_grep "^Files=2, Tests=5" out &&
		for file in dir/*
		do
			expect_valid_stream "$file" || return 1
		done || return 1
	done
'

test_expect_success PROVE 'prove -PTrace2 prints the same as prove' '
	cat >odd.sh <<-\EOF &&
	printf "TAP version 13\n\n\n1..6\nnot\nok 1 - in two lines\n"
	printf "ok 2 - m\303\274ll\nok 3 - pa"
	echo "on standard error" >&2
	printf "rt\nok 4 # skip it\nnot ok 5 # TODO known breakage\n ---\n a: b\n ...\n"
	printf "ok 6 - without an end"
	exit 3
	EOF
	echo "echo 1..0 # SKIP nothing here" >none.sh &&
	eval "set -- $plugin_options" &&
	for options
	do
		test_expect_code 1 prove $options --exec "$SHELL_PATH" \
			odd.sh none.sh >expect 2>expect.err &&
		test_expect_code 1 with_plugin $options odd.sh none.sh \
			>actual 2>err &&
		for file in expect actual
		do
			sed "/^Files=/d; s/ at .* line [0-9]*//" "$file" >"$file.sed" ||
			return 1
		done &&
		test_cmp expect.sed actual.sed &&
		case "$options" in
		*--merge) ;; # perl says where it found no UTF-8
		*) test_cmp expect.err err ;;
		esac || return 1
	done
'

test_expect_success PROVE 'prove -PTrace2: 40 scripts need fewer than 30 descriptors' '
	for i in $(test_seq 40)
	do
		test_write_lines "echo 1..1" "echo ok 1" >many$i.sh || return 1
	done &&
	(
		ulimit -n 30 &&
		with_plugin -j2 many*.sh
	) &&
	ls dir >sessions &&
	test_line_count = 40 sessions
'

# says_script SCRIPT: print the data of its session about the script.
says_script () {
	jq -r --arg name "$1" -s '
		(map(select(.name == $name))[0].sid) as $sid |
		map(select(.sid == $sid) |
			if .event == "error" then .msg
			elif .key == "script" then .value
			elif .event == "exit" then .code
			else empty end) |
		join(": ")' both
}

test_expect_success PROVE 'prove -PTrace2 reports the reason that prove gives for a failed script' '
	test_write_lines "echo 1..3" "echo ok 1" "kill -9 \$\$" >killed.sh &&
	test_write_lines "echo ok 1" "exit 2" >two.sh &&
	test_write_lines ": nothing" >empty.sh &&
	test_write_lines "echo 1..2" "echo not ok 1 - a" "echo ok 2" "exit 1" >failed.sh &&
	test_write_lines "echo 1..1" "echo not ok 1 \\# skip b" >skip.sh &&
	test_write_lines "echo 1..1" "echo ok 1" "echo ok 2 \\# skip c" >more.sh &&
	test_write_lines "echo 1..0 \\# SKIP all of it" >all.sh &&
	test_write_lines "echo 1..1" "echo not ok 1 \\# TODO known breakage" >todo.sh &&
	test_write_lines "for i in 2 1 4 3 6 5 8; do echo ok \$i; done" "echo 1..7" \
		>order.sh &&
	test_write_lines "echo 1..2" "echo ok 1" "echo Bail out! no disk" "exit 255" \
		>bail.sh &&
	for jobs in $plugin_jobs
	do
		test_must_fail with_plugin -j$jobs killed.sh two.sh empty.sh \
			failed.sh skip.sh more.sh all.sh todo.sh order.sh &&
		cat dir/* >both &&
		for script in killed two empty failed skip more all todo order
		do
			says_script $script.sh || return 1
		done >actual &&
		cat >expect <<-\EOF &&
		killed by signal 9: Bad plan.  You planned 3 tests but ran 1.: failed: 137
		exited with 2: No plan found in TAP output: failed: 2
		No plan found in TAP output: failed: 0
		not ok 1 - a: failed: 1
		not ok 1: failed: 0
		not planned: ok 2: Bad plan.  You planned 1 tests but ran 2.: failed: 0
		skipped: 0
		ok: 0
		Tests out of sequence.  Found (2) but expected (1): Tests out of sequence.  Found (1) but expected (2): Tests out of sequence.  Found (4) but expected (3): Tests out of sequence.  Found (3) but expected (4): Tests out of sequence.  Found (6) but expected (5): and 2 more: failed: 0
		EOF
		test_cmp expect actual &&
		for file in dir/*
		do
			expect_valid_stream "$file" || return 1
		done || return 1
	done &&
	test_must_fail with_plugin bail.sh &&
	cat dir/* >both &&
	says_script bail.sh >actual &&
	echo "exited with 255: Bail out! no disk: Bad plan.  You planned 2 tests but ran 1.: failed: 255" >expect &&
	test_cmp expect actual &&
	test_must_fail with_plugin --ignore-exit two.sh &&
	cat dir/* >both &&
	says_script two.sh >actual &&
	echo "No plan found in TAP output: failed: 2" >expect &&
	test_cmp expect actual
'

test_expect_success PROVE 'prove -PTrace2 works with a harness that has its own multiplexer' '
	cat >Own.pm <<-\EOF &&
	package Own;
	our @ISA = "TAP::Harness";
	sub multiplexer_class { "Own::Multiplexer" }
	package Own::Multiplexer;
	our @ISA = "TAP::Parser::Multiplexer";
	sub new { warn "used\n"; shift->SUPER::new(@_) }
	1;
	EOF
	test_write_lines "echo 1..2" "echo ok 1" "echo ok 2" >two.sh &&
	test_env HARNESS_SUBCLASS=Own with_plugin -j2 two.sh none.sh >out 2>err &&
	test_grep "^used" err &&
	cat dir/* >both &&
	test_grep -c "region_leave" both >count &&
	test "$(cat count)" = 2
'

test_expect_success PROVE 'prove -PTrace2 accepts titles and paths that are not UTF-8' '
	bad=$(printf "b\377d") && good=$(printf "b\357\277\275d") &&
	two=$(printf "m\303\274ll \342\202\254 \360\237\230\200") &&
	printf "%s\n" "echo 1..2" "echo ok 1 - $bad" "echo ok 2 - $two" >$bad.sh &&
	printf "%s\n" "echo TAP version 13" "echo 1..1" "echo ok 1 - $two" >13.sh &&
	with_plugin $bad.sh 13.sh &&
	cat dir/* >both &&
	test_grep "\"argv\":\[\"$good.sh\"\]" both &&
	test_grep "region_leave.*\"1 - $good\"" both &&
	test_grep "region_leave.*\"2 - $two\"" both &&
	test_grep "region_leave.*\"1 - $two\"" both
'

test_expect_success PROVE 'prove -PTrace2 records a script of this harness only once' '
	(
		TEST_OUTPUT_DIRECTORY=$PWD TEST_NO_TEST_TOOL=t &&
		export TEST_OUTPUT_DIRECTORY TEST_NO_TEST_TOOL &&
		GIT_TRACE2_EVENT="$PWD/one.event" PERL5LIB="$GIT_BUILD_DIR/lang/perl" \
			prove -j2 -PTrace2 --exec "$SHELL_PATH" fine.sh other.sh
	) &&
	trace2_jq "map(select(.event == \"region_enter\").label) | sort ==
		[\"1 - another\", \"1 - it works\"]" one.event
'

test_expect_success PROVE 'prove -PTrace2 changes nothing without a destination' '
	eval "set -- $no_destinations" &&
	for to
	do
		test_must_fail env GIT_TRACE2_EVENT="$to" \
			PERL5LIB="$GIT_BUILD_DIR/lang/perl" \
			prove -PTrace2 --exec "$SHELL_PATH" any.sh 2>err &&
		test_grep ! "Trace2\|GIT_TRACE2" err || return 1
	done
'

test_done

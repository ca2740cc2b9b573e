#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='session ids, which children inherit

These are the SID, its parents, the hierarchy of command names, and any text in
the variables of the environment.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless JQ

own='20[0-9]\{6\}T[0-9]\{6\}\.[0-9]\{6\}Z-H[0-9a-f]\{8\}-P[0-9a-f]\{8\}'

# session_id ARG...: print the SID of test-tool when run with these.
session_id () {
	GIT_TRACE2=/dev/null test-tool "$@" trace2 093session_id | sed "s/^1 //"
}

test_expect_success 'a session id has the time, the host and the process' '
	session_id >actual &&
	test_grep "^$own\$" actual
'

test_expect_success 'the host in a SID is the start of the SHA-1 of the host name' '
	session_id | sed "s/.*-H//; s/-P.*//" >actual &&
	"$PERL_PATH" -MDigest::SHA=sha1_hex -MSys::Hostname -e "
		print substr(sha1_hex(hostname()), 0, 8), qq(\n)" >expect &&
	test_cmp expect actual
'

test_expect_success 'the last part of a SID is the pid' '
	cat >pid.sh <<-\EOF &&
	echo $$
	GIT_TRACE2=/dev/null exec test-tool trace2 093session_id
	EOF
	sh pid.sh >out &&
	printf "%08x\n" "$(sed -n 1p out)" >expect &&
	sed -n "2s/.*-P//p" out >actual &&
	test_cmp expect actual
'

test_expect_success 'events have the SID that trace2_session_id() returns' '
	GIT_TRACE2_EVENT="$(pwd)/e" test-tool trace2 093session_id >out &&
	jq -r .sid e | sort -u >actual &&
	sed "s/^1 //" out >expect &&
	test_cmp expect actual
'

test_expect_success 'the time in a SID is the start of the session in UTC' '
	traced env TZ=XXX-05:30 test-tool trace2 001return 0 &&
	trace2_jq "
		def seconds: .[0:15] | strptime(\"%Y%m%dT%H%M%S\") | mktime;
		(.[0].sid | seconds) as \$sid
		| (.[0].time | sub(\"\\\\.[0-9]*\"; \"\") | fromdate) - \$sid
		| . >= 0 and . <= 60" e
'

test_expect_success 'a program passes no SID to children while tracing is off' '
	test_prints test-tool trace2 092env GIT_TRACE2_PARENT_SID GIT_TRACE2_PARENT_NAME <<-\EOF
	GIT_TRACE2_PARENT_SID is not set
	GIT_TRACE2_PARENT_NAME is not set
	EOF
'

test_expect_success 'children find the SID and the command name in their environment' '
	GIT_TRACE2=/dev/null test-tool trace2 004child \
		"$(command -v env)" >out &&
	sed -n "s/^GIT_TRACE2_PARENT_SID=//p" out >actual &&
	test_grep "^$own\$" actual &&
	test_grep "^GIT_TRACE2_PARENT_NAME=trace2\$" out
'

test_expect_success 'each process appends its part to the SID, and the depth grows by one' '
	rm -f p e &&
	GIT_TRACE2_PERF="$(pwd)/p" GIT_TRACE2_PERF_BRIEF=1 GIT_TRACE2_EVENT="$(pwd)/e" \
		test-tool trace2 004child test-tool trace2 004child \
		test-tool trace2 004child test-tool trace2 001return 0 &&
	jq -r "select(.event == \"version\") | .sid" e >sids &&
	for i in 0 1 2 3
	do
		sed -n $((i + 1))p sids >sid &&
		test "$(tr -cd / <sid | wc -c)" = $i &&
		test_grep "^d$i | main  *| version" p || return 1
	done &&
	sed "s/.*\///" sids | sort -u >components &&
	test_line_count = 4 components &&
	expect_valid_stream e
'

test_expect_success 'an untraced process between two traced ones adds nothing to SID and hierarchy' '
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" test-tool trace2 004child \
		env -u GIT_TRACE2_EVENT test-tool trace2 004child \
		env GIT_TRACE2_EVENT="$(pwd)/e" test-tool trace2 001return 0 &&
	jq -r "select(.event == \"cmd_name\") | \"\\(.sid | split(\"/\") | length) \\(.hierarchy)\"" \
		e >actual &&
	test_write_lines "1 trace2" "2 trace2/trace2" | test_cmp - actual
'

test_expect_success 'forked children append a component of their own to the SID' '
	traced 5 test-tool trace2 074fork_twice &&
	expect_valid_stream --scrub e &&
	event_members sid version actual >sids &&
	test_write_lines _SID0_ _SID0_/_SID1_ _SID0_/_SID1_/_SID2_ | test_cmp - sids
'

test_expect_success 'many processes at once have different SIDs' '
	mkdir dir &&
	GIT_TRACE2_EVENT="$(pwd)/dir" test-tool trace2 033writers 40 1 1 &&
	cat dir/* | jq -r "select(.event == \"version\") | .sid" | sort -u >actual &&
	test_line_count = 41 actual &&
	test_stdout_line_count = 41 ls dir
'

test_expect_success 'print_id prints an id with tracing off, too' '
	test-tool trace2 call print_id , print_id >actual &&
	sort -u actual >one &&
	test_line_count = 1 one &&
	test_grep "^$own\$" actual
'

test_expect_success 'children of a program that has printed its id are below that id' '
	GIT_TRACE2_PARENT_SID=parent test-tool trace2 call print_id , \
		system "test-tool trace2 call print_id" >actual &&
	id=$(sed -n 1p actual) &&
	test_grep "^parent/$own\$" actual &&
	sed -n 2p actual >child &&
	test_grep "^$id/$own\$" child &&
	test-tool trace2 call system "env" >out &&
	test_grep ! "^GIT_TRACE2_PARENT" out &&
	test-tool trace2 call print_id , system "env" >out &&
	test_grep "^GIT_TRACE2_PARENT_SID=$own\$" out &&
	test_grep ! "^GIT_TRACE2_PARENT_NAME" out
'

test_expect_success 'a forked child and a child that it forks each have a SID' '
	test-tool trace2 call print_id , fork , print_id , fork , print_id >actual &&
	id=$(sed -n 1p actual) &&
	sed "s|^$id|X|; s|/$own|/N|g" actual >shown &&
	test_cmp - shown <<-\EOF
	X
	X/N
	X/N/N
	X/N
	X
	X/N
	X
	EOF
'

test_expect_success 'print_id before initialize prints the SID that the session then has' '
	traced env GIT_TRACE2_PARENT_SID=parent \
		test-tool --no-init trace2 call print_id , initialize , \
			print_id , cmd_start prog >out &&
	sort -u out >expect &&
	test_grep "^parent/$own\$" expect &&
	jq -r .sid e | sort -u >actual &&
	test_cmp expect actual
'

# with_parent TEXT: print the SID below this parent.
with_parent () {
	GIT_TRACE2_PARENT_SID=$1 session_id
}

test_expect_success 'a parent SID with a space and a quote is used unchanged' '
	with_parent parent >actual &&
	test_grep "^parent/$own\$" actual &&
	with_parent "a b/c\"d" >actual &&
	test_grep "^a b/c\"d/$own\$" actual
'

test_expect_success 'an empty parent id is ignored' '
	with_parent "" >actual &&
	test_grep "^$own\$" actual
'

test_expect_success 'control characters in the parent SID are dropped' '
	with_parent "$(printf "a\nb\tc\001\177d")" >actual &&
	test_grep "^abcd/$own\$" actual &&
	test_line_count = 1 actual
'

test_expect_success 'a parent SID of 64 KB is cut to 4 KB at a component' '
	big=$("$PERL_PATH" -e "print join q(/), (q(c123456789)) x 5957") &&
	test ${#big} -gt 65000 &&
	with_parent "$big" >actual &&
	test_grep "^c123456789/.*c123456789/$own\$" actual &&
	test_grep ! "c12345678[^9]\|c1234567/\|c12345678/" actual &&
	test $(wc -c <actual) -le 4200 &&
	test $(wc -c <actual) -gt 4000 &&
	rm -f e p &&
	GIT_TRACE2_PARENT_SID=$big GIT_TRACE2_EVENT="$(pwd)/e" \
		test-tool trace2 001return 0 &&
	jq -s -e "length > 4" e
'

test_expect_success 'a component of 64 KB in a parent SID is dropped whole' '
	with_parent "$("$PERL_PATH" -e "print q(x) x 65000")" >actual &&
	test $(wc -c <actual) -le 4200 &&
	sed "s/^x*\///" actual >own &&
	test_grep "^$own\$" own
'

test_expect_success 'empty components in a parent SID leave the stream readable' '
	nr=0 &&
	for parent in a//b / // /a a/ ../.. .
	do
		rm -rf e d &&
		mkdir d &&
		GIT_TRACE2_PARENT_SID=$parent GIT_TRACE2_EVENT="$(pwd)/e" \
			GIT_TRACE2_PERF="$(pwd)/d" test-tool trace2 001return 0 &&
		ls d >names &&
		test_line_count = 1 names &&
		test_grep "^$own\$" names &&
		nr=$((nr + 1)) &&
		cp e $nr.e || return 1
	done &&
	jq -r "\"\(input_filename) \(.sid)\"" [1-7].e | sort -u | sed "s/ .*//" >actual &&
	test_seq -f "%d.e" 7 >expect &&
	test_cmp expect actual
'

test_expect_success 'invalid UTF-8 in the parent SID is dropped' '
	rm -f e &&
	GIT_TRACE2_PARENT_SID="$(printf "a\377b")" GIT_TRACE2_EVENT="$(pwd)/e" \
		test-tool trace2 001return 0 &&
	"$PERL_PATH" -MEncode -ne "Encode::decode(q(UTF-8), \$_, Encode::FB_CROAK)" e &&
	expect_valid_stream e
'

# ---------------------------------------------------------------------------
# Names

# hierarchy PARENT...: print the names of processes below these.
hierarchy () {
	rm -f e &&
	for parent
	do
		GIT_TRACE2_PARENT_NAME=$parent GIT_TRACE2_EVENT="$(pwd)/e" \
			test-tool trace2 001return 0 || return 1
	done &&
	jq -r "select(.event == \"cmd_name\") | .hierarchy" e
}

test_expect_success 'command names of parents make a hierarchy' '
	test_write_lines trace2 fetch/trace2 fetch/gc/trace2 ab/trace2 |
	test_prints hierarchy "" fetch fetch/gc "$(printf "a\nb")"
'

test_expect_success 'a hierarchy of 64 KB is passed to children' '
	hierarchy "$("$PERL_PATH" -e "print join q(/), (q(n123456789)) x 5957")" >actual &&
	test_grep "^n123456789/.*/trace2\$" actual &&
	test $(wc -c <actual) -le 4200
'

test_expect_success '2000 calls of cmd_name are all recorded' '
	traced --valid test-tool trace2 call --repeat=2000 cmd_name name1234 &&
	test "$(count_events cmd_name e)" = 2001
'

test_done

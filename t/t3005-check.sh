#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 check: streams, settings, and a probe'

. ./test-lib.sh

unchecked 'forged: what check has to find' \
	double early lost-member made-up nesting no-key thread twice type

traces=$TEST_DIRECTORY/traces

# Git's maintenance forks without exec and goes on in commit, fetch and push.
for name in alias clone commit counters data error fetch gc nest push status timers
do
	test_expect_success "check accepts a stream of Git: $name" '
		trace2 check "$traces/$name.event" >out &&
		test_grep "events: no problems$" out
	'
done

test_expect_success 'check: events after atexit are an error if no further atexit follows' '
	sed "\$d" "$traces/fetch.event" >no-second-end &&
	unchecked damaged no-second-end &&
	test_expect_code 1 trace2 check no-second-end >out &&
	test_grep "error: events after atexit, which must come last" out &&
	test_grep "1 kind of error, 0 of warning" out
'

# forge NAME COMMAND: write a changed copy of a good stream.
forge () {
	name=$1 && shift &&
	sed "$@" "$traces/status.event" >"$name" &&
	! cmp -s "$name" "$traces/status.event"
}

# finds FILE TEXT
finds () {
	test_expect_code 1 trace2 check "$1" >out &&
	test_grep "$2" out
}

test_expect_success 'check accepts a span whose region was too deep to be recorded' '
	forge deep "/region_enter.*\"nesting\":1/{p; s/region_enter/data_json/; s/\"nesting\":1/\"t_abs\":0.1,\"t_rel\":0.1,\"nesting\":4/; s/\"category\".*/\"category\":\"trace2\",\"key\":\"span\",\"value\":{\"trace_id\":\"c1c2910fb81d79230e02a33b6763be03\",\"span_id\":\"7ff91526f45044ec\",\"category\":\"a\",\"name\":\"s\",\"start\":0.01,\"end\":0.02}}/
		}" &&
	test_grep "nesting.:4" deep &&
	test_expect_code 1 trace2 check deep >out &&
	test_grep "0 kinds of error" out
'

test_expect_success 'check reports each broken rule of the event format' '
	forge no-version 1d && finds no-version ":1: error: the first event of a session is not version" &&
	forge no-start 2d && finds no-start ":2: warning: start is not the second event" &&
	forge no-end "\$d" && finds no-end "warning: a session has no atexit" &&
	forge no-key "s/\"key\":\"read.version\",//" && finds no-key "error: data has no key" &&
	forge nesting "s/\"nesting\":2/\"nesting\":7/" && finds nesting "error: nesting is not" &&
	forge thread "s/\"thread\":\"main\",\\(.*\"data\"\\)/\"thread\":\"th01:x\",\\1/;/\"event\":\"data\"/s/main/th01:x/" &&
	finds thread "error: a thread has events but no thread_start" &&
	forge type "s/\"line\":77/\"line\":\"77\"/" && finds type "error: a field has a value of the wrong type" &&
	{ cat "$traces/status.event" && cat "$traces/status.event"; } >double &&
	finds double "this session id has started before"
'

test_expect_success 'check explains a missing atexit with _exit() if the parent recorded the exit' '
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" test-tool trace2 004child \
		test-tool trace2 001return 0 &&
	sed "/\"\(at\|\)exit\",\"sid\":\"[^\"]*\//d" e >lines &&
	finds lines "a session has no atexit, but its process exited: it called _exit()"
'

test_expect_success 'check accepts a child started in a thread without thread_start' '
	sed "/\"child_/s/\"main\"/\"th01:unknown\"/" "$traces/commit.event" \
		>unknown &&
	test_grep "th01:unknown" unknown &&
	trace2 check unknown >out &&
	test_grep "events: no problems\$" out
'

test_expect_success 'check: a second child_exit of a child is an error' '
	sed "/\"child_exit\"/p" "$traces/commit.event" >twice &&
	finds twice "error: the end of something that was not started"
'

test_expect_success 'check reports a timer or counter that comes before the exit event' '
	"$PERL_PATH" -ne "if (/\"event\":\"exit\"/) { \$e = \$_; next } print; print \$e if /\"event\":\"timer\"/" \
		"$traces/timers.event" >early &&
	finds early "a timer or counter comes before exit"
'

test_expect_success 'check: a missing exit event after exit() is accepted' '
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" test-tool trace2 072fork_counter &&
	trace2 check e >out &&
	test_grep "events: no problems$" out
'

test_expect_success 'check warns of a stream whose last line is cut short' '
	head -c 3000 "$traces/status.event" >cut &&
	finds cut "warning: the last line is cut short"
'

# The process was killed; another one appends, with or without a check.
test_expect_success 'check reads a stream after a partial line, with or without a newline between' '
	{ head -c 3000 "$traces/status.event" && echo; } >behind &&
	cat "$traces/timers.event" >>behind &&
	finds behind "warning: the line is cut short\$" &&
	test_grep ! "error:" out &&
	{ head -c 3000 "$traces/status.event" && cat "$traces/timers.event"; } >on &&
	finds on "warning: the line is cut short, and another line begins in it" &&
	test_grep ! "error:" out &&
	trace2 list behind >expect 2>err &&
	trace2 list on >actual 2>err &&
	test_line_count -gt 1 actual &&
	test_cmp expect actual
'

test_expect_success 'check warns of a stream whose program lost events' '
	sed "/\"atexit\"/s/}\$/,\"lost\":250}/" "$traces/status.event" >lost &&
	finds lost "^lost: warning: the program lost events (250)\$"
'

test_expect_success 'check: an error that lost events explain is only a warning' '
	sed "2,/region_enter/{/region_enter/d;}" lost >lost-more &&
	finds lost-more "warning: a region_leave without a region_enter" &&
	test_grep " 0 kinds of error, 3 of warning\$" out &&
	sed "/\"atexit\"/s/\"lost\":250/\"lost\":0/" lost-more >made-up &&
	finds made-up "error: a region_leave without a region_enter" &&
	sed "/\"start\"/s/\"t_abs\":[0-9.]*,//" lost >lost-member &&
	finds lost-member "error: .*t_abs"
'

test_expect_success 'check counts an input that is given twice as two; a missing one is an error' '
	trace2 check "$traces/status.event" "$traces/status.event" >out &&
	test_grep "^2 sessions, .*: no problems\$" out &&
	test_expect_code 1 trace2 check "$traces/status.event" lost lost >out &&
	test_line_count = 3 out &&
	test_grep " 0 kinds of error, 2 of warning\$" out &&
	test_expect_code 128 trace2 check lost missing 2>err &&
	test_grep "missing" err
'

test_expect_success 'check: text need not be UTF-8, and may contain |' '
	rm -f p &&
	GIT_TRACE2_PERF="$(pwd)/p" test-tool trace2 040thread "$(printf "a | \377")" &&
	GIT_TRACE2_PERF="$(pwd)/p" test-tool trace2 call \
		cmd_mode "$(printf "\377 | \200")" , data_string "a | b" c d &&
	trace2 check p >out &&
	test_grep ": no problems\$" out &&
	trace2 script -F thread,message p >script 2>err &&
	test_must_be_empty err &&
	test_grep "^th01:a | $(printf "\357\277\275")" script &&
	test_grep " a | b c:d\$" script
'

# The recorder is the parent.
# line MS DEPTH EVENT T_ABS MESSAGE
line () {
	printf "12:00:00.%03d000 a.c:1 | d%d | main | %-12s |     | %9s |     |     | %s\n" "$@"
}

# Git writes a line to each target, and takes its time after the other targets had
# theirs: the start of upload-pack is 14 ms late.
test_expect_success 'check: perf text: a line written 14 ms late is assigned to the right process' '
	{
		line 100 0 version "" 2.39.5 &&
		line 100 0 start 0.000100 "git clone" &&
		line 101 0 child_start 0.001000 "[ch0] class:? argv:[git upload-pack]" &&
		line 110 1 version "" 2.39.5 &&
		line 124 1 start 0.000400 "git upload-pack" &&
		line 125 1 child_start 0.015000 "[ch0] class:? argv:[git pack-objects]" &&
		line 130 0 child_start 0.030000 "[ch1] class:? argv:[git index-pack]" &&
		line 135 1 version "" 2.39.5 &&
		line 135 1 start 0.000400 "git index-pack" &&
		line 160 1 child_exit 0.050000 "[ch0] pid:9 code:0" &&
		line 161 1 exit 0.051000 "code:0" &&
		line 161 1 atexit 0.051000 "code:0" &&
		line 170 1 exit 0.035000 "code:0" &&
		line 170 1 atexit 0.035000 "code:0" &&
		line 171 0 child_exit 0.071000 "[ch1] pid:8 code:0" &&
		line 172 0 child_exit 0.072000 "[ch0] pid:7 code:0" &&
		line 173 0 atexit 0.073000 "code:0"
	} >mixed.perf &&
	trace2 check mixed.perf >out &&
	test_grep "3 sessions, 17 events: no problems" out &&
	trace2 list -i mixed.perf >out &&
	test_grep " 51.000 .*git upload-pack" out &&
	test_grep " 35.000 .*git index-pack" out
'

# sed makes the second one start when the first one did.
test_expect_success 'check warns of perf text lines that could belong to either of two processes' '
	sed -e "s/:00.135\(.*git index-pack\)/:00.110\1/" \
		-e "s/:00.160/:00.140/" mixed.perf >unsure.perf &&
	test_must_fail test_cmp mixed.perf unsure.perf &&
	test_expect_code 1 trace2 check unsure.perf >out &&
	test_grep "unsure.perf:[0-9]*: warning: processes of one depth ran at the same time: lines may be assigned to the wrong one" out &&
	test_grep " 0 kinds of error" out &&
	test_grep ! " error: " out
'

test_expect_success 'check warns of a late perf text line, and assigns it to the nearest start' '
	sed "s/:00.160/:00.166/" mixed.perf >late.perf &&
	test_must_fail test_cmp mixed.perf late.perf &&
	test_expect_code 1 trace2 check late.perf >out &&
	test_grep "late.perf:10: warning: processes of one depth" out &&
	test_grep " 0 kinds of error, 1 of warning\$" out
'

test_expect_success 'check warns of a recording whose recorder was killed' '
	test_expect_code 137 trace2 record -o killed -- \
		sh -c "test-tool trace2 001return 0; kill -9 \$PPID" &&
	finds killed "killed/meta.json: warning: the recording is not finished" &&
	test_grep "^1 session, .* 0 kinds of error, 1 of warning" out &&
	trace2 list killed >list 2>err &&
	test_must_be_empty err
'

test_expect_success 'check warns of a recording with lost records, and report counts the losses' '
	trace2 record -o recording -- test-tool trace2 001return 0 &&
	trace2 check recording &&
	sed "s/\"lost\":0,\"losses\":{\"kernel_records\":0/\"lost\":7,\"losses\":{\"kernel_records\":7/" \
		recording/meta.json >meta.json &&
	test_grep "\"lost\":7," meta.json &&
	mv meta.json recording/ &&
	echo "{\"type\":\"lost\",\"time_ns\":1,\"count\":7}" >>recording/tasks.jsonl &&
	finds recording "meta.json: warning: lines, records or programs were lost while it was recorded (7)\$" &&
	trace2 report recording >report &&
	test_grep "; 7 events lost" report
'

test_expect_success 'check: a brief stream is accepted, and reported as brief' '
	sed -e "/\"version\"/b" -e "/\"atexit\"/b" \
		-e "s/\"time\":\"[^\"]*\",\"file\":\"[^\"]*\",\"line\":[0-9]*,//" \
		"$traces/status.event" >brief &&
	trace2 check brief >out &&
	test_grep "a brief stream" out
'

test_expect_success JQ 'check prints JSON' '
	test_expect_code 1 trace2 check --format=json cut >out &&
	test_expect_code 1 env GIT_TRACE2_EVENT=/dev/null/x GIT_TRACE2_EVENTS=1 \
		trace2 check --env --format=json >out.env &&
	test_prints jq -c "(.problems[0] | select(has(\"level\")) | [.level, .count]), .summary[]" \
		out out.env <<-\EOF &&
	["warning",1]
	{"sessions":1,"events":13,"errors":0,"warnings":2,"brief":false}
	{"targets":1,"faults":2}
	EOF
	test_expect_code 2 trace2 check --send --format=json >out 2>err &&
	test_must_be_empty out &&
	test_grep "^trace2: --format excludes --send" err
'

test_expect_success 'check --env reports that no target is on' '
	trace2 check --env >out &&
	test_grep "no target is on" out
'

# The reader of `stalled` has stopped, and its queue is full.
test_expect_success PIPE 'check --env: a socket without a reader is a problem' '
	cat >listen.perl <<-\EOF &&
	use Socket;
	my $dir = shift;
	my %kind = (stream => SOCK_STREAM, queue => SOCK_DGRAM, stalled => SOCK_DGRAM);
	for (sort keys %kind) {
		socket my $s, AF_UNIX, $kind{$_}, 0 or die;
		bind $s, pack_sockaddr_un("$dir/$_") or die;
		$kind{$_} == SOCK_DGRAM or listen $s, 5 or die;
		push @kept, $s;
	}
	socket my $s, AF_UNIX, SOCK_DGRAM, 0 or die;
	connect $s, pack_sockaddr_un("$dir/stalled") or die;
	1 while defined send $s, "x", Socket::MSG_DONTWAIT;
	open my $ready, ">", "ready" or die;
	close $ready;
	sleep;
	EOF
	sockets=$(mktemp -d "${TMPDIR:-/tmp}/t3005.XXXXXX") &&
	test_when_finished "rm -rf \"\$sockets\"" &&
	mkfifo ready &&
	{ "$PERL_PATH" listen.perl "$sockets" & } &&
	test_when_finished "kill $!" &&
	: <ready &&
	GIT_TRACE2=af_unix:stream:$sockets/stream \
		trace2 check --env >out &&
	test_grep "^GIT_TRACE2  .*a stream socket whose reader reads" out &&
	GIT_TRACE2_EVENT=af_unix:dgram:$sockets/queue trace2 check --env >out &&
	test_grep "^GIT_TRACE2_EVENT .*a datagram socket whose reader reads" out &&
	test_expect_code 1 env GIT_TRACE2_EVENT=af_unix:dgram:"$sockets/stalled" \
		trace2 check --env >out &&
	test_grep "^GIT_TRACE2_EVENT .*a datagram socket whose reader does not read" out
'

test_expect_success 'check --env describes a directory, a dead socket, and a mistyped variable' '
	mkdir events &&
	test_expect_code 1 env GIT_TRACE2_EVENT="$PWD/events" \
		GIT_TRACE2=af_unix:/nonexistent GIT_TRACE2_PERF=relative/path \
		GIT_TRACE2_EVENT_DEPTH=5 trace2 check --env >out &&
	test_grep "^GIT_TRACE2_EVENT  .*a directory with 0 files" out &&
	test_grep "^GIT_TRACE2  .*a socket without a listener" out &&
	test_grep "^GIT_TRACE2_PERF  .*unknown destination" out &&
	test_grep "did you mean GIT_TRACE2_EVENT_NESTING?" out
'

test_expect_success 'check --env: GIT_TRACE2_RING must name a new file or a directory' '
	: >file && mkdir -p events &&
	for value in 1 true 5 af_unix:/socket relative
	do
		test_expect_code 1 env GIT_TRACE2_RING=$value trace2 check --env >out &&
		test_grep "^GIT_TRACE2_RING  .*unknown destination of a ring" out ||
		return 1
	done &&
	test_expect_code 1 env GIT_TRACE2_RING="$PWD/file" trace2 check --env >out &&
	test_grep "^GIT_TRACE2_RING  .*a file that exists, but each ring needs a new file" out &&
	for value in 0 "$PWD/events" "$PWD/new"
	do
		GIT_TRACE2_RING=$value trace2 check --env >out &&
		test_grep "^GIT_TRACE2_RING" out || return 1
	done
'

test_expect_success 'check --env reports too many files' '
	mkdir full && : >full/git-trace2-discard &&
	test_expect_code 1 env GIT_TRACE2_EVENT="$PWD/full" trace2 check --env >out &&
	test_grep "too many files" out
'

test_expect_success 'check --env: a setting of an included file is shown with that file' '
	test_config_global include.path more &&
	printf "[trace2]\n\teventTarget = %s\n\teventBrief\n" "$PWD/events" >more &&
	PATH=/nonexistent "$(command -v trace2)" check --env >out &&
	test_grep "^GIT_TRACE2_EVENT  *$PWD/events  .*/more  *a directory" out &&
	test_grep "^GIT_TRACE2_EVENT_BRIEF  *true  .*/more" out
'

test_expect_success 'check --env: environment goes before user file, user file before system file' '
	test_config_global trace2.eventTarget "$PWD/nowhere/global" &&
	test_config_global trace2.perfTarget "$PWD/perf" &&
	printf "[trace2]\n\teventTarget = x\n\tnormalBrief = true\n" >system &&
	GIT_CONFIG_NOSYSTEM=0 GIT_CONFIG_SYSTEM="$PWD/system" \
		GIT_TRACE2_EVENT="$PWD/events" trace2 check --env >out &&
	test_grep "^GIT_TRACE2_EVENT  *$PWD/events  *environment" out &&
	test_grep "^GIT_TRACE2_PERF  *$PWD/perf  *$HOME/.gitconfig" out &&
	test_grep "^GIT_TRACE2_BRIEF  *true  *$PWD/system" out
'

test_expect_success 'check --env ignores a trace2 key in a repository and in GIT_CONFIG_COUNT' '
	mkdir -p repo/.git/refs repo/.git/objects &&
	echo "ref: refs/heads/main" >repo/.git/HEAD &&
	printf "[core]bare=false\n[trace2]eventTarget=/x\n" >repo/.git/config &&
	(
		cd repo &&
		GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=trace2.perfTarget \
			GIT_CONFIG_VALUE_0=/x trace2 check --env >../out
	) &&
	test_grep "^no target is on" out
'

test_expect_success 'check --env: a file that cannot be used is named' '
	printf "[user]\n\tname = x\n[trace2\n" >malformed &&
	test_expect_code 1 env GIT_CONFIG_GLOBAL="$PWD/malformed" \
		trace2 check --env >out 2>err &&
	test_grep "^trace2: cannot read .*/malformed.: line 3: " err
'

test_expect_success 'check --env knows each setting of trace2 help' '
	trace2 help settings >list &&
	sed -n "s/^\(GIT_TRACE2[A-Z_]*\).*/\1/p" list >variables &&
	test_line_count = 25 variables &&
	nr=0 &&
	set -- &&
	while read -r variable
	do
		nr=$((nr + 1)) &&
		set -- "$@" "$variable=$nr" || return 1
	done <variables &&
	test_write_lines "$@" | sort >expect &&
	test_env "$@" trace2 check --env >out || : &&
	sed -n "s/^\(GIT_TRACE2[A-Z_]*\)  *\([0-9]*\)  *environment.*/\1=\2/p" out |
		sort >actual &&
	test_cmp expect actual &&
	test_grep ! "not a setting" out
'

test_expect_success 'check --env knows each key in any case' '
	sed -n "s/^GIT_TRACE2[A-Z_]*, \(trace2[.][A-Za-z]*\).*/\1/p" list >keys &&
	test_line_count = 22 keys &&
	tr a-z A-Z <keys | awk "{ sub(/.*[.]/, \"[trace2]\"); print \$0 \"=\" NR }" >config &&
	sed -n "s/^\(GIT_TRACE2[A-Z_]*\), trace2[.].*/\1/p" list |
		awk "{ print \$0, NR }" | sort >expect &&
	env GIT_CONFIG_GLOBAL="$PWD/config" trace2 check --env >out || : &&
	sed -n "s|^\(GIT_TRACE2[A-Z_]*\)  *\([0-9]*\)  *$PWD/config.*|\1 \2|p" out |
		sort >actual &&
	test_cmp expect actual
'

test_expect_success 'check --env: an invalid value of a setting is reported' '
	for setting in EVENT_NESTING=x EVENT_NESTING=0 MAX_FILES=-1 BRIEF=maybe \
		RING_SIZE=1t RING_MODE=other REDACT=x
	do
		test_expect_code 1 env "GIT_TRACE2_$setting" trace2 check --env >out &&
		test_grep "^GIT_TRACE2_${setting%=*} .*not a valid value" \
			out || return 1
	done &&
	test_grep "the default applies: true$" out &&
	GIT_TRACE2_EVENT_NESTING=1k GIT_TRACE2_MAX_FILES=0 GIT_TRACE2_BRIEF=off \
		GIT_TRACE2_RING_MODE=Consume trace2 check --env
'

test_expect_success 'check --send finds its probe in a directory and in a file' '
	mkdir probe &&
	GIT_TRACE2_EVENT="$PWD/probe" trace2 check --send >out &&
	test_grep "^sent session .* and found it in" out &&
	trace2 check probe >out &&
	test_grep "1 session, 3 events: no problems" out &&
	GIT_TRACE2_EVENT="$PWD/file.event" trace2 check --send &&
	trace2 list file.event >out &&
	test_grep "trace2 check --send" out
'

test_expect_success 'check --send needs a target' '
	test_expect_code 1 trace2 check --send 2>err &&
	test_grep "the event target is off" err
'

test_expect_success 'check: numbers past 64 bits are kept as text' '
	GIT_TRACE2_EVENT="$(pwd)/large" test-tool trace2 call \
		data_json c k1 "[1e999999,\"\\\\\\\"1e999\",-2]" , \
		data_json c k2 "{\"a\":18446744073709551616}" , \
		data_json c k3 "-9223372036854775809" &&
	trace2 check large >report &&
	test_grep "no problems" report &&
	trace2 script large >actual &&
	sed -n "s/.*data_json     c //p" actual >values &&
	test_cmp - values <<-\EOF &&
	k1:["1e999999","\\\"1e999",-2]
	k2:{"a":"18446744073709551616"}
	k3:"-9223372036854775809"
	EOF
	sed "s/18446744073709551616/0&/" large |
		test_must_fail trace2 check - >report &&
	test_grep "not a JSON object" report
'

test_done

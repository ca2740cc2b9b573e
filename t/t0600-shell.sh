#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2.sh: traced shell scripts

Tests use dash and bash in turns. With GIT_TEST_LONG each test uses both, and
busybox sh, if they are installed. A script does the same with tracing on and
off.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-trace2.sh

TRACE2_SH=$GIT_BUILD_DIR/build/bin/trace2.sh
export TRACE2_SH

# script NAME: the script on standard input, which reads trace2.sh first.
script () {
	{
		echo ". \"\$TRACE2_SH\"" &&
		cat
	} >"$1"
}

# The words are a command: $shell SCRIPT.
run () {
	GIT_TRACE2_EVENT="$PWD/e" $shell "$@"
}

# Run a script with the trace in e, and without; in out is what both printed.
same () {
	local expected="$1" code=0
	shift &&
	rm -f e &&
	{ GIT_TRACE2_EVENT=0 $shell "$@" >out 2>&1 </dev/null || code=$?; } &&
	test "$code" = "$expected" &&
	code=0 &&
	{ run "$@" >actual.out 2>&1 </dev/null || code=$?; } &&
	test "$code" = "$expected" &&
	test_cmp out actual.out
}

scrubbed () {
	expect_valid_stream --scrub e
}

# members EVENT MEMBER: the values in the stream, one a line
members () {
	jq -r "select(.event == \"$1\").$2" "${3-e}"
}

test_lazy_prereq DASH 'dash -c true'
test_lazy_prereq BUSYBOX 'busybox sh -c true'

# test_shells PREREQ TITLE BODY: a test for each $shell.
turn=dash
test_shells () {
	for shell in dash bash 'busybox sh'
	do
		case "$shell" in
		dash) needs=DASH ;;
		bash) needs=BASH ;;
		*) needs=BUSYBOX ;;
		esac
		test "$shell" = "$turn" || needs=$needs,EXPENSIVE
		test_expect_success "$needs${1:+,$1}" "$shell: $2" "$3"
	done
	# The other shell, if it is installed, has the next turn.
	case "$turn" in
	dash) ! test_have_prereq BASH || turn=bash ;;
	*) ! test_have_prereq DASH || turn=dash ;;
	esac
}

script all <<\EOF
set -eu
trace2_region_enter build compile
trace2_data build files 12
trace2_region_enter build inner
trace2_region_enter build hidden
trace2_data build hidden 1
trace2_region_leave build hidden
trace2_region_leave
trace2_region_leave
trace2_region_leave
trace2_cmd_mode fast
trace2_error 'no such "file"'
trace2_child true
trace2_child -c hook sh -c 'exit 3' || echo "child: $?"
exit 7
EOF

test_shells JQ 'the events of a script are in each target' '
	same 7 ./all one "two three" &&
	scrubbed &&
	test_cmp - actual <<-\EOF
	{"event":"version","sid":"_SID0_","thread":"main","time":"_TIME_","evt":"4","exe":"unknown"}
	{"event":"start","sid":"_SID0_","thread":"main","time":"_TIME_","t_abs":"_T_ABS_","argv":["_EXE_","one","two three"]}
	{"event":"cmd_name","sid":"_SID0_","thread":"main","time":"_TIME_","name":"all","hierarchy":"all"}
	{"event":"region_enter","sid":"_SID0_","thread":"main","time":"_TIME_","nesting":1,"category":"build","label":"compile"}
	{"event":"data","sid":"_SID0_","thread":"main","time":"_TIME_","t_abs":"_T_ABS_","t_rel":"_T_REL_","nesting":2,"category":"build","key":"files","value":"12"}
	{"event":"region_enter","sid":"_SID0_","thread":"main","time":"_TIME_","nesting":2,"category":"build","label":"inner"}
	{"event":"region_leave","sid":"_SID0_","thread":"main","time":"_TIME_","t_rel":"_T_REL_","nesting":2,"category":"build","label":"inner"}
	{"event":"region_leave","sid":"_SID0_","thread":"main","time":"_TIME_","t_rel":"_T_REL_","nesting":1,"category":"build","label":"compile"}
	{"event":"cmd_mode","sid":"_SID0_","thread":"main","time":"_TIME_","name":"fast"}
	{"event":"error","sid":"_SID0_","thread":"main","time":"_TIME_","msg":"no such \"file\"","fmt":"no such \"file\""}
	{"event":"child_start","sid":"_SID0_","thread":"main","time":"_TIME_","child_id":0,"child_class":"?","use_shell":false,"argv":["true"]}
	{"event":"child_exit","sid":"_SID0_","thread":"main","time":"_TIME_","child_id":0,"pid":"_PID_","code":0,"t_rel":"_T_REL_"}
	{"event":"child_start","sid":"_SID0_","thread":"main","time":"_TIME_","child_id":1,"child_class":"hook","use_shell":false,"argv":["sh","-c","exit 3"]}
	{"event":"child_exit","sid":"_SID0_","thread":"main","time":"_TIME_","child_id":1,"pid":"_PID_","code":3,"t_rel":"_T_REL_"}
	{"event":"exit","sid":"_SID0_","thread":"main","time":"_TIME_","t_abs":"_T_ABS_","code":7}
	{"event":"atexit","sid":"_SID0_","thread":"main","time":"_TIME_","t_abs":"_T_ABS_","code":7}
	EOF
'

test_expect_success BASH,JQ 'bash: events have file and line' '
	shell=bash &&
	same 7 ./all &&
	jq -r "select(.line) | \"\(.event) \(.file) \(.line)\"" e >actual &&
	test_grep "^region_enter ./all 3$" actual &&
	test_grep "^error ./all 13$" actual &&
	test_grep "^child_exit ./all 14$" actual
'

# The members of each event are those of the table, in its order.
test_expect_success DASH,JQ 'members of events have the order of the event table' '
	shell=dash &&
	same 7 ./all &&
	test-tool events json |
	jq -r "(.head | map(.name)) as \$head | .events[] |
		\"\(.name) \(\$head + (.fields | map(.name)) | join(\" \"))\"" >table &&
	jq -r "\"\(.event) \(keys_unsorted | join(\" \"))\"" e | sort -u >members &&
	test_line_count = 12 members &&
	while read -r event names
	do
		grep "^$event " table | tr " " "\n" >row &&
		echo "$names" | tr " " "\n" >expect &&
		sed 1d row | grep -F -x -f expect >actual &&
		test_cmp expect actual || return 1
	done <members
'

script tree <<\EOF
trace2_region_enter build fetch
trace2_child git version
trace2_region_leave build fetch
(
	trace2_data sub key value
	trace2_child git --exec-path
)
# bash runs no EXIT trap in a subshell that is a loop.
echo one | {
	while read -r word
	do
		trace2_data pipe word "$word"
	done
	:
}
EOF

test_shells GIT 'Git and subshells are children of the session of the script' '
	same 0 tree &&
	expect_valid_stream e &&
	trace2 list e | grep "^[0-9]" >list &&
	test_line_count = 5 list &&
	jq -r "if .event == \"version\" then
			\"depth \(.sid | split(\"/\") | length)\"
		elif .event == \"child_exit\" then \"pid \(.pid)\"
		elif .event == \"start\" and .argv[0] == \"git\" then
			\"sid \(.sid)\"
		else empty end" e >values &&
	sed -n "s/^depth //p" values |
		sort | uniq -c | sed "s/^ *//" >depths &&
	printf "%s\n" "1 1" "3 2" "1 3" | test_cmp - depths &&
	sed -n "s/^pid //p" values | sort >pids &&
	"$PERL_PATH" -ne "print hex(\$1), qq(\n) if /^sid .*-P([0-9a-f]*)\$/" \
		values | sort >sids &&
	test_cmp sids pids
'

script text <<\EOF
trace2_data text controls "$(printf '\001\t\n\r\033\177.')"
trace2_data text quotes '"\'
trace2_data text valid "$(printf 'e\303\251\342\202\254\360\237\230\200\355\237\277\364\217\277\277')"
trace2_data text invalid "$(printf '\200 \303( \355\240\200 \364\220\200\200 \300\257 \342\202')"
trace2_data text "" 'plain text: a=b ][!#$%&()*+,./;<>?@^_`{|}~'
EOF

test_shells JQ 'trace2.sh: any bytes become valid JSON' '
	for locale in C.UTF-8 C
	do
		LC_ALL=$locale same 0 text &&
		test_prints members data value <<-EOF || return 1
		$(printf "\001\t\n\r\033\177").
		"\\
		$(printf "e\303\251\342\202\254\360\237\230\200\355\237\277\364\217\277\277")
		$(printf "\357\277\275 \357\277\275( \357\277\275\357\277\275\357\277\275 ")$(
		printf "\357\277\275\357\277\275\357\277\275\357\277\275 \357\277\275\357\277\275 \357\277\275")
		plain text: a=b ][!#\$%&()*+,./;<>?@^_\`{|}~
		EOF
	done
'

script secrets <<\EOF
trace2_data a b https://user:pw@host/path
trace2_data a b 'Authorization: Bearer x'
trace2_data a b --api-key=x
trace2_data a b password=x
trace2_data a b fine=x
trace2_data a b ghp_012345678901234567890123456789012345
trace2_data a b 'X-Api-Key: x'
trace2_data a b 'git clone with --token x'
trace2_child echo --api-key x --token -y -z
(trace2_data a b 'a text of more than twenty bytes: 1 2 3')
EOF

test_shells JQ 'trace2.sh hides secrets, unless the user switches redaction off' '
	same 0 secrets --token=x &&
	test_prints jq -r "select(.event | test(\"^(data|child_start|start)\$\")) |
		if .event == \"start\" then .argv |= .[1:] else . end |
		\"\(.event) \(.value // (.argv | join(\" \")))\"" e <<-\EOF &&
	start --token=<REDACTED>
	data <REDACTED>
	data <REDACTED>
	data --api-key=<REDACTED>
	data password=<REDACTED>
	data fine=x
	data <REDACTED>
	data <REDACTED>
	data <REDACTED>
	child_start echo --api-key <REDACTED> --token -y -z
	start --token=<REDACTED>
	data a text of more than twenty bytes: 1 2 3
	EOF
	GIT_TRACE2_REDACT=0 same 0 secrets &&
	test_grep user:pw e
'

script spans <<\EOF
set -eu
trace2_span_start http outer
trace2_span_set url "http://x/"
trace2_span_set quote 'a"b'
trace2_child sh -c 'test -n "$TRACEPARENT" || test "$GIT_TRACE2_EVENT" = 0'
trace2_span_start http inner
trace2_span_end 'it failed'
trace2_span_end
trace2_span_end
trace2_span_start http open
EOF

test_shells JQ 'trace2.sh: spans have attributes and parents' '
	same 0 spans &&
	expect_valid_stream e &&
	test_prints jq -c -n "[inputs | select(.key == \"span\").value] |
		INDEX(.name) | [.outer, .inner, .open | . // {}] |
		(.[0] | [.category, .attributes, .parent_id, .failed]),
		(.[1] | [.failed]), ([.[1].trace_id, .[1].parent_id] ==
			[.[0].trace_id, .[0].span_id]),
		(.[2] | [.unfinished, (.trace_id | length),
			(.span_id | length)])" e <<-\EOF
	["http",{"url":"http://x/","quote":"a\"b"},null,null]
	["it failed"]
	true
	[true,32,16]
	EOF
'

test_shells JQ 'trace2.sh: a script with a TRACEPARENT has its trace' '
	parent=00-0123456789abcdef0123456789abcdef-0123456789abcdef &&
	TRACEPARENT=$parent-01 same 0 spans &&
	expect_valid_stream e &&
	test_prints jq -c -n "[inputs | select(.key == \"trace\" or
			(.key == \"span\" and .value.name == \"outer\")).value] |
		(.[0] | [.trace_id, .parent_id, .sampled]), length,
		([.[0].trace_id, .[0].span_id] ==
			[.[1].trace_id, .[1].parent_id])" e <<-\EOF &&
	["0123456789abcdef0123456789abcdef","0123456789abcdef",true]
	2
	true
	EOF
	TRACEPARENT=$parent-00 same 0 spans &&
	mv e unsampled &&
	for invalid in 00-0-0-01 "$parent" x-$parent-01 \
		00-0123456789ABCDEF0123456789abcdef-0123456789abcdef-01
	do
		TRACEPARENT=$invalid same 0 spans &&
		cat e >>invalid || return 1
	done &&
	jq -r "if input_filename == \"unsampled\" then
			select(.key == \"trace\" or (.key == \"span\" and
				.value.name == \"outer\")).value.sampled
		else
			select(.key == \"span\" and
				.value.name == \"outer\").value.parent_id
		end" unsampled invalid >actual &&
	rm invalid &&
	test_write_lines false null null null null | test_cmp - actual
'

# Each line is a script, which gets trace2.sh in place of SOURCE.
hosts () {
	cat <<-\EOF
	7 SOURCE; trap 'echo "end $?"; false; echo on' EXIT; exit 7
	7 trap 'echo "end $?"; false; echo on' EXIT; SOURCE; exit 7
	1 set -e; trap 'echo "end $?"; false; echo on' EXIT; SOURCE; false; echo never
	0 trap 'echo "it'\''s $?"' EXIT; trap 'echo int' INT; SOURCE; kill -s INT $$
	9 trap 'exit 9' EXIT; SOURCE; exit 3
	3 SOURCE; trace2_on_exit 'echo "end $?"'; exit 3
	0 set -eu; IFS=:; SOURCE; x='a:b'; trace2_data a b c; set -- $x; echo $#
	0 set -efCu; SOURCE; trace2_child echo '*'; echo *; trace2_data a b c; echo $-
	0 SOURCE; trace2_child sh -c 'kill -s KILL $$' 2>/dev/null; echo $?
	0 SOURCE; trace2_child no-such-program-at-all 2>/dev/null; echo $?
	1 set -e; SOURCE; trace2_child false; echo never
	0 exec 9>lock; SOURCE; trace2_child sh -c 'echo in >&9'; echo out >&9; cat lock
	0 SOURCE; exec 9>lock 8>&9 7>&9 6>&9 5>&9 4>&9 3>&9; trace2_child sh -c 'echo in >&3'; cat lock
	0 SOURCE; echo in | trace2_child cat
	0 SOURCE; x=$(trace2_child echo in; trace2_data a b c); echo "$x"
	0 SOURCE; (exit 3); trace2_data a b c; set -- 1 2; trace2_region_enter a b; echo $#
	0 SOURCE; trap 'trace2_child true; trace2_data in trap 1' USR1; trace2_child sh -c 'kill -s USR1 $PPID; exit 5'; echo $?
	127 SOURCE; trace2_exec no-such-program-at-all 2>/dev/null; echo never
	4 SOURCE; trace2_exec sh -c 'exit 4'; echo never
	5 SOURCE; f () { trace2_region_enter a b; return 5; }; f
	0 SOURCE; trace2_region_leave; trace2_region_enter; trace2_data; trace2_error; trace2_cmd_name; (trap 'echo sub' EXIT; trace2_data a b c)
	0 SOURCE; ulimit -n 20; trace2_data a b c; echo $(ulimit -n)
	0 readonly LC_ALL; SOURCE; echo on
	0 LC_ALL=C; export LC_ALL; SOURCE; trace2_data a b é; echo $LC_ALL; env | grep LC_ALL
	EOF
}

test_shells '' 'scripts behave the same with tracing on' '
	hosts >hosts &&
	test_line_count -gt 20 hosts &&
	while read -r code line
	do
		echo "$line" | sed "s|SOURCE|. \"\$TRACE2_SH\"|" >host &&
		rm -f lock &&
		same "$code" host ||
		{ echo "the script: $line" && return 1; }
	done <hosts
'

script broken <<\EOF
trace2_data a b 1
test -z "$1" || eval "$1"
trace2_data a b 2
trace2_region_enter a b
trace2_child echo child
trace2_region_leave a b
echo end
EOF

test_shells '' 'a destination that fails affects neither script nor child' '
	printf "child\nend\n" >expect &&
	mkdir -p dir &&
	for to in /dev/full "$PWD/no/file" "$PWD/expect/file" 9 nonsense \
		af_unix:/no/socket 2 /proc/self/mem
	do
		GIT_TRACE2_EVENT=$to $shell broken "" >actual 2>err &&
		test_cmp expect actual || return 1
	done &&
	GIT_TRACE2_EVENT="$PWD/dir" $shell broken "rm -r dir" >actual 2>err &&
	test_cmp expect actual &&
	test_must_be_empty err &&
	GIT_TRACE2_EVENT=5 $shell broken "exec 5>other" 5>e >actual 2>err &&
	test_cmp expect actual &&
	test_must_be_empty other &&
	test_must_be_empty err
'

test_shells '' 'a pipe is refused as destination, since its reader may stall or go' '
	GIT_TRACE2_EVENT=1 GIT_TRACE2_DST_DEBUG=1 $shell broken "" \
		2>&1 >out | cat >err &&
	echo "warning: trace2: cannot use GIT_TRACE2_EVENT: '\''1'\'': a script writes to no pipe and to no socket" >expect &&
	test_cmp expect err
'

test_shells '' 'a limit of file size prevents the trace, and does no harm' '
	rm -f e &&
	(
		ulimit -f 100 &&
		run broken ""
	) >actual &&
	printf "child\nend\n" | test_cmp - actual &&
	test_path_is_missing e
'

test_shells JQ 'descriptors, directories and existing file names are destinations as in C' '
	rm -rf dir e &&
	mkdir dir &&
	GIT_TRACE2_EVENT=4 $shell all >out 4>e || test $? = 7 &&
	expect_valid_stream e &&
	{
		echo before >&4 &&
		{
			GIT_TRACE2_EVENT=/dev/fd/4 $shell all >out ||
			test $? = 7
		} &&
		echo after >&4
	} 4>e &&
	sed "1d; \$d" e >lines &&
	expect_valid_stream lines &&
	GIT_TRACE2_EVENT="$PWD/dir" $shell tree >out &&
	ls dir >names &&
	test_line_count = 5 names &&
	sed "s/-.*//" names >times &&
	test_grep ! "[^0-9TZ.]" times &&
	(cd dir && trace2 check *)
'

test_shells JQ 'brief streams and the nesting limit are as in C' '
	GIT_TRACE2_EVENT_BRIEF=1 GIT_TRACE2_EVENT_NESTING=4 same 7 all &&
	expect_valid_stream e &&
	jq -r "select(.event == \"data\").value,
		(select(.time) | .event)" e >actual &&
	test_write_lines version 12 1 atexit | test_cmp - actual
'

test_shells JQ 'trace2.sh makes at most GIT_TRACE2_MAX_FILES files' '
	rm -rf dir &&
	mkdir dir &&
	>dir/one &&
	for i in 1 2 3
	do
		GIT_TRACE2_EVENT="$PWD/dir" GIT_TRACE2_MAX_FILES=2 \
			$shell -f all >out || test $? = 7 || return 1
	done &&
	ls dir >actual &&
	test_line_count = 3 actual &&
	test_grep git-trace2-discard actual &&
	sed "s/^{\"event\":\"\([^\"]*\)\".*/\1/" \
		dir/git-trace2-discard >actual &&
	test_write_lines version too_many_files | test_cmp - actual
'

test_shells JQ 'trace2.sh ends an incomplete line of another process' '
	printf "{\"event\":" >e &&
	run all >out || test $? = 7 &&
	head -n 1 e >actual &&
	echo "{\"event\":" | test_cmp - actual &&
	sed 1d e >rest &&
	expect_valid_stream rest &&
	rm e
'

test_shells JQ 'trace2.sh does not end a line that another process is still writing' '
	# busybox runs its own wc.
	test "${shell%% *}" != busybox || return 0
	printf "{\"event\":" >e &&
	mkdir growing &&
	write_script growing/wc <<-\EOF &&
	printf "%s\n" "1}" >>e
	printf 10
	EOF
	PATH="$PWD/growing:$PATH" run all >out || test $? = 7 &&
	head -n 1 e >actual &&
	echo "{\"event\":1}" | test_cmp - actual &&
	test_grep ! "^\$" e &&
	rm -r e growing
'

script dies <<\EOF
trap 'echo mine' INT
kill -s INT $$
kill -s "$1" $$
EOF

test_shells JQ 'signals named by the user are recorded, and run the traps of the script' '
	for signal in TERM:15 HUP:1
	do
		rm -f e &&
		test_expect_code $((128 + ${signal#*:})) env --default-signal \
			GIT_TRACE2_SIGNALS="INT,TERM 1" \
			GIT_TRACE2_EVENT="$PWD/e" $shell dies ${signal%:*} >out &&
		echo mine | test_cmp - out &&
		expect_valid_stream e &&
		test_grep "\"event\":\"signal\".*\"signo\":${signal#*:}}\$" e &&
		test "$(grep -c "\"event\":\"signal\"" e)" = 1 || return 1
	done
'

test_shells JQ 'trace2_exec has an exec event, and stays one process in trace2 list' '
	echo ". \"\$TRACE2_SH\"; trace2_exec git version" >becomes &&
	same 0 becomes &&
	test_grep "\"event\":\"exec\".*\"argv\":\[\"git\"," e &&
	trace2 list e >list &&
	test_line_count = 2 list
'

# Compare dates with the dates of date(1).
# Each line is a script, which has to do the same with tracing on.
test_shells '' 'a script may change options, functions and variables later without effect' '
	while read -r line
	do
		echo "$line; trace2_region_enter a b; trace2_data c d e
			trace2_child echo child; (trace2_child echo subshell)
			trace2_span_start f g; trace2_span_end
			trace2_region_leave; x=\$(trace2_child true); exit 3" |
			tr ";" "\n" | script s &&
		same 3 s ||
		{ echo "with: $line" && return 1; }
	done <<-\EOF
	. "$TRACE2_SH"
	. "$TRACE2_SH"; trap "" USR1; . "$TRACE2_SH"
	readonly IFS
	IFS=0123456789
	IFS=1
	IFS=./:-
	IFS=
	GIT_TRACE2_EVENT=0
	GIT_TRACE2_EVENT=relative
	set -u; unset GIT_TRACE2_EVENT GIT_TRACE2_PARENT_SID GIT_TRACE2_MAX_FILES
	ulimit -n 12
	ulimit -S 1
	IFS=; ulimit -f 1
	IFS=:; ulimit -n 12
	ulimit -n 64; ulimit -f unlimited
	readonly TRACEPARENT GIT_TRACE2_PARENT_SID GIT_TRACE2_PARENT_NAME
	unset EPOCHREALTIME
	set -u; EPOCHREALTIME=foo
	ulimit -f 1
	f () { ulimit -f "$1"; }; f 1
	echo () { command printf "mine %s\n" "$*"; }; echo a
	test () { return 0; }
	read () { return 1; }
	printf () { return 1; }
	date () { return 1; }; readlink () { return 1; }; tail () { return 1; }
	EOF
'

# Do the same before trace2.sh is read.
test_shells '' 'a script may change shell options or functions before: no effect, or no trace' '
	while read -r line
	do
		{
			echo "$line" | tr ";" "\n" &&
			cat <<-\EOF
			. "$TRACE2_SH"
			trace2_data c d "a
			b"
			trace2_child echo child
			(trace2_child echo subshell)
			exit 3
			EOF
		} >s &&
		same 3 s ||
		{ echo "with: $line" && return 1; }
	done <<-\EOF
	readonly IFS
	readonly LC_ALL=C.UTF-8
	readonly TRACEPARENT GIT_TRACE2_PARENT_SID GIT_TRACE2_PARENT_NAME
	set -u; EPOCHREALTIME=foo
	IFS=0123456789
	ulimit -n 16
	ulimit () { command ulimit -n; }
	alias ulimit="ulimit -S"; shopt -s expand_aliases 2>/dev/null
	shopt -s failglob 2>/dev/null; GLOBIGNORE="*"
	test () { return 0; }; echo () { return 1; }; date () { return 1; }
	EOF
'

test_expect_success DASH 'trace2.sh computes dates and times right' '
	rm -f e &&
	cat >dates <<-\EOF &&
	. "$TRACE2_SH"
	for second in 0 86399 951782399 951782400 951868800 1078012800 \
		1583020799 1709164800 1735689599 1735689600 4102444799 4107542400
	do
		trace2_us_=${second}000007
		trace2_utc_time_
		echo "$trace2_utc_"
		date -u -d "@$second" +%Y-%m-%dT%H:%M:%S.000007Z >&2
	done
	EOF
	GIT_TRACE2_EVENT="$PWD/e" dash dates >actual 2>expect &&
	test_line_count = 12 actual &&
	test_cmp expect actual
'

test_shells JQ 'trace2.sh measures times as the clock does' '
	date -u +%Y-%m-%dT%H:%M:%S >times &&
	same 7 all &&
	sed -n "s/.*\"time\":\"\([^\"]\{19\}\).*/\1/p" e >>times &&
	test_line_count = 17 times &&
	date -u +%Y-%m-%dT%H:%M:%S >>times &&
	sort times >sorted &&
	test_cmp sorted times
'

test_shells STRACE 'an event of a shell script starts no process' '
	cat >many <<-\EOF &&
	. "$TRACE2_SH"
	i=0
	while test $((i += 1)) -le "$1"
	do
		trace2_region_enter cat "a \"label\""
		trace2_data cat key "$i"
		trace2_region_leave cat "a \"label\""
	done
	EOF
	for nr in 1 9
	do
		GIT_TRACE2_EVENT="$PWD/e" strace -f -o log \
			-e trace=clone,clone3,fork,vfork $shell many $nr &&
		grep -c "= [1-9]" log >forks.$nr || return 1
	done &&
	test_cmp forks.1 forks.9
'

test_expect_success GIT 'trace2 record shows the script, and Git below it' '
	trace2 record -q -o r -- $(command -v dash || echo sh) tree &&
	trace2 check r &&
	trace2 list r >list &&
	test_grep "git version" list &&
	trace2 report --regions r >report &&
	test_grep "build.*fetch" report
'

test_shells GIT 'the example of trace2-shell runs' '
	page=$GIT_BUILD_DIR/Documentation/trace2-shell.adoc &&
	awk "/^\\[source,sh\\]\$/ { on = 1; next } on && /^----/ { on++ }
		on == 3 { exit } on && !/^----/" "$page" >backup.sh &&
	sed -n "s/^    [0-9].*  *[0-9]*  //p" "$page" |
		sed "s/^[├└] //" | sort >expect &&
	test_line_count = 4 expect &&
	rm -rf repo repo.tar trace.json &&
	PATH=${TRACE2_SH%/*}:$PATH GIT_TRACE2_EVENT=$PWD/trace.json \
		$shell backup.sh &&
	trace2 list trace.json | sed -n "s/^[0-9].*  *[0-9]*  //p" |
		sed "s/^[├└] //" | sort >actual &&
	test_cmp expect actual &&
	trace2 report --regions trace.json >report &&
	test_grep "backup.*collect" report
'

test_done

#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 script: events in the order of time, in any format'

. ./test-lib.sh

unchecked 'lines that perf would not write' odd.perf

traces=$TEST_DIRECTORY/traces

# masked DIR TARGET NAME...: print the files NAME.TARGET. Hide the values that Git
# writes in another target at another time, or from another line of its source.
masked () {
	(
		dir=$1 && target=$2 && shift 2 && cd "$dir" &&
		for name
		do
			test -s "$name.$target" && set -- "$@" "$name.$target" &&
			shift || exit 1
		done &&
		awk "{ print FILENAME, \$0 }" "$@"
	) | mask
}

mask () {
	sed -e 's/[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\.[0-9]\{6\}/TIME/' \
		-e 's/ *[0-9][0-9]*\.[0-9]\{6\}/ T/g' \
		-e 's/tr2_tgt_[a-z]*\.c:[0-9]* */TARGET /' ${1+"$1"} | sort
}

for target in normal perf
do
	test_expect_success "script --git-$target prints the lines that Git wrote" '
		names="alias clone commit counters data error fetch gc nest push
			status timers" &&
		for name in $names
		do
			trace2 script --git-$target "$traces/$name.event" \
				>$name.$target || return 1
		done &&
		masked . $target $names >actual &&
		masked "$traces" $target $names >expect &&
		test -s expect &&
		test_cmp expect actual
	'
done

# Git pads the column of the repository first, and then adds a space.
test_expect_success 'script --git-perf gives ids of repositories two digits, as Git does' '
	sed "s/\"repo\":1,/\"repo\":12,/" "$traces/status.event" >12.event &&
	sed "s/ | r1  | / | r12  | /" "$traces/status.perf" >12.perf &&
	trace2 script --git-perf 12.event >out &&
	mask out >actual &&
	mask 12.perf >expect &&
	test_grep " r12  | " expect &&
	test_cmp expect actual
'

test_expect_success 'script --git-perf of perf text gives the same text' '
	names="gc status alias timers counters" &&
	for name in $names
	do
		trace2 script --git-perf "$traces/$name.perf" >$name.perf ||
		return 1
	done &&
	masked . perf $names >actual &&
	masked "$traces" perf $names >expect &&
	test_cmp expect actual
'

test_expect_success 'script --git-event gives every line unchanged, in order of time' '
	trace2 script --git-event "$traces/gc.event" >out &&
	test_line_count = $(wc -l <"$traces/gc.event") out &&
	sort "$traces/gc.event" >expect &&
	sort out >actual &&
	test_cmp expect actual &&
	sed "s/.*\"time\":\"\\([^\"]*\\)\".*/\\1/" out >times &&
	sort -c times
'

test_expect_success JQ 'script --git-event of perf text gives valid JSON' '
	trace2 script --git-event "$traces/status.perf" >out &&
	test_line_count = $(wc -l <"$traces/status.event") out &&
	jq -r .event out >actual &&
	jq -r .event "$traces/status.event" >expect &&
	test_cmp expect actual
'

# The members of a line keep their order; a line without a time gets one.
inputs="timers.perf nest.event gc.event"
test_have_prereq !EXPENSIVE ||
inputs="timers.perf error.event nest.event gc.perf gc.event"
for filter in "" "-N index/*" "-t 3ms" "--cmd gc" "-D 0" "-D 2 -N cache_tree/*"
do
	test_expect_success "script --git-event and export --to git-event agree: $filter" '
		for input in $inputs
		do
			{ trace2 script --git-event $filter "$traces/$input" >actual ||
			test_grep "^trace2: no .* matches" err; } 2>err &&
			{ trace2 export --to git-event $filter "$traces/$input" >expect ||
			test_grep "^trace2: no .* matches" err; } 2>err &&
			test_cmp expect actual || return 1
		done &&
		test -s expect
	'
done

test_expect_success 'script refuses --git-perf together with --git-event' '
	test_expect_code 2 trace2 script --git-perf --git-event "$traces/gc.event" 2>err &&
	test_grep "only one of" err
'

test_expect_success 'script aligns its columns' '
	trace2 script "$traces/data.event" >out &&
	sed -n "5,7p" out >actual &&
	sed -n "s/^ *//;5,7p" out >/dev/null &&
	test_grep "main  data          cat k1:v1$" out &&
	test_grep "main  start " out
'

test_expect_success 'script -F selects fields' '
	trace2 script -F event,message "$traces/nest.event" >out &&
	test_prints grep "^child" out <<-\EOF &&
	child_start   [ch0] class:? argv:[test-tool trace2 004child test-tool trace2 001return 3]
	child_start   [ch0] class:? argv:[test-tool trace2 001return 3]
	child_exit    [ch0] pid:15624 code:3
	child_exit    [ch0] pid:15623 code:3
	EOF
	test_expect_code 2 trace2 script -F time,bogus "$traces/nest.event" 2>err &&
	test_grep "bogus. is not a field" err
'

id=20261121T090000.000000Z-H0a7c9cdf-P00000064

test_expect_success 'script finds its columns although texts contain |' '
	cat >bars.event <<-EOF &&
	{"event":"version","sid":"$id","thread":"main","time":"2026-11-21T09:00:00.000000Z","evt":"4","exe":"1"}
	{"event":"thread_start","sid":"$id","thread":"th01:a | b","time":"2026-11-21T09:00:00.100000Z"}
	{"event":"region_enter","sid":"$id","thread":"th01:a | b","time":"2026-11-21T09:00:00.200000Z","nesting":1,"category":"c | d","label":"l | m"}
	{"event":"data","sid":"$id","thread":"th01:a | b","time":"2026-11-21T09:00:00.300000Z","t_abs":0.3,"t_rel":0.1,"nesting":2,"category":"c | d","key":"k | l","value":"v | w"}
	EOF
	test_prints trace2 script --format=csv -F thread,category,message bars.event <<-\EOF
	thread,category,message
	main,,1
	th01:a | b,,
	th01:a | b,c | d,c | d label:l | m
	th01:a | b,c | d,c | d ..k | l:v | w
	EOF
'

test_expect_success 'script shows an unknown event with its own time, file and line' '
	cat >unknown.event <<-EOF &&
	{"event":"version","sid":"$id","thread":"main","time":"2026-11-21T09:00:00.000000Z","evt":"4","exe":"1"}
	{"event":"start","sid":"$id","thread":"main","time":"2026-11-21T09:00:00.500000Z","file":"a.c","line":7,"repo":5,"t_abs":0.5,"argv":["x"]}
	{"event":"weird","sid":"$id","thread":"main","time":"2026-11-21T09:00:01.250000Z","file":"b.c","line":9}
	EOF
	trace2 script -F event,t_abs,repo,file unknown.event >out 2>err &&
	echo "weird 1.250000 b.c:9" | test_prints sed -n "s/  */ /g; 3p" out
'

test_expect_success 'script: bytes that are not UTF-8 are replaced, and no line is lost' '
	printf "{\"event\":\"version\",\"sid\":\"%s\",\"thread\":\"main\",\"evt\":\"4\",\"exe\":\"a\377b\"}\n" \
		$id >bytes.event &&
	trace2 script --git-event bytes.event >actual 2>err &&
	trace2 export --to git-event bytes.event >exported 2>err &&
	sed "s/.*\(\"exe\)/\1/" exported >tail &&
	printf "\"exe\":\"a\357\277\275b\"}\n" | test_cmp - tail &&
	test_cmp exported actual
'

test_expect_success 'script -t prints start events, and only long children and regions' '
	trace2 script -t 2ms -F event,message "$traces/gc.event" >actual &&
	test_grep "child_start   \[ch4\]" actual &&
	! grep "\[ch2\]" actual &&
	test_grep "label:prepare-pack" actual &&
	! grep "label:do_read_index" actual &&
	! grep "^data" actual &&
	test_grep "^start .*git -C project gc" actual
'

test_expect_success 'script -N selects regions by name' '
	trace2 script -N "pack-objects/*" -F event "$traces/gc.event" >out &&
	sort out | uniq -c | sed "s/^ *//" >actual &&
	test_cmp - actual <<-\EOF
	4 region_enter
	4 region_leave
	EOF
'

test_expect_success 'script: --format and the formats of Git exclude each other' '
	for form in normal perf event
	do
		test_expect_code 2 trace2 script --git-$form --format=json \
			"$traces/data.event" >out 2>err &&
		test_must_be_empty out &&
		test_grep "^trace2: --format excludes --git-normal" err ||
		return 1
	done
'

test_expect_success JQ 'script prints JSON and CSV' '
	trace2 script --format=json "$traces/data.event" >out &&
	jq -r ".events[4].event" out >actual &&
	sed -n 5p "$traces/data.event" | jq -r .event >expect &&
	test_cmp expect actual &&
	trace2 script --format=csv -F pid,event "$traces/data.event" >out &&
	echo pid,event | test_prints head -n 1 out
'

test_expect_success JQ 'script prints valid JSON for events that it cannot interpret' '
	{
		cat "$traces/timers.perf" &&
		printf "%s\n" "d0 | main                     | weird        |     |           |           |              | x"
	} >odd.perf &&
	trace2 script --format=json odd.perf >out 2>err &&
	jq ".events | length" out >actual &&
	wc -l <"$traces/timers.perf" >expect &&
	test_cmp expect actual
'

test_expect_success PIPE 'script -f prints each line when it is complete' '
	mkdir grow && mkfifo seen &&
	{ trace2 script -f -F event grow >seen & } &&
	pid=$! &&
	test_when_finished "kill $pid 2>/dev/null; wait $pid || :" &&
	exec 9<seen &&
	head -n 1 "$traces/status.event" >grow/one &&
	read -r line <&9 &&
	test "$line" = version &&
	sed -n 2p "$traces/status.event" | tr -d "\\n" >>grow/one &&
	head -n 1 "$traces/gc.event" >grow/two &&
	read -r line <&9 &&
	test "$line" = version &&
	echo >>grow/one &&
	read -r line <&9 &&
	test "$line" = start &&
	kill $pid &&
	wait $pid &&
	exec 9<&-
'

# Git writes all its events in three formats. Those of one, in the others, are
# the same, but for control characters within a text: no command here has any.
repo=$(pwd)/live/a\ b

# live CODE ARG...: of Git on this machine, run in that repository.
live () {
	code=$1 &&
	shift &&
	rm -f live.* &&
	GIT_TRACE2_EVENT="$(pwd)/live.event" GIT_TRACE2="$(pwd)/live.normal" \
		GIT_TRACE2_PERF="$(pwd)/live.perf" GIT_TRACE2_REDACT=0 \
		GIT_TRACE2_EVENT_NESTING=100 GIT_TRACE2_ENV_VARS=HOME \
		HOME="$(pwd)/live" GIT_CONFIG_NOSYSTEM=1 \
		test_expect_code "$code" git -C "$repo" "$@" >out 2>err &&
	for target in normal perf
	do
		trace2 script --git-$target live.event >out &&
		mask out >actual &&
		mask live.$target >expect &&
		test_file_not_empty expect &&
		test_cmp expect actual || return 1
	done &&
	trace2 script --git-event live.event | sort >actual &&
	sort live.event >expect &&
	test_cmp expect actual
}

test_expect_success GIT 'script prints the lines of Git: directories with blanks, many repositories' '
	mkdir -p "$repo" &&
	cat >live/.gitconfig <<-\EOF &&
	[user]
		name = a
		email = a@b
	[gc]
		auto = 0
	[maintenance]
		auto = false
	[protocol "file"]
		allow = always
	EOF
	live 0 init -q ../sub &&
	live 0 -C ../sub commit -q --allow-empty -m sub &&
	live 0 init -q &&
	for i in 1 2 3 4 5 6 7 8 9
	do
		HOME="$(pwd)/live" git -C "$repo" submodule --quiet add \
			"file://$(pwd)/live/sub" s$i || return 1
	done &&
	live 0 submodule --quiet add "file://$(pwd)/live/sub" s10 &&
	live 0 commit -q -m first &&
	test_grep "worktree .*/a b'\''\$" live.normal &&
	live 0 status &&
	test_grep " | r10  | " live.perf
'

test_expect_success GIT 'script prints the lines of Git: bare repositories, aliases, hooks' '
	live 0 init -q --bare ../bare &&
	live 0 push -q ../bare HEAD:refs/heads/x &&
	live 0 -C ../bare log -1 x &&
	live 0 -c alias.st="status -s" st &&
	live 3 -c alias.x="!exit 3" x "a b" &&
	echo "exit 1" >"$repo/.git/hooks/pre-commit" &&
	chmod +x "$repo/.git/hooks/pre-commit" &&
	live 1 commit --allow-empty -m refused &&
	rm "$repo/.git/hooks/pre-commit" &&
	live 0 clone -q "file://$repo" ../clone &&
	live 0 worktree add -q "../tree !x" HEAD &&
	live 0 -C "../tree !x" status &&
	live 0 fetch -q "file://$(pwd)/live/sub" &&
	live 0 gc -q &&
	live 0 rebase -q HEAD
'

test_expect_success GIT 'script prints the lines of a Git command that fails' '
	live 1 checkout no-such-branch &&
	live 128 log no-such -- &&
	live 129 status --no-such &&
	live 1 no-such-command &&
	live 128 -C /no-such status &&
	live 128 cat-file -p HEAD:none
'

test_done

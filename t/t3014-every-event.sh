#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='every event of the table in every view of the command

The streams are made from the table of events, the list of views from the help
of the command: new events and new views are tested without a change here.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh

streams=$TEST_DIRECTORY/t3014/streams.perl
events=$TEST_DIRECTORY/../scrub/lib
variants="whole bare alone empty wrong huge"

# View all streams at once: otherwise each view of each stream would be a
# process.
usual="whole bare alone perf ring full"
odd="empty wrong huge"

# choices COMMAND --OPTION: print its valid values, one per line.
choices () {
	test_expect_code 2 trace2 "$1" "$2" no-such-value 2>err &&
	sed -n "1s/.*: it takes //p" err | tr "|" "\\n" >values &&
	test_line_count -gt 1 values &&
	cat values
}

# switches COMMAND: print its options without a value, except those that do not
# show a recording.
switches () {
	trace2 "$1" -h >usage &&
	sed -n "s/^  \(-.,\|   \) --\([a-z-]*\)  .*/--\2/p" usage |
		grep -v -x -e "--\(help\|no-pager\|follow\|env\|send\|record\)"
}

# A view is the words of a command, without input.
make_views () {
	choices list --format >formats &&
	for command in list report script check
	do
		sed "s/.*/$command --format=&/" formats &&
		switches $command |
			sed -e "/^--git-/{s/.*/$command &/;b" -e "}" \
				-e "s/.*/$command & --format=text/p; s/text\$/json/" ||
		return 1
	done &&
	choices export --table | sed "s/.*/export --to csv --table &/" &&
	choices export --to | sed -e "/^csv\$/d" -e "/^clickhouse\$/d" >formats &&
	while read -r to
	do
		test_might_fail trace2 export --to "$to" none 2>err &&
		grep -q "built without" err || echo "export --to $to"
	done <formats &&
	echo "export --to otlp --compat trace2receiver" &&
	echo "report --html page" &&
	echo "script -F time,t_abs,t_rel,sid,pid,depth,cmd,thread,event,repo,nesting,category,message,file" &&
	echo "report --summary --format=md" &&
	echo "list -v" &&
	echo "report --group cmd" &&
	echo "report --timers --per-thread" &&
	echo "report -t 1us -N *"
}

# view WORDS INPUT...: run it; JSON is collected in `json`, the rest in `text`.
# Only `check` fails because of errors in a stream.
# shellcheck disable=SC2086 # words
view () {
	words=$1 &&
	shift &&
	case "$words" in
	"export --to perf"|"export --to sqlite")
		rm -rf db &&
		words="$words -o db" ;;
	*--html*) rm -rf page ;;
	esac &&
	set -f &&
	set -- trace2 $words "$@" &&
	set +f &&
	case "$words" in
	script*--git-*) into=text ;;
	*=json|*chrome|*otlp*|*git-event) into=json ;;
	*) into=text ;;
	esac &&
	case "$words" in
	check*) test_expect_code 1 "$@" ;;
	*) "$@" ;;
	esac >>$into 2>err ||
	{
		cat >&4 err &&
		echo >&4 "this failed: $*" &&
		return 1
	}
}

# views FILE INPUTS: run each view in FILE.
# shellcheck disable=SC2086 # words
views () {
	rm -f json text &&
	while read -r words
	do
		view "$words" $2 || return 1
	done <"$1" &&
	test -s json &&
	test_grep ! "(null)" json &&
	test_grep ! "(null)" text &&
	jq . <json >pretty
}

test_expect_success 'setup: make the streams and list the views' '
	perl -I"$events" -MTrace2::Events \
		-e "print \"\$_->{name}\\n\" for @Trace2::Events::EVENTS" >names &&
	test_line_count -gt 20 names &&
	for variant in $variants
	do
		perl "$streams" "$events" $variant >$variant || return 1
	done &&
	jq -r .event whole | sort -u >actual &&
	sort names >expect &&
	test_cmp expect actual &&
	make_views >views &&
	test_line_count -gt 50 views &&
	for words in "list --open --format=json" "report --format=csv" \
		"report --errors --format=text" "script --format=text" \
		"script --git-perf" "check --format=json" \
		"export --to csv --table samples" "export --to git-event"
	do
		grep -F -x -e "$words" views || return 1
	done
'

test_expect_success 'setup: make streams of other targets, and a sentinel' '
	trace2 script --git-perf whole >perf &&
	mkdir ring full &&
	GIT_TRACE2_RING="$(pwd)/ring" GIT_TRACE2_SAMPLE=app/test/test2/:1 \
		test-tool trace2 allevents &&
	test_expect_code 143 env GIT_TRACE2_RING="$(pwd)/ring" \
		GIT_TRACE2_SIGNALS=TERM test-tool trace2 allevents TERM &&
	: >full/1 &&
	GIT_TRACE2_EVENT="$(pwd)/full" GIT_TRACE2_MAX_FILES=1 \
		test-tool trace2 001return 0
'

test_expect_success 'every view accepts every event in the list of events' '
	views views "$usual"
'

test_expect_success 'every view accepts events with missing, wrong and huge fields' '
	grep -v "to perf\|format=json" views >few &&
	views few "$odd"
'

test_expect_success LIBCURL 'export to a database server includes every event' '
	mkdir server &&
	{ "$PERL_PATH" "$TEST_DIRECTORY"/t3310/stand-in.perl server \
		>server.out 2>&1 & } &&
	server_pid=$! &&
	test_when_finished "kill $server_pid; wait $server_pid || :" &&
	wait_until test -e server/port &&
	trace2 export --to clickhouse $usual $odd \
		--url "http://127.0.0.1:$(cat server/port)"
'

test_expect_success 'views of events show each event in the list of events' '
	for input in whole alone
	do
		trace2 script --git-event $input >out &&
		trace2 list --events --format=json $input >list &&
		jq -r "\"\(input_filename) \(.event // .events[].event)\",
			if input_filename == \"list\" then empty else
				\"\(input_filename).all \(.)\" end" $input out list >told &&
		sed -n "s/^$input //p" told >events &&
		trace2 script -F event $input >actual &&
		test_cmp events actual &&
		sed -n "s/^$input\.all //p" told >expect &&
		sed -n "s/^out\.all //p" told >actual &&
		test_file_not_empty expect &&
		test_cmp expect actual &&
		sed -n "s/^list //p" told | sort >actual &&
		sort names >expect &&
		test_cmp expect actual || return 1
	done
'

# with_template NAME FILE: print the lines of FILE, which is a column of events,
# that have such a template in the table.
with_template () {
	perl -I"$events" -MTrace2::Events -e "
		my (\$template, \$file) = @ARGV;
		my %shown = map { \$_->{name} => defined \$_->{\$template} }
			@Trace2::Events::EVENTS;
		open(my \$in, q(<), \$file) or die;
		while (<\$in>) { chomp; print qq(\$_\\n) if \$shown{\$_}; }
	" "$1" "$2"
}

test_expect_success 'script --git-perf and --git-normal show each event that these formats have' '
	jq -r .event whole >events &&
	trace2 script --git-perf whole >perf &&
	cut -d "|" -f 4 perf | tr -d " " >actual &&
	with_template perf_message events >expect &&
	test_cmp expect actual &&
	trace2 script --git-normal whole >normal &&
	with_template normal events >expect &&
	test_line_count = $(($(wc -l <expect))) normal
'

test_expect_success 'script shows too_many_files, the event that a full directory gets' '
	test_write_lines "version       test-tool 1.0" too_many_files |
	test_prints trace2 script -F event,message full
'

test_done

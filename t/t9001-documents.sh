#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the examples of the documents are true'

. ./test-lib.sh

CC=${CC:-cc}
docs=$GIT_BUILD_DIR/Documentation

# Print the Nth block of C in a document.
c_block () {
	awk -v want="$2" '
	/^```c$/ || /^\[source,c\]$/ { nr++; inside = 1; next }
	inside && /^(```|----)$/ {
		if (/^```/ || opened)
			inside = opened = 0
		else
			opened = 1
		next
	}
	inside && nr == want { print }
	' "$1"
}

# Print the output that a document shows after the command that begins so,
# without indentation.
shown_after () {
	awk -v want="    \$ $2" '
	index($0, want) == 1 { on = 1; next }
	on && /^    / { print substr($0, 5); seen = 1; next }
	on && seen { exit }
	' "$1"
}

build () {
	"$CC" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror \
		-I"$GIT_BUILD_DIR"/lib "$1" -o "${1%.c}" \
		"$GIT_BUILD_DIR"/build/lib/libtrace2.a -pthread
}

# Times, ids and addresses inside the library differ from run to run.
scrub () {
	sed -e 's/[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\.[0-9]\{6\}/TIME/g' \
	    -e 's/[0-9]\{4\}-[0-9][0-9]-[0-9][0-9]TTIMEZ/DATE/g' \
	    -e 's/[0-9]\{8\}T[0-9.]*Z-H[0-9a-f]*-P[0-9a-f]*/SID/g' \
	    -e 's/[0-9]*\.[0-9]\{6\}/SECONDS/g' \
	    -e 's/pid:[0-9]*/pid:PID/' \
	    -e 's/ *$//' \
	    -e 's/close\.c:[0-9]*  */close.c:N /' "$@"
}

test_expect_success CC,!INSTRUMENTED 'README: the ten lines of C run' '
	c_block "$GIT_BUILD_DIR"/README.md 1 |
		sed "s/<trace2.h>/\"trace2.h\"/" >ten.c &&
	test_line_count -gt 9 ten.c &&
	build ten.c
'

for format in '' _EVENT
do
	command="GIT_TRACE2$format=1"
	case "$format" in
	?*) command="$command GIT_TRACE2${format}_BRIEF=1" ;;
	esac
	command="$command ./ten"
	test_expect_success CC,!INSTRUMENTED "README: $command prints the output shown" '
		shown_after "$GIT_BUILD_DIR"/README.md "$command" |
			scrub >expect &&
		test_line_count -gt 4 expect &&
		eval "$command" 2>trace &&
		scrub trace >actual &&
		test_cmp expect actual
	'
done

test_expect_success CC,!INSTRUMENTED 'trace2-api: the first program runs' '
	c_block "$docs"/trace2-api.adoc 1 >resize.c &&
	test_line_count -gt 45 resize.c &&
	build resize.c &&
	awk "/cut -c6-17,30-46,53-/ { on = 1 } /^----/ { dashes += on } \
	     dashes == 1 && !/^----/" "$docs"/trace2-api.adoc | scrub >expect &&
	test_line_count -gt 10 expect &&
	GIT_TRACE2_PERF=1 GIT_TRACE2_PERF_BRIEF=1 ./resize 2>trace &&
	cut -c6-17,30-46,53- trace | scrub >actual &&
	test_cmp expect actual
'

test_expect_success !INSTRUMENTED 'trace2-api: the first program compiles as C++' '
	awk "/^\[source,cpp\]/ { on = 1 } /^----/ && on { dashes++ } \
	     on && dashes == 1 && !/^----/" "$docs"/trace2-api.adoc |
		sed "s/<trace2.hpp>/\"trace2.hpp\"/" >decode.cc &&
	test_line_count -gt 15 decode.cc &&
	if command -v g++
	then
		g++ -std=c++17 -Wall -Wextra -Werror -I"$GIT_BUILD_DIR/lib" \
			-o decode decode.cc "$GIT_BUILD_DIR"/build/lib/libtrace2.a \
			-pthread &&
		GIT_TRACE2_PERF="$PWD/perf" ./decode &&
		test_grep "th01:decoder.*region_leave.*image" perf &&
		test_grep "data_json.*picture.*a.png" perf &&
		test_grep "th01:decoder.*th_timer.*decode" perf
	fi
'

test_expect_success CC,!INSTRUMENTED 'trace2-api: the example of values prints the output shown' '
	c_block "$docs"/trace2-api.adoc 2 >values.c &&
	build values.c &&
	GIT_TRACE2_PERF="$PWD/perf" GIT_TRACE2_PERF_BRIEF=1 \
		GIT_TRACE2_EVENT="$PWD/trace.event" ./values >out &&
	echo "3 requests so far" | test_cmp - out &&
	shown_after "$docs"/trace2-api.adoc "GIT_TRACE2_PERF=1 GIT_TRACE2_PERF_BRIEF=1 ./values" |
		scrub >expect &&
	test_line_count = 5 expect &&
	tail -5 perf | cut -c33-46,53- | scrub >actual &&
	test_cmp expect actual &&
	shown_after "$docs"/trace2-api.adoc "trace2 report --distributions trace.event" >expect &&
	test_line_count = 2 expect &&
	trace2 report --distributions trace.event >actual &&
	test_cmp expect actual
'

test_expect_success CC,JQ,!INSTRUMENTED 'trace2-api: the example server with spans runs' '
	sed -n "/^== Spans/,/^== Misuse/p" "$docs"/trace2-api.adoc >section &&
	c_block section 1 >server.c &&
	test_line_count -gt 40 server.c &&
	build server.c &&
	shown_after "$docs"/trace2-api.adoc "GIT_TRACE2_EVENT=\$PWD/trace ./server" >expect &&
	test_line_count = 4 expect &&
	rm -f trace &&
	GIT_TRACE2_EVENT="$PWD/trace" ./server &&
	jq -c "select(.key == \"span\").value | [.name, .attributes, .failed]" trace | sort >actual &&
	test_cmp expect actual
'

test_expect_success CC,JQ,!INSTRUMENTED 'trace2-api: the example daemon runs' '
	sed -n "/^== Programs that run for long/,/^== Events for/p" "$docs"/trace2-api.adoc >section &&
	c_block section 1 >httpd.c &&
	test_line_count -gt 30 httpd.c &&
	build httpd.c &&
	shown_after section "GIT_TRACE2_EVENT=\$PWD/httpd.trace ./httpd" >expect &&
	test_line_count = 11 expect &&
	rm -f httpd.trace httpd.trace.1 &&
	GIT_TRACE2_EVENT="$PWD/httpd.trace" ./httpd &&
	jq -r "[input_filename, .event, .key // .part // .count, .value.count? // .value] |
		map(tostring) | join(\" \")" httpd.trace.1 httpd.trace >actual &&
	test_cmp expect actual
'

test_expect_success CC,!INSTRUMENTED 'trace2-api: the example sink runs' '
	sed -n "/^== Events for the program itself/,/^== Misuse/p" "$docs"/trace2-api.adoc >section &&
	c_block section 1 >logs.c &&
	test_line_count -gt 20 logs.c &&
	build logs.c &&
	shown_after section "./logs" >expect &&
	test_line_count = 1 expect &&
	./logs >actual &&
	test_cmp expect actual
'

# List the sources in tree/ that include one of the tables REGEX, from the
# dependencies beside their objects in DIR.
use_the_tables () {
	(
		cd "$GIT_BUILD_DIR/$2" &&
		find . -name "*.d" -exec grep -l "$1" {} +
	) |
	sed -e "s|^\.|tree/${2##*/}|" -e "s|d\$|c|" |
	while read -r file
	do
		test ! -f "$file" || echo "$file"
	done
}

# Put the code block N of PAGE into a file of tree/: before its first #undef, or at
# the end.
put_block () {
	c_block "$docs/technical/$1" "$2" >block &&
	awk "function put() {
		while ((getline line < \"block\") > 0)
			print line
	} /^#undef/ && !nr++ { put() } { print } END { if (!nr) put() }" \
		"tree/$3" >whole &&
	mv whole "tree/$3"
}

# Compile the sources that a file lists into one object.
compile_as_one () {
	# shellcheck disable=SC2046 # no name in the tree has a space
	"$CC" -std=c11 -D_GNU_SOURCE "-DTRACE2_VERSION=\"0\"" \
		-Itree/lib -Itree/tool \
		-idirafter "$GIT_BUILD_DIR/build/kernel-headers" \
		-r -nostdlib -o "$1" $(cat "$2")
}

# As they are to be put in: make check compiles all that uses the table.
test_expect_success CC,!INSTRUMENTED 'adding-an-event: the function of the example compiles' '
	mkdir -p tree &&
	cp -R "$GIT_BUILD_DIR"/lib "$GIT_BUILD_DIR"/tool tree/ &&
	c_block "$docs"/technical/adding-an-event.adoc 1 \
		>>tree/lib/event/events.def &&
	c_block "$docs"/technical/adding-an-event.adoc 2 >declaration &&
	awk "/^#ifdef __cplusplus/ && ++nr == 2 {
		while ((getline line < \"declaration\") > 0)
			print line
	} { print }" tree/lib/trace2.h >header &&
	mv header tree/lib/trace2.h &&
	c_block "$docs"/technical/adding-an-event.adoc 3 \
		>>tree/lib/api/command.c &&
	"$CC" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -Itree/lib \
		-fsyntax-only tree/lib/api/command.c tree/lib/event/render_json.c
'

test_expect_success CC,!INSTRUMENTED 'adding a view, an export and a setting: the examples compile' '
	put_block adding-a-view.adoc 1 tool/report/report_views.def &&
	c_block "$docs"/technical/adding-a-view.adoc 2 >tree/tool/report/report_sids.c &&
	put_block adding-an-export.adoc 1 tool/export/formats.def &&
	c_block "$docs"/technical/adding-an-export.adoc 2 >tree/tool/export/sids.c &&
	put_block adding-an-export.adoc 3 tool/export/export_options.def &&
	put_block adding-a-setting.adoc 1 lib/config/settings.def &&
	put_block adding-a-setting.adoc 2 lib/part/parts.def &&
	c_block "$docs"/technical/adding-a-setting.adoc 3 >tree/lib/part/team.c &&
	"$CC" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror "-DTRACE2_VERSION=\"0\"" \
		-Itree/lib -Itree/tool -fsyntax-only tree/tool/report/report_sids.c \
		tree/tool/report/report.c tree/tool/export/sids.c tree/tool/cmd/export.c \
		tree/tool/common/settings.c tree/lib/session/settings.c \
		tree/lib/session/parts.c tree/lib/part/team.c
'

test_expect_success EXPENSIVE,CC,!INSTRUMENTED 'adding an event and a setting: the examples run' '
	cat >stage.c <<-\EOT &&
	#include "trace2.h"
	int main(int argc, char **argv)
	{
		(void)argc;
		trace2_initialize();
		trace2_cmd_start(argv);
		trace2_cmd_stage("link\n", 2);
		trace2_cmd_stage("run", 0);
		return trace2_cmd_exit(0);
	}
	EOT
	use_the_tables "\(event/events\|config/settings\|part/parts\)\.def" \
		"build/obj/$CONFIG/lib" >changed &&
	test_grep "tree/lib/event/render_json\.c" changed &&
	echo tree/lib/part/team.c >>changed &&
	compile_as_one lib.o changed &&
	"$CC" -Itree/lib -o stage stage.c lib.o \
		"$GIT_BUILD_DIR"/build/lib/libtrace2.a -pthread &&
	GIT_TRACE2=1 GIT_TRACE2_BRIEF=1 ./stage 2>actual &&
	test_grep "^cmd_stage link.n (2)$" actual &&
	test_grep "^cmd_stage run$" actual &&
	GIT_TRACE2_EVENT=1 ./stage 2>actual &&
	test_grep "\"name\":\"link.n\",\"number\":2}$" actual &&
	GIT_TRACE2=1 GIT_TRACE2_BRIEF=1 GIT_TRACE2_TEAM=red ./stage 2>actual &&
	test_grep "^def_param scope:global team=red$" actual
'

# No other file of the command needs a change.
test_expect_success EXPENSIVE,CC,!INSTRUMENTED 'the examples of event, view, export and setting work in the command' '
	use_the_tables "event/events\.def" "$TOOL_OBJ/tool" >changed &&
	test_grep "tree/tool/model/build/build\.c" changed &&
	for file in report/report_sids report/report export/sids cmd/export common/settings
	do
		echo "tree/tool/$file.c" >>changed || return 1
	done &&
	sort -u -o changed changed &&
	compile_as_one tool.o changed &&
	mkdir objects &&
	cp -R "$GIT_BUILD_DIR/$TOOL_OBJ"/*.o \
		"$GIT_BUILD_DIR/$TOOL_OBJ"/tool objects/ &&
	sed "s|^tree\(.*\)\.c$|objects\1.o|" changed | xargs rm -f &&
	(
		cd objects &&
		find tool -name "*.o" | while read -r object
		do
			test -f "../tree/${object%.o}.c" ||
			test -f "../tree/${object%.o}.cc" || rm "$object" ||
			exit 1
		done
	) &&
	"$CXX" -o trace2 tool.o lib.o $(find objects -name "*.o") \
		"$GIT_BUILD_DIR"/build/lib/libtrace2.a $LINK_FLAGS $TOOL_LIBS &&
	GIT_TRACE2_EVENT="$(pwd)/event" GIT_TRACE2_PERF="$(pwd)/perf" \
		GIT_TRACE2_RING="$(pwd)/ring" ./stage &&
	printf "%s\n" "cmd_stage     link\\n (2)" "cmd_stage     run" >expect &&
	for input in event perf ring
	do
		./trace2 script -F event,message $input >out &&
		grep "^cmd_stage" out >actual &&
		test_cmp expect actual &&
		./trace2 script --git-normal $input >out &&
		test_grep "cmd_stage link.n (2)$" out &&
		./trace2 list --events --format=csv $input >out &&
		test_grep "^2,cmd_stage" out &&
		./trace2 check $input || return 1
	done &&
	./trace2 report --sids --format=csv event >out &&
	./trace2 export --to sids event >sids &&
	sed "1d; s/.*,//" out >actual &&
	test_line_count = 1 sids &&
	test_cmp sids actual &&
	test_expect_code 2 ./trace2 export --to csv --quoted event 2>err &&
	test_grep "quoted needs --to=sids" err &&
	./trace2 help GIT_TRACE2_TEAM >out &&
	test_grep "trace2.team" out
'

test_expect_success CC,!INSTRUMENTED 'adding a part: the example counts the threads that ended' '
	mkdir -p part &&
	cp -R "$GIT_BUILD_DIR"/lib part/ &&
	c_block "$docs"/technical/adding-a-part.adoc 1 >row &&
	c_block "$docs"/technical/adding-a-part.adoc 2 >part/lib/part/ended.c &&
	awk "/^#undef PART\$/ {
		while ((getline line < \"row\") > 0)
			print line
	} { print }" part/lib/part/parts.def >parts &&
	mv parts part/lib/part/parts.def &&
	cat >threads.c <<-\EOT &&
	#include "trace2.h"
	static void *work(void *unused)
	{
		trace2_printf("work");
		return unused;
	}
	int main(int argc, char **argv)
	{
		pthread_t thread;

		(void)argc;
		trace2_initialize();
		trace2_cmd_start(argv);
		trace2_pthread_create(&thread, NULL, "worker", work, NULL);
		pthread_join(thread, NULL);
		return trace2_cmd_exit(0);
	}
	EOT
	"$CC" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -Ipart/lib -o threads \
		threads.c part/lib/session/parts.c part/lib/part/ended.c \
		"$GIT_BUILD_DIR"/build/lib/libtrace2.a -pthread &&
	GIT_TRACE2_PERF=1 GIT_TRACE2_PERF_BRIEF=1 ./threads 2>actual &&
	test_grep "thread  *| ended:1\$" actual
'

test_expect_success CC,!INSTRUMENTED 'adding a metric kind: the example compiles' '
	rm -rf tree &&
	mkdir tree &&
	cp -R "$GIT_BUILD_DIR"/lib "$GIT_BUILD_DIR"/tool tree/ &&
	page=adding-a-metric-kind.adoc &&
	put_block $page 1 lib/arena/kinds.def &&
	c_block "$docs"/technical/$page 2 >block &&
	sed -e "s/TRACE2_METRIC_GAUGE$/&, TRACE2_METRIC_PEAK/" \
		-e "/TRACE2_READ_(trace2_gauge_read_on_/r block" \
		"$GIT_BUILD_DIR"/lib/trace2_metric.h >tree/lib/trace2_metric.h &&
	c_block "$docs"/technical/$page 3 >>tree/lib/api/metric.c &&
	c_block "$docs"/technical/$page 4 >block &&
	sed "/^#define GAUGE_SORT/r block" \
		"$GIT_BUILD_DIR"/tool/report/report_metrics.c \
		>tree/tool/report/report_metrics.c &&
	"$CC" -std=c11 -D_GNU_SOURCE -Wall -Werror "-DTRACE2_VERSION=\"0\"" \
		-Itree/lib -Itree/tool -fsyntax-only \
		tree/lib/api/metric.c tree/lib/api/metric_read.c \
		tree/lib/metric/def.c tree/lib/metric/open.c \
		tree/lib/part/metrics.c tree/tool/report/report.c \
		tree/tool/report/report_metrics.c tree/tool/model/model.c
'

test_expect_success 'NEWS begins with the current version' '
	sed -n "s/^## //p" "$GIT_BUILD_DIR"/NEWS.md | head -n 1 >actual &&
	echo "$TRACE2_VERSION" | test_cmp - actual
'

test_expect_success 'links of README, CONTRIBUTING and NEWS exist' '
	for page in README CONTRIBUTING NEWS
	do
		grep -o "](\([^)#][^)]*\))" "$GIT_BUILD_DIR"/$page.md || return 1
	done | sed "s/^](//; s/)\$//" >links &&
	test_line_count -gt 3 links &&
	while read -r link
	do
		test_path_exists "$GIT_BUILD_DIR/$link" || return 1
	done <links
'

test_done

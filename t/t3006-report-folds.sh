#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 report of many processes fits a screen'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stream.sh
. "$TEST_DIRECTORY"/lib-terminal.sh

# build N: a top that runs N compilers one after the other, 20 ms each, with a
# child of their own; the last one is slow; then a linker, and a short program.
build () {
	begin P 0 make && at=10 && i=0 &&
	while test "$i" -lt "$1"
	do
		ms=20 &&
		if test "$i" = $(($1 - 1))
		then
			ms=100
		fi &&
		begin "P/C$i" "$at" /usr/bin/cc &&
		begin "P/C$i/D$i" $((at + 5)) /usr/lib/cc1 &&
		event "P/C$i/D$i" $((at + ms - 5)) atexit &&
		event "P/C$i" $((at + ms)) atexit &&
		at=$((at + ms)) &&
		i=$((i + 1)) || return 1
	done &&
	begin P/L "$at" ld && event P/L $((at + 50)) atexit &&
	begin P/T $((at + 50)) touch && event P/T $((at + 51)) atexit &&
	event P $((at + 60)) atexit
}

# rows_of FILE: its rows of processes, with one space between the cells. JSON has
# no rows of many.
rows_of () {
	sed "1,/ PROCESS\$/d" "$1" | sed -n "/^ *[0-9]/{
		s/^ *//
		s/  */ /g
		p
	}"
}

test_expect_success 'report: processes of one kind share a row below the row of their parents' '
	build 60 >many.event &&
	test_prints trace2 report many.event <<-\EOF
	1.350 s wall
	123 processes, 369 events

	TIME ms  SHARE  CRITICAL PATH BY KIND
	680.000  50.4%  cc1 x 60 in cc
	600.000  44.4%  cc x 60
	 50.000   3.7%  ld
	 19.000   1.4%  make
	  1.000   0.1%  1 more, each less than 0.5%
	(without states of threads, processes that only waited are on the path, too)

	WALL s  SELF s   SHARE     PROCESS
	 1.350   0.019  100.0%     make
	 1.280   0.600   94.8%     ├ cc x 60 (20.0ms, max 100ms)
	 0.680   0.680   50.4%     │ └ cc1 x 60 (10.0ms, max 90.0ms)
	 0.050   0.050    3.7%  ?  └ ld
	 0.001   0.001             1 more in 1 row, each less than 0.5%
	x N: sums of N processes; in brackets the median and the largest WALL
	? likely, but not certainly, a child of the process above it
	EOF
'

test_expect_success 'report: a folded row has the CPU time of all processes in it' '
	{
		echo 0 0 fork 10 10 1 1 &&
		echo 0 0 in 10 10 &&
		echo 1 0 comm 10 10 make exec &&
		for i in $(test_seq 50)
		do
			at=$((i * 100)) && pid=$((10 + i)) &&
			echo $at 0 fork $pid $pid 10 10 &&
			echo $at 0 out 10 10 &&
			echo $((at + 10)) 0 in $pid $pid &&
			echo $((at + 11)) 0 comm $pid $pid cc exec &&
			echo $((at + 60)) 0 exit $pid $pid &&
			echo $((at + 70)) 0 in 10 10 || return 1
		done &&
		echo 6000 0 exit 10 10
	} | made r &&
	trace2 report r >out &&
	rows_of out >rows &&
	test_grep "^3.000 3.000 0.000 0.500 50.0% 1.050 └ cc x 50 (60us, max 60us)$" rows
'

test_expect_success 'report: --all and -n show single processes, JSON has all of them' '
	trace2 report --all many.event >out &&
	grep -c "├ cc$\|│ └ cc1$" out >actual &&
	trace2 report -n 5 many.event >out &&
	grep -c "├ cc$\|│ └ cc1$" out >>actual &&
	test_write_lines 240 2 | test_cmp - actual
'

test_expect_success JQ 'report: JSON has every process, and every step of the critical path' '
	trace2 report --format=json many.event >json &&
	jq "(.processes | length), (.critical_path | length)" json >actual &&
	test_write_lines 123 123 | test_cmp - actual
'

test_expect_success 'report: filters apply before processes are folded' '
	trace2 report --cmd cc1 many.event >out &&
	rows_of out >actual &&
	trace2 report -t 50ms many.event >out &&
	rows_of out >>actual &&
	test_cmp - actual <<-\EOF
	680.000 680.000 50.4% cc1 x 60 (10.0ms, max 90.0ms)
	1.350 0.019 100.0% make
	0.100 0.010 7.4% ? ├ cc
	0.090 0.090 6.7% ? │ └ cc1
	0.050 0.050 3.7% ? └ ld
	EOF
'

test_expect_success 'report: a tree that fits on a screen is not folded' '
	build 18 >few.event &&
	trace2 report few.event >out &&
	echo 72 | test_prints grep -c "├ cc$\|│ └ cc1$" out
'

# Forty kinds are too many for forty rows with make and the rest.
test_expect_success 'report: tree and critical path have at most 40 rows, the last sums up the rest' '
	{
		begin P 0 make && i=1 &&
		while test "$i" -lt 60
		do
			begin "P/C$i" $((i * 10)) "prog$i" &&
			event "P/C$i" $((i * 10 + 5 + i % 2)) atexit &&
			i=$((i + 1)) || return 1
		done &&
		event P 600 atexit
	} >kinds.event &&
	trace2 report kinds.event >out &&
	sed -n "/WALL/,\$p" out | sed "1d; /^? likely/d" >tree &&
	test_line_count = 40 tree &&
	sed -n "\$p" tree >actual &&
	test_grep "21 more in 21 rows, each less than 0.9%$" actual &&
	sed -n "/CRITICAL/,/^(/p" out | sed "1d; \$d" >path &&
	test_line_count = 40 path &&
	awk "{ sum += \$1 } END { printf \"%.0f\n\", sum }" path >actual &&
	echo 600 | test_cmp - actual
'

test_expect_success 'report: command lines are cut in the middle, except with --wide' '
	{
		begin P 0 make &&
		event P/C 10 version "\"evt\":\"4\",\"exe\":\"1\"" &&
		event P/C 10 start "\"t_abs\":0.0,\"argv\":[\"cc\",\"-O2\",\"-I/a/directory/that/has/a/name/too/long/to/be/read\",\"-D_GNU_SOURCE\",\"-o\",\"file.o\",\"file.c\"]" &&
		event P/C 90 atexit && event P 100 atexit
	} >long.event &&
	trace2 report long.event >out &&
	test_grep "├ cc -O2 -I/a/dir.*….* -o file.o file.c$\|└ cc -O2 -I/a/dir.*….* -o file.o file.c$" out &&
	"$PERL_PATH" -CI -ne "chomp; print if length > 100" <out >wide &&
	test_must_be_empty wide &&
	trace2 report --wide long.event >out &&
	test_grep "└ cc -O2 -I/a/directory/.*/read -D_GNU_SOURCE -o file.o file.c$" out
'

test_expect_success 'report: a cut command line keeps the file that it works on' '
	{
		begin P 0 make &&
		i=0 &&
		while read -r line
		do
			i=$((i + 10)) &&
			event P $i child_start "\"child_id\":$i,\"child_class\":\"?\",\"use_shell\":true,\"argv\":[\"$line\"]" &&
			event P $((i + 9)) child_exit "\"child_id\":$i,\"pid\":$i,\"code\":0,\"t_rel\":0.009" ||
			return 1
		done <<-\EOF &&
		cc1 -quiet -I lib -I tool -D_GNU_SOURCE lib/arena/arena.c -quiet -dumpbase arena.c -dumpbase-ext .c -funwind-tables -o /tmp/ccuvlgDz.s
		clang -cc1 -triple x86_64-pc-linux-gnu -emit-obj -main-file-name no.c -o lib/yes.o -x c lib/yes.c -faddrsig -fcolor-diagnostics
		rustc --crate-name serde --edition=2021 /home/u/serde/src/lib.rs --error-format=json --crate-type lib --out-dir /home/u/target
		as --64 -I lib -I tool --gdwarf-5 -o build/obj/lib/ring.o /tmp/ccuvlgDz.s --noexecstack --compress-debug-sections --fatal-warnings
		cc1 -quiet -I lib -I tool -D_GNU_SOURCE /a/directory/with/a/name/that/is/longer/than/the/line/file.c -quiet -o /tmp/ccuvlgDz.s
		EOF
		event P 100 atexit
	} >compilers.event &&
	trace2 report compilers.event >out &&
	sed -n "s/.*%  .*\[/[/p; /^WALL/q" out >actual &&
	test_cmp - actual <<-\EOF
	[cc1 -quiet -I lib -I tool -D_GNU_SOURCE lib/arena/arena.c…]
	[clang -cc1 -triple x86_64-pc-linux-gnu … lib/yes.c -faddrsig -fcolor-diagnostics]
	[rustc --crate-name serde --edition=2021 /home/u/serde/src/lib.rs…]
	[as --64 -I lib -I tool --gdwarf-5 -o build/obj/lib/ring.o…]
	[cc1 -quiet -I lib -I tool…ctory/with/a/name/that/is/longer/than/the/line/file.c…]
	EOF
'

# Lines of 52 columns have room for a part of the name.
test_expect_success TTY 'report on a narrow terminal shortens the name of a folded row, not its numbers' '
	sed "s,/usr/lib/cc1,/usr/lib/compiler-with-a-rather-long-name," \
		many.event >named.event &&
	COLUMNS=52 TERM=dumb test_terminal trace2 report named.event >out &&
	test_grep "[0-9]%  compiler-wit…er-long-name x 60 in cc$" out &&
	test_grep "^WALL s  SELF s  *PROCESS" out &&
	test_grep "│ └ co… x 60 (10.0ms, max 90.0ms)$" out &&
	"$PERL_PATH" -CI -ne "chomp; print if length > 52 && !/^[(x?]/" <out >wide &&
	test_must_be_empty wide
'

test_expect_success TTY 'report on a terminal names the option that shows functions of one program' '
	made busy <<-\EOF &&
	top busy
	900 0 exit 10 10
	EOF
	COLUMNS=80 TERM=dumb test_terminal trace2 report busy >out &&
	test_grep "^(trace2 record --profile shows in which functions busy computes)$" out &&
	trace2 report busy >out &&
	test_grep ! "profile" out
'

test_expect_success TTY 'report: a heading is no wider than its column' '
	COLUMNS=45 TERM=dumb test_terminal trace2 report --summary many.event >out &&
	test_grep "^TIME ms  SHARE  LARGEST PARTS OF THE CRITICA…$" out &&
	COLUMNS=130 TERM=dumb test_terminal trace2 report --summary many.event >out &&
	test_grep "^TIME ms  SHARE  LARGEST PARTS OF THE CRITICAL PATH$" out
'

test_expect_success TTY 'report on a terminal breaks the lines above tables at a semicolon' '
	{
		cat long.event &&
		event P 20 error "\"msg\":\"no\",\"fmt\":\"no\""
	} >failed.event &&
	trace2 report failed.event >out &&
	sed 2q out >actual &&
	COLUMNS=45 TERM=dumb test_terminal trace2 report failed.event >out &&
	sed 3q out >>actual &&
	test_cmp - actual <<-\EOF
	100.000 ms wall
	3 processes, 7 events; 1 error (report --errors)
	100.000 ms wall
	3 processes, 7 events;
	1 error (report --errors)
	EOF
'

# Each runs `work`, the scripts 50, 51 and so on to 61 ms; t50 to t53 share a row.
test_expect_success 'report: many scripts of one interpreter share a row, the longest have their own' '
	{
		begin P 0 make && at=0 && i=50 &&
		while test "$i" -lt 62
		do
			event P "$at" child_start "\"child_id\":$i,\"child_class\":\"?\",\"use_shell\":false,\"argv\":[\"sh\",\"t$i-x.sh\"]" &&
			event P/S$i $at version "\"evt\":\"4\",\"exe\":\"1\"" &&
			event P/S$i $at start "\"t_abs\":0.0,\"argv\":[\"/bin/sh\",\"t$i-x.sh\"]" &&
			for k in 1 2 3
			do
				begin "P/S$i/W$k" $((at + 10 * k)) work &&
				event "P/S$i/W$k" $((at + 10 * k + 10)) atexit || return 1
			done &&
			event P/S$i $((at + i)) atexit &&
			event P $((at + i)) child_exit "\"child_id\":$i,\"pid\":1,\"code\":0,\"t_rel\":0.0$i" &&
			at=$((at + i)) && i=$((i + 1)) || return 1
		done &&
		event P "$at" atexit
	} >scripts.event &&
	trace2 report scripts.event >out &&
	sed -n "s/.*%  *?*  *\([├└│].*\)/\1/p" out >actual &&
	{
		cat <<-\EOF &&
		├ sh t5*-x.sh x 4 (51.0ms, max 53.0ms)
		│ └ work x 12 (10.0ms, max 10.0ms)
		EOF
		for i in 54 55 56 57 58 59 60
		do
			echo "├ sh t$i-x.sh" && echo "│ └ work x 3 (10.0ms, max 10.0ms)" || return 1
		done &&
		echo "└ sh t61-x.sh" && echo "└ work x 3 (10.0ms, max 10.0ms)"
	} >expect &&
	test_cmp expect actual
'

test_expect_success 'report: subcommands of one program are not taken for scripts' '
	sed "s|/bin/sh|git|; s|\"sh\"|\"git\"|; s|\(t[0-9]*\)-x.sh|\1|" scripts.event >commands.event &&
	trace2 report commands.event >out &&
	test_grep "git t61" out &&
	test_grep "git t50" out &&
	test_grep ! "git.*[*]" out
'

# Of the names, the second bytes of the first and the last character agree with
# those of others, or the first bytes do.
test_expect_success 'report: names of scripts are shortened by whole characters' '
	"$PERL_PATH" -pe "s/\"t(5[0-9])-x.sh/\"\xc3@{[\$1 % 2 ? qq(\xa9) : qq(\xa8)]}\$1@{[\$1 % 2 ? qq(\xc3) : qq(\xc2)]}\xa9.sh/" \
		scripts.event >letters.event &&
	trace2 report letters.event >out &&
	echo "*.sh" | test_prints sed -n "s/.*├ sh \(.*\) x 4 .*/\1/p" out
'

test_expect_success 'report draws trees in ASCII in a locale without UTF-8' '
	LC_ALL=C trace2 report few.event >out &&
	test_grep "	*|-cc$" out &&
	test_grep "| .-cc1$" out &&
	test_grep "  .-touch$" out &&
	"$PERL_PATH" -ne "print if /[^\\n -~]/" <out >actual &&
	test_must_be_empty actual &&
	LC_ALL= LC_CTYPE= LANG=de_DE.utf8 trace2 report few.event >out &&
	test_grep "├ cc$" out
'

test_expect_success 'report --summary has the command, the totals and the largest parts' '
	build 60 >many.event &&
	test_prints trace2 report --summary many.event <<-\EOF &&
	make
	1.350 s wall
	123 processes, 369 events

	TIME ms  SHARE  LARGEST PARTS OF THE CRITICAL PATH
	680.000  50.4%  cc1 x 60 in cc
	600.000  44.4%  cc x 60
	 50.000   3.7%  ld
	 19.000   1.4%  make
	  1.000   0.1%  1 more, each less than 0.5%
	(without states of threads, processes that only waited are on the path, too)
	EOF
	trace2 report --summary --format=md many.event >out &&
	test_prints head -n 7 out <<-\EOF &&
	    make

	1.350 s wall; 123 processes, 369 events

	| TIME ms | SHARE | LARGEST PARTS OF THE CRITICAL PATH |
	|--:|--:|:--|
	| 680.000 | 50.4% | cc1 x 60 in cc |
	EOF
	trace2 report --summary --format=markdown many.event >actual &&
	test_cmp out actual
'

# w runs for 60 ms below a and s, and for 20 or 60 ms below b.
test_expect_success 'report --summary names the parents under which a kind spent most time, if any' '
	for ms in 20 60
	do
		{
			begin P 0 top &&
			begin P/A 0 a && begin P/A/S 0 s && begin P/A/S/W 0 w &&
			event P/A/S/W 60 atexit && event P/A/S 60 atexit &&
			event P/A 60 atexit &&
			begin P/B 60 b && begin P/B/W 60 w &&
			event P/B/W $((60 + ms)) atexit &&
			event P/B $((60 + ms)) atexit && event P 200 atexit
		} >place.event &&
		trace2 report --summary place.event >out &&
		sed -n "s/.* w x 2/w x 2/p" out || return 1
	done >actual &&
	test_write_lines "w x 2 in a > s" "w x 2" | test_cmp - actual
'

test_expect_success JQ 'report --summary --format=json prints one object' '
	trace2 report --summary --format=json many.event >json &&
	jq -c ".summary[0] | [.argv, .wall_ns, .lost]" json >actual &&
	jq -c ".parts[0] | [.kind, .processes, .in, .time_ns, .share, .state]" json >>actual &&
	test_cmp - actual <<-\EOF
	[["make"],1350000000,0]
	["cc1",60,"cc",680000000,0.503704,null]
	EOF
'

test_expect_success 'report --summary excludes views and filters; --format=markdown needs --summary' '
	while IFS="|" read -r options message
	do
		test_expect_code 2 trace2 report $options many.event 2>err &&
		test_grep -e "$message" err || return 1
	done <<-\EOF
	--summary --regions|--summary cannot be combined
	--summary --cmd cc|--summary cannot be combined
	--summary -n 3|--summary cannot be combined
	--summary --format=csv|--summary is not a table
	--format=md|--format=md needs --summary
	EOF
'

test_expect_success 'report --redact hides secrets in every view' '
	{
		event P 0 version "\"evt\":\"4\",\"exe\":\"1\"" &&
		event P 0 start "\"t_abs\":0.0,\"argv\":[\"curl\",\"https://a:hunter2@b/\",\"--x\"]" &&
		event P 1 data "\"nesting\":1,\"category\":\"c\",\"key\":\"password\",\"value\":\"hunter2\"" &&
		event P 2 data "\"nesting\":1,\"category\":\"c\",\"key\":\"url\",\"value\":\"https://a:hunter2@b/\"" &&
		event P 3 error "\"msg\":\"no https://a:hunter2@b/\",\"fmt\":\"no %s\"" &&
		event P 4 region_enter "\"nesting\":1,\"category\":\"c\",\"label\":\"token=hunter2\"" &&
		event P 5 region_leave "\"nesting\":1,\"category\":\"c\",\"label\":\"token=hunter2\"" &&
		event P 9 atexit
	} >secret.event &&
	for view in "" --summary --data --errors --regions "-g cmd" --all
	do
		for format in text json
		do
			trace2 report $view --format=$format --redact secret.event >out &&
			test_grep ! hunter2 out || return 1
		done
	done &&
	for view in "" --summary --data --errors --regions
	do
		trace2 report $view secret.event >out &&
		test_grep hunter2 out || return 1
	done &&
	trace2 report --redact secret.event >out &&
	test_grep "curl https://a:<REDACTED>@b/ --x" out
'

test_done

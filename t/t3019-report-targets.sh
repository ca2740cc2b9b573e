#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 report -g target: the file that each process of a build made'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-prereq.sh

test_skip_unless JQ

# process PID PPID FROM TO DIRECTORY ARGV: add a process that ran from FROM to
# TO, in ms
process () {
	jq -n -c --argjson pid "$1" --argjson ppid "$2" --argjson from "$3" \
		--argjson to "$4" --arg cwd "$5" --argjson argv "$6" '
		def at(ms): 5000000000 + ms * 1000000;
		{type: "fork", time_ns: at($from), pid: $pid, tid: $pid, ppid: $ppid, ptid: $ppid},
		{type: "comm", time_ns: (at($from) + 1), pid: $pid, tid: $pid,
			comm: ($argv[0] | split("/")[-1]), exec: true},
		{type: "argv", time_ns: (at($from) + 2), pid: $pid, argv: $argv, cwd: $cwd},
		{type: "exit", time_ns: at($to), pid: $pid, tid: $pid, ppid: $ppid, ptid: $ppid}
		' >>records
}

# build: make the recording r of the processes since the last one
build () {
	rm -rf r &&
	mkdir -p r/events r/targets &&
	jq -s -c "sort_by(.time_ns)[]" records >r/tasks.jsonl &&
	rm records &&
	jq -n -c "{format: \"trace2-recording\", version: 1, state: \"complete\",
		command: [\"make\"], command_pid: 10, cwd: \"/w\",
		start_wall_ns: 1700000000000000000, start_monotonic_ns: 5000000000}" \
		>r/meta.json
}

# targets: SUM WALL in ms, COUNT and GROUP of each row
targets () {
	trace2 report -g target --format=json r |
	jq -r ".groups[] | \"\(.total_ns / 1000000) \(.processes) \(.group)\""
}

# ninja_log VERSION: the log of the process 10, with tabs for blanks
ninja_log () {
	echo "# ninja log $1" >r/targets/10-5000000000.ninja_log &&
	tr " " "\\t" >>r/targets/10-5000000000.ninja_log
}

# Hashes are from a real log.
ninja_build () {
	process 10 1 0 100 /w '["ninja"]' &&
	process 11 10 1 31 /w/out '["/bin/sh","-c","gcc -O1 -c main.c -o main.o"]' &&
	process 12 11 2 30 /w/out '["gcc","-O1","-c","main.c","-o","main.o"]' &&
	process 13 12 3 20 /w/out '["cc1","-o","/tmp/cc1.s"]' &&
	process 14 10 40 45 /w/out '["/bin/sh","-c","printf x > a.txt && cp a.txt b.txt"]' &&
	process 15 14 41 42 /w/out '["cp","a.txt","b.txt"]' &&
	process 16 10 50 60 /w/out '["/bin/sh","-c","touch new"]' &&
	build
}

test_expect_success 'ninja: the log gives a target to a command and to child processes of it' '
	ninja_build &&
	ninja_log v5 <<-\EOF &&
	0 9 1 gone.o 36dd0750a071a6fa
	1 31 1 main.o 36dd0750a071a6fa
	40 45 1 b.txt 2e885cdb0f50df50
	40 45 1 a.txt 2e885cdb0f50df50
	50 60 1 old 1111111111111111
	EOF
	test_prints targets <<-\EOF
	100 1 -
	30 1 out/main.o
	5 1 out/a.txt
	EOF
'

# Hashes are of the code that ninja has.
test_expect_success 'ninja 1.13: targets are found in its log, which hashes commands differently' '
	process 17 10 61 81 /w/out "[\"/bin/sh\",\"-c\",\"python3 generate.py --first=aaaaaaaaaaaaaaaa --second=bbbbbbbbbbbbbbbbbbbb --third=cccccccccccccccccccc --output=all.inc\"]" &&
	process 18 10 82 90 /w/out "[\"/bin/sh\",\"-c\",\"cp a.txt b.txt && cp a.txt c.txt && touch all.stamp.of.this\"]" &&
	ninja_build &&
	ninja_log v7 <<-\EOF &&
	1 31 1 main.o 6b33c97ebd6cdaea
	40 45 1 a.txt bc0b527dae7d09b4
	50 60 1 new f3480e8f9edd73
	61 81 1 all.inc 7c8b202ddc2b5f9b
	82 90 1 all.stamp bd19b2178843bee2
	EOF
	test_prints targets <<-\EOF
	100 1 -
	30 1 out/main.o
	20 1 out/all.inc
	10 1 out/new
	8 1 out/all.stamp
	5 1 out/a.txt
	EOF
'

test_expect_success 'report --format=json and export --to csv have the target of each process' '
	trace2 report --format=json r >json &&
	test_prints jq -r ".processes[] | \"\(.pid) \(.target)\"" json <<-\EOF &&
	10 null
	11 out/main.o
	12 out/main.o
	13 out/main.o
	14 out/a.txt
	15 out/a.txt
	16 out/new
	17 out/all.inc
	18 out/all.stamp
	EOF
	trace2 export --to csv --table processes r >csv &&
	"$PERL_PATH" -F, -ane "
		\$. == 1 and @at{@F} = 0 .. \$#F or
			/,(out.[a-z.]+),/ and print qq(\$F[\$at{pid}] \$1\n)" csv >actual &&
	jq -r ".processes[] | select(.target) | \"\(.pid) \(.target)\"" json |
	test_cmp - actual
'

test_expect_success 'ninja: a log of an unknown version is reported; compilers name their targets' '
	ninja_build &&
	ninja_log v8 <<-\EOF &&
	1 31 1 wrong 36dd0750a071a6fa
	EOF
	targets >actual 2>err &&
	test_cmp - actual <<-\EOF &&
	100 1 -
	30 1 out/main.o
	EOF
	test_grep "unknown version of ninja.s log" err
'

test_expect_success 'ninja: an invalid line of the log is reported, and valid lines are used' '
	ninja_build &&
	ninja_log v6 <<-\EOF &&
	1 31 1
	40 45 1 b.txt 2e885cdb0f50df50 more
	40 45 1 a.txt 2e885cdb0f50df50
	EOF
	targets >actual 2>err &&
	test_grep "ninja_log.: line 2: not a line of ninja (and 1 more like it)" err &&
	test_grep "^5 1 out/a.txt$" actual
'

test_expect_success 'make: the target is the output of the compiler or ar, in its directory' '
	process 10 1 0 100 /w "[\"make\"]" &&
	process 11 10 1 11 /w "[\"x86_64-linux-gnu-gcc-12\",\"-o\",\"./a.o\",\"-c\",\"a.c\"]" &&
	process 12 10 20 30 /w "[\"sh\",\"-c\",\"ccache c++ -o ../b b.cc && strip ../b\"]" &&
	process 13 12 21 25 /w/sub "[\"ccache\",\"c++\",\"-o\",\"../b\",\"b.cc\"]" &&
	process 14 12 26 29 /w/sub "[\"strip\",\"../b\"]" &&
	process 15 10 40 90 /w "[\"make\",\"-C\",\"/else\"]" &&
	process 16 15 41 51 /else "[\"ar\",\"rcs\",\"lib.a\",\"x.o\"]" &&
	build &&
	test_prints targets <<-\EOF
	100 1 -
	10 1 a.o
	10 1 b
	10 1 /else/lib.a
	EOF
'

test_expect_success 'a nested build: jobs of make below ninja have their own targets' '
	process 10 1 0 100 /w "[\"ninja\"]" &&
	process 11 10 1 31 /w "[\"sh\",\"-c\",\"gcc main.o util.o -o prog\"]" &&
	process 12 11 2 30 /w "[\"make\"]" &&
	process 13 12 3 20 /w "[\"cc\",\"-o\",\"part\",\"part.c\"]" &&
	process 14 12 21 25 /w "[\"true\"]" &&
	build &&
	ninja_log v5 <<-\EOF &&
	1 31 1 whole 21b20ee0af94a2a3
	EOF
	test_prints targets <<-\EOF
	104 2 -
	30 1 whole
	17 1 part
	EOF
'

test_expect_success 'a job has no target if its command lines name none, or more than one' '
	process 10 1 0 100 /w "[\"make\"]" &&
	process 11 10 1 9 /w "[\"sh\",\"-c\",\"two\"]" &&
	process 12 11 2 4 /w "[\"gcc\",\"-o\",\"one\",\"1.c\"]" &&
	process 13 11 5 7 /w "[\"gcc\",\"-o\",\"two\",\"2.c\"]" &&
	process 14 11 7 8 /w "[\"strip\",\"one\"]" &&
	process 21 10 10 11 /w "[\"install\",\"-o\",\"root\",\"a\",\"b\"]" &&
	process 22 10 12 13 /w "[\"gcc\",\"-o\",\"/dev/null\",\"a.c\"]" &&
	process 23 10 14 15 /w "[\"gcc\",\"-o\",\"x\",\"a.c\",\"-o\",\"y\"]" &&
	process 24 10 16 17 /w "[\"ar\",\"t\",\"lib.a\",\"x.o\"]" &&
	process 25 10 18 19 /w "[\"gcc\",\"-c\",\"a.c\"]" &&
	build &&
	test_prints targets <<-\EOF
	100 1 -
	2 1 one
	2 1 two
	EOF
'

# named FILE: as targets, with names from FILE
named () {
	trace2 report -g target --targets="$1" --format=json r |
	jq -r ".groups[] | \"\(.total_ns / 1000000) \(.processes) \(.group)\""
}

# The second line of x.h follows the name of y.h, and so does the line of a sub-make.
test_expect_success 'make --trace: a command has the target named last before it, if it mentions this target' '
	process 10 1 0 200 /w "[\"make\",\"-j2\"]" &&
	process 11 10 1 11 /w "[\"/bin/sh\",\"-c\",\"gen \\\"a b\\\" >x.h; \\\\\\nlast\"]" &&
	process 12 11 2 9 /w "[\"gen\",\"a b\"]" &&
	process 13 10 2 22 /w "[\"cp\",\"y in\",\"y.h\"]" &&
	process 14 10 12 42 /w "[\"touch\",\"x.h\"]" &&
	process 15 10 50 90 /w/sub "[\"make\",\"-C\",\"sub\"]" &&
	process 16 15 51 52 /w/sub "[\"true\"]" &&
	process 17 15 60 65 /w/sub "[\"python3\",\"z.py\",\"./z\"]" &&
	process 18 15 66 68 /w/sub "[\"sh\",\"-c\",\"strip z.py; mv sub/./z a/./z\"]" &&
	process 19 10 91 95 /w "[\"sh\",\"-ec\",\"cc -o w.o.tmp w.c && mv w.o.tmp w.o\"]" &&
	process 22 10 110 190 /w "[\"sh\",\"-c\",\"nap; cp w.o u.o\"]" &&
	process 20 10 96 99 /w "[\"test\",\"-f\",\"y.h\"]" &&
	process 21 10 100 103 /w "[\"cc\",\"-o\",\"v.o\",\"y.h\"]" &&
	build &&
	cat >make.log <<-\EOF &&
	Makefile:3: target '\''x.h'\'' does not exist
	gen "a b" >x.h; \
		last
	Makefile:9: update target '\''y.h'\'' due to: y in
	cp '\''y in'\'' y.h
	touch x.h
	what true printed
	Makefile:20: update target '\''deep'\'' due to: target is .PHONY
	make -C sub
	make[1]: Entering directory '\''/w/sub'\''
	Makefile:1: update target '\''nothing'\'' due to: target does not exist
	true
	Makefile:2: update target '\''./z'\'' due to: target does not exist
	python3 z.py ./z
	strip z.py; mv sub/./z a/./z
	make[1]: Leaving directory '\''/w/sub'\''
	m:3: target '\''w.o'\'' does not exist
	cc -o w.o.tmp w.c && mv w.o.tmp w.o
	m:4: target '\''test'\'' does not exist
	test -f y.h
	m:5: target '\''y.h'\'' does not exist
	cc -o v.o y.h
	m:6: target '\''u.o'\'' does not exist
	sh -c '\''nap; cp w.o u.o'\''
	EOF
	test_prints named make.log <<-\EOF
	200 1 -
	80 1 u.o
	20 1 y.h
	10 1 x.h
	5 1 sub/z
	4 1 w.o
	3 1 v.o
	EOF
'

test_expect_success 'make --trace: a command of two targets has none' '
	process 10 1 0 100 /w "[\"make\",\"-j2\"]" &&
	process 11 10 1 18 /w "[\"one\",\"a.x\"]" &&
	process 12 10 30 35 /w "[\"both\",\"c.x\",\"d.x\"]" &&
	build &&
	cat >make.log <<-\EOF &&
	m:1: target '\''a.x'\'' does not exist
	one a.x
	m:3: target '\''c.x'\'' does not exist
	both c.x d.x
	m:4: target '\''d.x'\'' does not exist
	both c.x d.x
	EOF
	test_prints named make.log <<-\EOF
	100 1 -
	17 1 a.x
	EOF
'

test_expect_success 'ninja -t compdb: the target of a command is the output in its entry' '
	process 10 1 0 100 /w "[\"ninja\"]" &&
	process 11 10 1 11 /w/out "[\"/bin/sh\",\"-c\",\"gen \\\"{\\\" >x.h\"]" &&
	process 12 10 12 42 /w/out "[\"/bin/sh\",\"-c\",\"other\"]" &&
	build &&
	cat >names.json <<-\EOF &&
	[
	  { "directory": "/w/out", "command": "gen \"{\" >x.h", "file": "x.in", "output": "x.h" },
	  { "directory": "/w/out", "command": 7, "output": "y.h" },
	  { "directory": "/w/out", "command": "other" }
	]
	EOF
	test_prints named names.json <<-\EOF
	100 1 -
	10 1 out/x.h
	EOF
'

test_expect_success '--targets: a file that names no target is an error with its remedy' '
	test_must_fail trace2 report --targets=none r 2>err &&
	test_grep "cannot read .none.: No such file" err &&
	echo "make: Nothing to be done" >make.log &&
	test_must_fail trace2 report --targets=make.log r 2>err &&
	test_grep "no line of .make.log. names a target: .*LC_ALL=C make --trace" err &&
	echo "[{\"command\": \"a\"}, {\"output\": \"a\"}, {\"" >names.json &&
	test_must_fail trace2 report --targets=names.json r 2>err &&
	test_grep "names.json. has no object" err
'

test_expect_success 'ctest: the output that CMake gives to its launcher is the target' '
	process 10 1 0 100 /w "[\"make\"]" &&
	process 11 10 1 31 /w/b "[\"/usr/bin/ctest\",\"--launch\",\"--target-name\",\"app\",\"--output\",\"gen.h\",\"--\",\"sh\",\"-c\",\"gen\",\"--output\",\"no\"]" &&
	process 12 11 2 30 /w/b "[\"sh\",\"-c\",\"gen\",\"--output\",\"no\"]" &&
	process 13 10 40 45 /w/b "[\"ctest\",\"--output\",\"no\"]" &&
	build &&
	test_prints targets <<-\EOF
	100 1 -
	30 1 b/gen.h
	EOF
'

test_lazy_prereq NINJA 'ninja --version'
test_lazy_prereq CMAKE 'cmake --version'

test_expect_success NINJA,CC,TASKS 'ninja: targets are kept in the recording when the directory is gone' '
	mkdir -p n/out &&
	cat >n/out/build.ninja <<-EOF &&
	rule cc
	  command = $CC -c \$in -o \$out
	rule copy
	  command = cat \$in >\$out
	build sub/a.o: cc ../a.c
	build copied: copy sub/a.o
	EOF
	echo "int a;" >n/a.c &&
	trace2 record -q -o r -- sh -c "cd n && ninja -C out" >out &&
	rm -r n &&
	targets >rows &&
	sed "s/^[^ ]* //" rows | sort >actual &&
	test_write_lines "1 -" "1 n/out/copied" "1 n/out/sub/a.o" | test_cmp - actual
'

test_expect_success TASKS 'make --trace: files that no compiler makes are named as targets' '
	tr Q "\\t" >Makefile <<-\EOF &&
	all: a.h b.h
	a.h:
	Q@echo "a  b" >$@.new && cat $@.new
	Qmv $@.new '\''$@'\''
	b.h: a.h
	Qcp a.h \
	Q    $@
	EOF
	trace2 record -q -o r -- env LC_ALL=C make --trace >make.log &&
	named make.log >rows &&
	test_grep " a.h$" rows &&
	test_grep " b.h$" rows
'

test_expect_success CMAKE,CC,TASKS 'cmake: targets of Makefiles are found' '
	mkdir -p c/sub &&
	cat >c/CMakeLists.txt <<-\EOF &&
	cmake_minimum_required(VERSION 3.13)
	project(demo C)
	add_subdirectory(sub)
	add_executable(app main.c)
	target_link_libraries(app helper)
	EOF
	echo "add_library(helper STATIC main.c)" >c/sub/CMakeLists.txt &&
	echo "int f(void); int f(void) { return 0; }" >c/sub/main.c &&
	echo "int f(void); int main(void) { return f(); }" >c/main.c &&
	cmake -S c -B c/b -G "Unix Makefiles" >out &&
	trace2 record -q -o r -- make -C c/b >out &&
	targets >rows &&
	sed "s/^[^ ]* //" rows | sort >actual &&
	test_cmp - actual <<-\EOF
	1 -
	1 c/b/CMakeFiles/app.dir/main.c.o
	1 c/b/app
	1 c/b/sub/CMakeFiles/helper.dir/main.c.o
	1 c/b/sub/libhelper.a
	EOF
'

test_done

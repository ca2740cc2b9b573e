#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the tables of make bench: promises, and changes between two runs

No times are measured here: the rows are made up.
'

. ./test-lib.sh

table () {
	"$PERL_PATH" "$TEST_DIRECTORY/perf/table" "$@"
}

compare () {
	"$PERL_PATH" "$TEST_DIRECTORY/perf/compare" "$@"
}

# rows: the lines on stdin, with tabs where they have |
rows () {
	tr "|" "\t"
}

# time_row NAME OURS LIMIT [SPREAD]: print a row whose limit is a write
time_row () {
	echo "$1 $2 $3" >numbers
	ratio=$(awk "{ print \$(NF - 1) / \$NF }" numbers)
	printf 'time\t%s\ta write\t%s\t%s\t%s\t%s\n' \
		"$1" "$2" "$3" "$ratio" "${4-0.01}"
}

# ours FILE: write a run of these rows, alone, to FILE
ours () {
	rm -f "$1" &&
	table --json "$1" >/dev/null
}

test_expect_success 'setup: a made-up machine for the tables' '
	mkdir bin &&
	write_script bin/lscpu <<-\EOF &&
	echo "Architecture:        x86_64"
	echo "Model name:          Fast Processor 9000"
	echo "CPU family:          6"
	echo "Model:               207"
	echo "Hypervisor vendor:   KVM"
	EOF
	write_script bin/nproc "$SHELL_PATH" <<-\EOF &&
	echo 2
	EOF
	PATH=$(pwd)/bin:$PATH
'

test_expect_success 'bench: the table begins with the processor' '
	time_row "an unknown case" 2 1 >one &&
	table <one >actual &&
	sed -n "1s/; Linux.*//p" actual >machine &&
	echo "Fast Processor 9000, family 6, model 207; 2 cores, virtual machine (KVM)" \
		>expect &&
	test_cmp expect machine &&
	test_grep "^an unknown case .* 2\.00 .* - .*a write\$" actual &&
	test_grep "^trace2: bench: 1 cases, 0 promised, 0 of them not kept\$" actual
'

# broken: print the names of the rows of table.out that break their promise
broken () {
	sed -n "s/   *[0-9].*NOT KEPT\$//p" table.out >actual
}

test_expect_success 'bench reports promises that are not kept, as ratio, nanoseconds, or both' '
	{
		time_row "timer start + stop, on" 115 100 &&
		time_row "timer start + stop, shared library" 116 100 &&
		time_row "counter_add, on" 1.9 0.4 &&
		time_row "counter_add, loaded module" 3.0 0.4 &&
		time_row "data of 10 bytes, event to a file" 340 300 &&
		time_row "data of 10 bytes, perf to a file" 348 300 &&
		time_row "data of 10 bytes, normal to a file" 1060 1000 &&
		time_row "data of 1 KB, event to a file" 2079 2000 &&
		time_row "data of 1 KB, perf to a file" 2081 2000
	} >rows &&
	table <rows >table.out &&
	broken &&
	test_cmp - actual <<-\EOF &&
	timer start + stop, shared library
	counter_add, loaded module
	data of 10 bytes, perf to a file
	data of 10 bytes, normal to a file
	data of 1 KB, perf to a file
	EOF
	test_grep "9 cases, 9 promised, 5 of them not kept" table.out
'

# moved CODE: compare old with new; the rows that moved are in actual
moved () {
	test_expect_code "$1" compare old new >table.out &&
	sed -n "s/^\(.*[^ ]\)   *\(ratio\|instructions\|system calls\|memory\) .* \([-+][0-9.]* %.*\)/\1: \2 \3/p" \
		table.out >actual
}

test_expect_success 'bench compare: changes beyond noise, and broken promises, are shown' '
	{
		time_row "slower" 200 100 &&
		time_row "faster" 200 100 &&
		time_row "little" 200 100 &&
		time_row "noisy" 200 100 0.3 &&
		time_row "slower machine" 200 100 &&
		time_row "timer start + stop, on" 110 100
	} >rows &&
	ours old <rows &&
	{
		time_row "slower" 210 100 &&
		time_row "faster" 150 100 &&
		time_row "little" 205 100 &&
		time_row "noisy" 240 100 &&
		time_row "slower machine" 400 200 &&
		time_row "timer start + stop, on" 120 100
	} >rows &&
	ours new <rows &&
	moved 1 &&
	test_cmp - actual <<-\EOF &&
	slower: ratio +5.0 %
	faster: ratio -25.0 %
	timer start + stop, on: ratio +9.1 %  NOT KEPT
	EOF
	test_grep "6 cases compared, 3 moved, 2 of them cost more" table.out &&
	test_grep "^new: .*Fast Processor 9000" table.out
'

test_expect_success 'bench compare reports any change of counts, and larger ones of memory and time' '
	rows <<-\EOF | ours old &&
	count|an event|1000|1.000
	load|git|1000|2000|1000|0.5|1000
	load|tiny|1000|2000|1000|0|1000
	load|perf|1000|2000|1000|0|1000
	EOF
	rows <<-\EOF | ours new &&
	count|an event|1006|2.000
	load|git|1000|2000|1000|0.5|1040
	load|tiny|1000|2160|1000|0|1000
	load|perf|1000|2240|1000|0|1020
	EOF
	moved 1 &&
	test_cmp - actual <<-\EOF
	an event: instructions +0.6 %
	an event: system calls +100.0 %
	git: memory +4.0 %
	perf: ratio +12.0 %
	EOF
'

test_done

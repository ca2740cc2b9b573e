#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='opened counters: packages, processes, groups

A directory takes the place of /sys/class/powercap, for counters of a package.
t/unit/perf.c tests all that needs no file.
'

. ./test-lib.sh

# Release builds read /sys only.
test_lazy_prereq STAND_IN 'test -n "$DEVELOPER"'

# zone DIR NAME ENERGY RANGE
zone () {
	mkdir -p "powercap/$1" &&
	echo "$2" >"powercap/$1/name" &&
	echo "$3" >"powercap/$1/energy_uj" &&
	echo "$4" >"powercap/$1/max_energy_range_uj"
}

# Two packages with their parts, as the kernel shows them: the same package by
# another driver, a domain of another kind, and the directory of all.
two_packages () {
	rm -rf powercap &&
	zone intel-rapl:0 package-0 1000 262143 &&
	zone intel-rapl:0:0 core 300 262143 &&
	zone intel-rapl:0:1 dram 40 65535 &&
	zone intel-rapl:1 package-1 2000 262143 &&
	zone intel-rapl:1:0 core 600 262143 &&
	zone intel-rapl-mmio:0 package-0 1000 262143 &&
	zone intel-rapl:2 nonsense 5 9 &&
	mkdir powercap/intel-rapl powercap/dtpm &&
	TRACE2_POWERCAP_DIR=$(pwd)/powercap &&
	export TRACE2_POWERCAP_DIR
}

set_energy () {
	echo "$2" >"powercap/intel-rapl:$1/energy_uj"
}

# run STEP ARG...: print the values read.
run () {
	test-tool perf run "$@" >actual
}

expect () {
	test_write_lines "$@" >expect &&
	test_cmp expect actual
}

test_expect_success STAND_IN 'power/energy-pkg/ adds up packages only, not the cores and memory in them' '
	two_packages &&
	run open power/energy-pkg/,power/energy-cores/,power/energy-ram/ \
		read 0 read 1 read 2 \
		sh "echo 1100 >powercap/intel-rapl:0/energy_uj &&
		    echo 2020 >powercap/intel-rapl:1/energy_uj &&
		    echo 307 >powercap/intel-rapl:0:0/energy_uj &&
		    echo 41 >powercap/intel-rapl:0:1/energy_uj &&
		    echo 9999 >powercap/intel-rapl-mmio:0/energy_uj" \
		read 0 read 1 read 2 &&
	expect 0 0 0 120 7 1
'

test_expect_success STAND_IN 'a counter of energy that wraps around continues' '
	two_packages &&
	set_energy 0 262100 &&
	run open power/energy-pkg/ \
		sh "echo 57 >powercap/intel-rapl:0/energy_uj" read 0 \
		sh "echo 100 >powercap/intel-rapl:0/energy_uj" read 0 &&
	expect 100 143
'

test_expect_success STAND_IN 'trace2_perf_count() gives the value of the last read' '
	two_packages &&
	run open power/energy-pkg/,power/energy-pkg/ \
		sh "echo 1500 >powercap/intel-rapl:0/energy_uj" \
		count 0 count 1 read 1 count 0 &&
	expect 0 0 500 500
'

test_expect_success STAND_IN 'the energy of a package that disappears stays in the sum' '
	two_packages &&
	run open power/energy-pkg/ \
		sh "echo 1010 >powercap/intel-rapl:0/energy_uj" read 0 \
		sh "mv powercap/intel-rapl:0 away" \
		sh "echo 2005 >powercap/intel-rapl:1/energy_uj" read 0 \
		sh "mv powercap/intel-rapl:1 gone" read 0 \
		sh "mv away powercap/intel-rapl:0" \
		sh "echo 7000 >powercap/intel-rapl:0/energy_uj" read 0 \
		sh "echo 7003 >powercap/intel-rapl:0/energy_uj" read 0 &&
	expect 10 15 15 15 18
'

test_expect_success STAND_IN 'energy is not counted while the counter is disabled' '
	two_packages &&
	run open power/energy-pkg/ \
		sh "echo 1001 >powercap/intel-rapl:0/energy_uj" disable 0 \
		sh "echo 1100 >powercap/intel-rapl:0/energy_uj" read 0 enable 0 \
		sh "echo 1102 >powercap/intel-rapl:0/energy_uj" read 0 reset 0 \
		sh "echo 1105 >powercap/intel-rapl:0/energy_uj" read 0 &&
	expect 1 3 3
'

test_expect_success STAND_IN 'invalid files of powercap add no energy' '
	two_packages &&
	echo nonsense >powercap/intel-rapl:0/energy_uj &&
	run open power/energy-pkg/ read 0 \
		sh "echo 99999999999999999999999 >powercap/intel-rapl:1/energy_uj" \
		read 0 \
		sh ": >powercap/intel-rapl:1/energy_uj" read 0 &&
	expect 0 0 0 &&
	rm -rf powercap &&
	run open power/energy-pkg/ &&
	expect EOPNOTSUPP &&
	two_packages &&
	run open power/energy-psys/ &&
	expect EOPNOTSUPP
'

test_expect_success STAND_IN,SANITY 'energy that only root may read is refused' '
	two_packages &&
	chmod 000 powercap/intel-rapl:*/energy_uj &&
	run open power/energy-pkg/ &&
	expect EACCES
'

test_expect_success STAND_IN 'a group may mix a metric, the energy of packages and values of the process' '
	two_packages &&
	GIT_TRACE2=/dev/null \
		run open "{app/test/test1/,power/energy-pkg/,process/threads/}" \
		sh "echo 1500 >powercap/intel-rapl:0/energy_uj" read 0 \
		disable 0 \
		sh "echo 1900 >powercap/intel-rapl:0/energy_uj" read 0 &&
	expect "3 0 500 1" "3 0 500 1"
'

test_expect_success STAND_IN,KERNEL_EVENTS 'a group may have an event of the kernel beside the energy of packages' '
	two_packages &&
	run open "{page-faults:u,power/energy-pkg/}" \
		sh "echo 1500 >powercap/intel-rapl:0/energy_uj" read 0 &&
	test_grep -E "^2 [0-9]+ 500$" actual
'

test_expect_success 'process/open-fds/ and process/threads/ have the current values' '
	echo 123456789 >file &&
	run open process/open-fds/,process/threads/,process/io-write/ \
		read 0 read 1 read 2 &&
	test_line_count = 3 actual &&
	test "$(sed -n 2p actual)" = 1 &&
	test-tool perf run open process/open-fds/ \
		sh "ls /proc/\$PPID/fd | wc -l" read 0 9<file >actual &&
	expect "$(sed -n 1p actual)" "$(sed -n 1p actual)"
'

test_expect_success 'a PMU that cannot separate user and kernel refuses modes such as /u' '
	run open process/maxrss/u open process/io-read/k \
		open app/test/test1/:u &&
	expect EINVAL EINVAL EINVAL
'

test_expect_success KERNEL_EVENTS 'clock events with modes are refused, since they count every mode' '
	run open task-clock:u open cpu-clock:k &&
	expect EINVAL EINVAL
'

test_expect_success 'unknown events are refused' '
	run open page-fault open app/test/nope/ open app/test/nope:ns/ \
		open process/maxrss/:7 &&
	expect "event '\''page-fault'\'': no such event (EINVAL)" \
		"event '\''app/test/nope/'\'': the program has no counter of that name (ENOENT)" \
		"event '\''app/test/nope:ns/'\'': the program has no timer of that name (ENOENT)" \
		"event '\''process/maxrss/:7'\'': power and process events take no period (EINVAL)"
'

test_done

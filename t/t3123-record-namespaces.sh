#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='recordings across pid and time namespaces, as containers have them'

. ./test-lib.sh

test_skip_unless GIT,JQ,TASKS

test_lazy_prereq TIME_NAMESPACE 'unshare -T --monotonic 5 -f true'

# Make a control group with a tenth of a CPU: its directory, in v1 or v2.
make_group () {
	for group in /sys/fs/cgroup/cpu/trace2-test.$$ /sys/fs/cgroup/trace2-test.$$
	do
		mkdir "$group" 2>/dev/null || continue
		if echo 10000 >"$group/cpu.cfs_quota_us" ||
			echo "10000 100000" >"$group/cpu.max"
		then
			return 0
		fi
		rmdir "$group"
	done 2>/dev/null
	return 1
}
test_lazy_prereq CPU_LIMIT 'make_group && rmdir "$group"'

# rows RECORDING: the arguments, exit code and kind of each process.
rows () {
	trace2 list --format=json "$1" >json &&
	jq -r '.processes[] | [(.argv // ["?"] | join(" ")), .code // "-",
		.instrumented] | join("; ")' json
}

test_expect_success PID_NAMESPACE,EXIT_CODES 'a session in a pid namespace belongs to the process that the kernel recorded' '
	test_expect_code 7 trace2 record -q -o below -- \
		unshare -rpf --mount-proc \
		sh -c "git --version; git rev-parse --git-dir; exit 7" &&
	test_prints rows below <<-\EOF &&
	unshare -rpf --mount-proc sh -c git --version; git rev-parse --git-dir; exit 7; 7; false
	sh -c git --version; git rev-parse --git-dir; exit 7; 7; false
	git --version; 0; true
	git rev-parse --git-dir; 0; true
	EOF
	test_prints jq -c "select(.own_pid) | [.own_pid, .argv[0]]" \
		below/tasks.jsonl <<-\EOF
	[1,"sh"]
	[2,"git"]
	[3,"git"]
	EOF
'

test_expect_success CPU_LIMIT 'a command that exceeds the CPU limit of its cgroup is shown as throttled' '
	make_group &&
	test_when_finished "rmdir \"$group\"" &&
	sh -c "echo \$\$ >\"\$1/cgroup.procs\" && shift && exec \"\$@\"" sh "$group" \
		trace2 record -q -o limited -- "$PERL_PATH" -e "1 while times < 0.03" &&
	jq -e ".cpu_limit_millicpu == 100 and .throttled_ns > 0" limited/meta.json &&
	trace2 report limited >out &&
	test_grep " throttled (limit: 0.10 CPUs)$" out &&
	"$GIT_BUILD_DIR/build/unit/tool-states" limited >dump &&
	grep "\"state\":\"ready\".*\"comm\":\"throttled\"" dump
'

# A process that began before the recorder is in a group of its own.
test_expect_success CPU_LIMIT 'record -p uses the cgroup of the process, not of the recorder' '
	make_group &&
	test_when_finished "rmdir \"$group\"" &&
	mkfifo go &&
	{
		sh -c "echo \$\$ >\"\$1/cgroup.procs\" && exec \"\$2\" -e \"<STDIN>; 1 while times < 0.03\"" \
			sh "$group" "$PERL_PATH" <go &
	} &&
	pid=$! &&
	exec 9>go &&
	wait_until grep -q "$pid" "$group/cgroup.procs" &&
	{ trace2 record -o attached -p $pid 2>err & } &&
	recorder=$! &&
	wait_until grep -q "recording process $pid" err &&
	echo go >&9 &&
	exec 9>&- &&
	wait $recorder &&
	jq -e ".cpu_limit_millicpu == 100 and .throttled_ns > 0" attached/meta.json &&
	grep "\"type\":\"throttled\"" attached/tasks.jsonl
'

# has_arguments RECORDING: the log of the recording has the arguments of the
# reader. The log is written while the recording goes on.
has_arguments () {
	test -f "$1/tasks.jsonl" && grep -q "\"argv\":\[\"cat\",\"fifo\"" "$1/tasks.jsonl"
}

test_lazy_prereq PIDFD_EXIT '
	uname -r | awk -F. "{ exit \$1 * 100 + \$2 < 615 }"
'

# The connector does not serve a pid namespace. Since Linux 6.15 a pidfd does.
test_expect_success PID_NAMESPACE 'record in a pid namespace reads arguments, and names the missing records' '
	mkfifo fifo &&
	{
		unshare -rpf --mount-proc trace2 record -o inside -- \
			sh -c "cat fifo; exit 3" 2>err &
	} &&
	exec 9>fifo &&
	wait_until has_arguments inside &&
	exec 9>&- &&
	test_expect_code 3 wait $! &&
	if test_have_prereq PIDFD_EXIT
	then
		what=" and" code=0
	else
		what=", and" code=-
	fi &&
	test_prints rows inside <<-EOF &&
	sh -c cat fifo; exit 3; 3; false
	cat fifo; $code; false
	EOF
	test_grep "not recorded: exit codes$what arguments of short processes: process connector: not in a pid namespace" err
'

# Without /proc the recorder does not know that the kernel will not answer, and
# asks the kernel.
test_lazy_prereq NO_PROC '
	unshare -rpfm sh -c "mount -t tmpfs none /proc && test ! -e /proc/self"
'

test_expect_success NO_PROC,EXIT_CODES 'check --record in a pid namespace ignores connector answers to other processes' '
	{ "$PERL_PATH" "$TEST_DIRECTORY/t3123/listen.perl" enough >listener & } &&
	test_when_finished ">enough; wait $!" &&
	wait_until grep listening listener &&
	{
		unshare -rpfm sh -c "mount -t tmpfs none /proc &&
			trace2 check --record --format=json" >json || test $? = 1
	} &&
	jq -e ".sources[] | select(.what == \"exit codes, arguments\") |
		.why == \"process connector: Operation not permitted\"" json
'

test_expect_success TIME_NAMESPACE 'a recorder in a time namespace uses the times of the kernel' '
	for shift in -1 100000
	do
		rm -rf shifted &&
		unshare -T --monotonic $shift -f \
			trace2 record -q -o shifted -- git --version &&
		trace2 list --format=json shifted >json &&
		jq -e ".processes | length == 1 and
			(.[0].wall_ns | . > 0 and . < 5e10)" json || return 1
	done
'

test_done

# SPDX-License-Identifier: MIT
#
# --stress: several jobs run the script repeatedly, until a run fails or each
# job has made --stress-limit runs. Every job has its own trash directory; that
# of a failed run is kept, and its output is in
# test-results/<name>.stress-<job>.out. The script's own options are passed to
# each run, plus -v and -i.
#
# A file requests the stop: the job whose run fails writes its number there.
#
# shellcheck shell=sh

# test_stress_job JOB SCRIPT-OPTION...
test_stress_job () {
	local job="$1" runs=0 out
	shift
	out=$TEST_RESULTS_DIR/$TEST_NAME.stress-$job.out
	while ! test -e "$test_stress_stop_"
	do
		test -z "$stress_limit" || test "$runs" -lt "$stress_limit" ||
		break
		runs=$((runs + 1))
		: >"$out"
		if ! GIT_TEST_STRESS_JOB_NR=$job GIT_TEST_TEE_STARTED=t \
			"$TEST_SHELL_PATH" "$0" "$@" >>"$out" 2>&1
		then
			echo "FAIL: job $job, run $runs: see $out"
			echo "$job" >>"$test_stress_stop_"
		fi
	done
	echo "OK: job $job ended after $runs run(s)"
}

test_stress_main () {
	local jobs="$stress" job=0
	if test "$jobs" = auto
	then
		jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null) || jobs=4
		jobs=$((jobs * 2))
	fi
	mkdir -p "$TEST_RESULTS_DIR" || return 1
	test_stress_stop_=$TEST_RESULTS_DIR/$TEST_NAME.stress-stop
	rm -f "$test_stress_stop_"
	trap 'echo "stopping when the current runs end";
		>>"$test_stress_stop_"' INT TERM HUP
	unset HARNESS_ACTIVE
	while test $job -lt "$jobs"
	do
		job=$((job + 1))
		test_stress_job $job "$@" &
	done
	# A signal ends the wait before the jobs have ended.
	until wait
	do
		:
	done
	wait
	test -e "$test_stress_stop_" || return 0
	rm -f "$test_stress_stop_"
	return 1
}

# SPDX-License-Identifier: MIT
#
# Select, check, run and report one test. test-lib.sh reads this; scripts call
# test_expect_success, test_expect_failure and the prerequisite functions.
#
# A body is evaluated in the script's own shell, so that one test can set a
# variable for the next. Variables of this file that are in use during that have
# names that end in an underscore.
#
# shellcheck shell=sh

# ---------------------------------------------------------------------------
# Prerequisites

satisfied_prereq=" "
test_lazy_known_=" "
test_lazy_tried_=" "

# test_set_prereq NAME: satisfy NAME from now on. "!NAME" undoes that.
test_set_prereq () {
	case "$1" in
	!*)
		test_lazy_tried_="$test_lazy_tried_${1#!} "
		case "$satisfied_prereq" in
		*" ${1#!} "*) ;;
		*) return 0 ;;
		esac
		satisfied_prereq="${satisfied_prereq%%" ${1#!} "*} ${satisfied_prereq#*" ${1#!} "}"
		test_set_prereq "$1"	# it may be there twice
		;;
	*)
		satisfied_prereq="$satisfied_prereq$1 "
		;;
	esac
}

# test_lazy_prereq NAME SCRIPT: NAME is satisfied if SCRIPT succeeds, which is
# run in an empty directory when NAME is first used.
test_lazy_prereq () {
	test_lazy_known_="$test_lazy_known_$1 "
	eval "test_lazy_script_$1=\$2"
}

test_run_lazy_prereq_ () {
	test_lazy_tried_="$test_lazy_tried_$1 "
	test_lazy_dir_="$TRASH_DIRECTORY/prereq-test-dir-$1"
	test -z "$test_timeline_" || trace2_region_enter prerequisite "$1"
	mkdir -p "$test_lazy_dir_" &&
	(
		cd "$test_lazy_dir_" &&
		eval "test_eval_ \"\$test_lazy_script_$1\""
	)
	test_lazy_ret_=$?
	test_remove_dir_ "$test_lazy_dir_"
	test -z "$test_timeline_" || trace2_region_leave
	if test "$test_lazy_ret_" = 0
	then
		say >&3 "prerequisite $1 ok"
		test_set_prereq "$1"
	else
		say >&3 "prerequisite $1 not satisfied"
	fi
}

# Is the single prerequisite NAME satisfied?
test_have_one_prereq_ () {
	case "$test_lazy_tried_" in
	*" $1 "*)
		;;
	*)
		case "$test_lazy_known_" in
		*" $1 "*) test_run_lazy_prereq_ "$1" ;;
		esac
		;;
	esac
	case "$satisfied_prereq" in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

# Would it cost a probe to know whether NAME is satisfied? EXPENSIVE and ROOT
# decide about many tests, and cost next to nothing.
test_prereq_costs_ () {
	case "$1" in
	EXPENSIVE|ROOT|NOT_ROOT) return 1 ;;
	esac
	case "$test_lazy_tried_" in
	*" $1 "*) return 1 ;;
	esac
	case "$test_lazy_known_" in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

# Name those of the list that are missing in $missing_prereq: all that are known
# already, or if none of these is, the first that a probe finds. No probe runs
# for a test that is skipped anyway.
test_missing_prereq_ () {
	local rest="$1," one how
	missing_prereq=
	for how in known probed
	do
		test_prereq_rest_=$rest rest=
		while test -n "$test_prereq_rest_"
		do
			one=${test_prereq_rest_%%,*}
			test_prereq_rest_=${test_prereq_rest_#*,}
			if test "$how" = known && test_prereq_costs_ "${one#!}"
			then
				rest=$rest$one,
				continue
			fi
			case "$one" in
			'') continue ;;
			!*) ! test_have_one_prereq_ "${one#!}" ;;
			*) test_have_one_prereq_ "$one" ;;
			esac && continue
			missing_prereq=${missing_prereq:+$missing_prereq,}$one
			test "$how" = known || return 0
		done
		test -z "$missing_prereq" || return 0
	done
}

# test_have_prereq A,!B,C: are all satisfied, and those with ! not? Others are
# named in $missing_prereq.
test_have_prereq () {
	test_missing_prereq_ "$1"
	test -z "$missing_prereq"
}

# ---------------------------------------------------------------------------
# Which tests run

# Does NAME ("t0000" or "t0000.3") match one of the patterns in LIST, which are
# separated by blanks or commas?
test_match_script_list_ () {
	local pattern IFS=', 	
'
	set -f
	for pattern in $2
	do
		# shellcheck disable=SC2254 # it is a pattern
		case "$1" in
		$pattern) set +f; return 0 ;;
		esac
	done
	set +f
	return 1
}

# Does the test with TITLE and NUMBER match ITEM: 3, 2-5, -4, 7- or a part of
# the title?
test_match_item_ () {
	case "$3" in
	*[!0-9-]*|*-*-*|-)
		# shellcheck disable=SC2254 # it is a pattern
		case "$1" in
		*$3*) return 0 ;;
		esac
		return 1
		;;
	-*) test "$2" -le "${3#-}" ;;
	*-) test "$2" -ge "${3%-}" ;;
	*-*) test "$2" -ge "${3%-*}" && test "$2" -le "${3#*-}" ;;
	*) test "$2" = "$3" ;;
	esac
}

# test_selected_ TITLE NUMBER LIST: the last item that matches decides; if none
# does, a test is selected if the list starts with an exclusion.
test_selected_ () {
	local item list="$3" in=1 IFS=,
	case "$list" in
	*[!0-9\ ,!-]*) ;;
	*) IFS=', ' ;;	# numbers may also be separated by blanks
	esac
	set -f
	# shellcheck disable=SC2086 # it is split into items here
	set -- "$1" "$2" $list
	set +f
	case "${3-}" in
	!*) in=0 ;;
	esac
	local title="$1" number="$2"
	shift 2
	for item
	do
		item=${item# }
		case "$item" in
		'') ;;
		!*) ! test_match_item_ "$title" "$number" "${item#!}" || in=1 ;;
		*) ! test_match_item_ "$title" "$number" "$item" || in=0 ;;
		esac
	done
	return $in
}

# Is the current test, with TITLE, to be skipped? Then report that in TAP.
test_skip_ () {
	test_skip_why_=
	if test_match_script_list_ "$this_test.$test_count" "${GIT_SKIP_TESTS-}"
	then
		test_skip_why_=GIT_SKIP_TESTS
	elif test -n "$run_list" &&
	     ! test_selected_ "$1" "$test_count" "$run_list"
	then
		test_skip_why_=--run
	elif test -n "$test_prereq" && ! test_have_prereq "$test_prereq"
	then
		test_skip_why_="missing $missing_prereq"
		test "$missing_prereq" = "$test_prereq" ||
		test_skip_why_="$test_skip_why_ of $test_prereq"
	fi
	test -n "$test_skip_why_" || return 1
	test -z "$test_timeline_" || test_result_ skipped
	say_color skip "ok $test_count # skip $1 ($test_skip_why_)"
}

# ---------------------------------------------------------------------------
# Evaluation

test_eval_inner_ () {
	if test -n "$trace"
	then
		set -x
	fi
	eval "$*"
}

# Evaluate SCRIPT with a test's descriptors. Turning the trace off again is not
# traced.
test_eval_ () {
	{
		test_eval_inner_ "$@" </dev/null >&3 2>&4
		{
			test_eval_ret_=$?
			set +x
		} 2>/dev/null 4>&2
	} 4>&4
	return "$test_eval_ret_"
}

# Fail, with the reasons in $test_reason_, if chainlint.awk finds that the && chain
# of BODY is broken. The first call reads the whole script: a process for each test
# would be a fiftieth of the time of this suite.
test_lint_ () {
	case "${GIT_TEST_CHAIN_LINT:-1},$1" in
	0,*) return 0 ;;
	*,*[!\ \	"$test_newline_"]*) ;;
	*) return 0 ;;
	esac
	test -n "${test_lint_read_+t}" ||
	test_lint_read_=$(awk -v whole=1 -f "$TEST_LIB_DIRECTORY/chainlint.awk" \
		"$test_script_" 2>/dev/null)
	case "$test_lint_read_" in
	*"<$1:>"*) return 0 ;;
	esac
	test_reason_=$(awk -f "$TEST_LIB_DIRECTORY/chainlint.awk" 2>&1 <<-EOT
	$1
	EOT
	)
}

test_newline_='
'

# Fail, with the logs as the reason, if valgrind or a sanitizer found an error
# since the last call.
test_check_logs_ () {
	local log found=0
	for log in "$test_logs_dir_"/*
	do
		test -f "$log" || continue
		if grep -q "$test_logs_pattern_" "$log"
		then
			test_reason_="$test_reason_$(cat "$log")$test_newline_"
			found=1
		fi
		rm -f "$log"
	done
	return $found
}

# Run BODY and the commands of test_when_finished. With -i, a failed test is not
# cleaned up, so that it can be examined.
test_run_body_ () {
	test_cleanup=
	test_eval_ "$1"
	test_body_ret_=$?
	if test -n "$test_cleanup" && {
		test -z "$immediate" || test "$test_body_ret_" = 0 ||
		test "$test_kind_" = failure
	}
	then
		test_cleanup_ret_=
		test_eval_ "$test_cleanup"
		test_body_ret_=${test_cleanup_ret_:-$test_body_ret_}
	fi
	if test -n "$test_logs_dir_"
	then
		test_check_logs_ || test_body_ret_=126
	fi
	return "$test_body_ret_"
}

# ---------------------------------------------------------------------------
# Reports

test_ok_ () {
	test -z "$test_timeline_" || test_result_ ok
	test_success=$((test_success + 1))
	say_color "" "ok $test_count - $1"
}

test_failure_ () {
	test -z "$test_timeline_" || test_result_ failed "$1"
	test_failure=$((test_failure + 1))
	say_color error "not ok $test_count - $1"
	printf '%s\n' "$2" | sed 's/^/#	/'
	test -z "$test_reason_" ||
	printf '%s\n' "$test_reason_" | sed 's/^/# /'
	if test -n "$immediate"
	then
		say_color error "1..$test_count"
		test_run_atexit_
		test_check_leftover_
		test_say_trash_
		test_exit_ 1
	fi
}

test_known_broken_ () {
	test -z "$test_timeline_" || test_result_ broken
	test_broken=$((test_broken + 1))
	say_color warn "not ok $test_count - $1 # TODO known breakage"
}

test_known_fixed_ () {
	test -z "$test_timeline_" || test_result_ fixed
	test_fixed=$((test_fixed + 1))
	say_color error "ok $test_count - $1 # TODO known breakage vanished"
}

# ---------------------------------------------------------------------------
# Tests

# A title belongs to one test: it identifies a failure, and --run selects by it.
# Skipped tests do not count: of two with opposite prerequisites only one runs.
test_title_is_new_ () {
	case "$test_titles_" in
	*"$test_newline_$1$test_newline_"*)
		test_reason_="duplicate title: an earlier test has it already"
		return 1
		;;
	esac
	test_titles_=$test_titles_$1$test_newline_
}

test_report_ () {
	case "$test_kind_,$1" in
	success,0) test_ok_ "$2" ;;
	success,*) test_failure_ "$2" "$3" ;;
	failure,0) test_known_fixed_ "$2" ;;
	failure,*) test_known_broken_ "$2" ;;
	esac
}

test_expect_ () {
	test_kind_=$1
	shift
	test_prereq=
	if test $# = 3
	then
		test_prereq=$1
		shift
	fi
	test $# = 2 || BUG "not 2 or 3 parameters to test_expect_$test_kind_"
	test_title_=$1
	test_body_=$2
	if test "$test_body_" = -
	then
		test_body_=$test_newline_$(cat)$test_newline_
	fi
	test_count=$((test_count + 1))
	test_reason_=
	test -z "$test_timeline_" || test_region_ "$test_title_"
	test_skip_ "$test_title_" && return
	say >&3 "expecting $test_kind_ of $this_test.$test_count" \
		"'$test_title_': $test_body_"
	if test_title_is_new_ "$test_title_" && test_lint_ "$test_body_"
	then
		test_run_body_ "$test_body_"
		test_report_ $? "$test_title_" "$test_body_"
	else
		test_failure_ "$test_title_" "$test_body_"
	fi
	echo >&3 ""
}

# test_expect_success [PREREQ] TITLE BODY: BODY must succeed. BODY is "-" if it
# is on standard input.
test_expect_success () {
	test_expect_ success "$@"
}

# test_expect_failure [PREREQ] TITLE BODY: a known fault. BODY should work, but
# does not yet.
test_expect_failure () {
	test_expect_ failure "$@"
}

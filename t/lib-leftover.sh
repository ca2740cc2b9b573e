# SPDX-License-Identifier: MIT
#
# Find the processes that a script started and left running. Such a process is
# distinguished from those of other scripts, which may run at the same time, by
# an inherited variable whose value only this run has; or, if a shell forked
# without running a program, by this shell as its parent, or by the same shell
# program working below this trash directory. Only these are ended. Needs /proc;
# without it nothing is found.
#
# shellcheck shell=sh

# Pids are reused; a pid with its start time is unique.
test_start_leftover_ () {
	local stat=''
	test_has_proc_=''
	{ read -r stat </proc/self/stat; } 2>/dev/null
	TEST_LIB_RUN_ID=$$
	# A /proc of another pid namespace is useless.
	if test "${stat%% *}" = $$ && test -r /proc/self/environ
	then
		test_has_proc_=t
		# shellcheck disable=SC2086 # it is split into fields
		set -- ${stat##*) }
		TEST_LIB_RUN_ID=$$.${20}
	fi
	TEST_LIB_RUN_ID=run.$TEST_LIB_RUN_ID.end
	export TEST_LIB_RUN_ID
	test_physical_trash_=$PWD
}

# Print files in /proc of the processes that have the variable, or this shell as
# their parent and are not dead already. The search itself is one of them, but
# has ended when the list is read.
test_search_proc_ () {
	grep -ls -e "TEST_LIB_RUN_ID=$TEST_LIB_RUN_ID" \
		-e "^[0-9]* (.*) [^Z] $$ " \
		/proc/[0-9]*/environ /proc/[0-9]*/stat
}

# Print the lines of `ls` for these links in /proc to working directories.
test_list_cwd_ () {
	test $# = 0 || ls -dl "$@" 2>/dev/null
}

# Set $test_leftover_ to the pids. No subshell may be alive while forks are
# searched: it would be found.
test_find_leftover_ () {
	local file line
	test_leftover_=''
	for file in $(test_search_proc_)
	do
		file=${file%/*}
		test ! -e "$file" ||
		test_leftover_="$test_leftover_ ${file#/proc/}"
	done
	# Find others that run this shell's program, and of these the ones below
	# this trash directory.
	set --
	for file in /proc/[0-9]*
	do
		if test "$file/exe" -ef "/proc/$$/exe" &&
		   test "${file#/proc/}" != $$
		then
			set -- "$@" "$file/cwd"
		fi
	done
	while read -r line
	do
		case "$line/" in
		*" /proc/"*"/cwd -> $test_physical_trash_"/*)
			line=${line#*" /proc/"}
			test_leftover_="$test_leftover_ ${line%%/*}"
			;;
		esac
	done <<-EOT
	$(test_list_cwd_ "$@")
	EOT
	test -n "$test_leftover_"
}

# Fail if a process is left, after naming and ending each. One that is about to
# end, say after a kill without a wait, gets a second for it.
test_check_leftover_ () {
	local pid left=10 what
	test -n "$test_has_proc_" || return 0
	while test_find_leftover_
	do
		left=$((left - 1))
		test $left -gt 0 || break
		sleep 0.1
	done
	test -n "$test_leftover_" || return 0
	# shellcheck disable=SC2086 # it is split into pids
	for pid in $(printf '%s\n' $test_leftover_ | sort -nu)
	do
		what=$(tr '\000' ' ' <"/proc/$pid/cmdline") 2>/dev/null
		say_color error "# left running: process $pid: $what" >&5
		# The shell would announce the death of a child.
		{ kill -KILL "$pid"; wait "$pid"; } 2>/dev/null
	done
	return 1
}

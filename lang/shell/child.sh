# SPDX-License-Identifier: MIT
#
# Children, and exec.
#
# shellcheck shell=dash disable=SC2034,SC2154,SC3028 # variables of other parts

# Choose a descriptor that the script does not use, for trace2_run_, which runs
# a program. The program writes its process id to a pipe: that of a
# here-document. Nobody else writes to the pipe, so reading never waits.
trace2_digit_=
trace2_choose_digit_ () {
	[ -z "$trace2_digit_" ] || [ -e "/proc/self/fd/$trace2_digit_" ] || return 0
	for trace2_digit_ in 9 8 7 6 5 4 3 ''
	do
		[ -e "/proc/self/fd/${trace2_digit_:-none}" ] || break
	done
	[ -n "$trace2_digit_" ] || return 0
	eval "trace2_run_ () {
		{
			(
				command read -r trace2_t_ </proc/self/stat &&
				command echo \"\${trace2_t_%% *} .\" \\
					>/proc/self/fd/$trace2_digit_
				exec \"\$@\" $trace2_digit_<&-
			) || trace2_status_=\$?
			while command read -r trace2_child_pid_ <&$trace2_digit_ &&
				[ -z \"\$trace2_child_pid_\" ]
			do
				:
			done
		} $trace2_digit_<<-\\EOF

		EOF
	}"
}

# trace2_child [-c CLASS] PROGRAM [ARGUMENT...]: run a child. A trap of the
# script may run during that, and run another child.
trace2_child () {
	local trace2_status_=0 trace2_id_ trace2_began_
	if ! trace2_begin_
	then
		[ "$1" != -c ] || shift 2
		(exec "$@")
		return
	fi
	trace2_names_='?'
	if [ "$1" = -c ]
	then
		trace2_json_of_ "$2"
		trace2_names_=$trace2_json_
		shift 2
	fi
	trace2_argv_of_ "$@"
	trace2_began_=$trace2_us_
	trace2_id_=$trace2_child_
	trace2_child_=$((trace2_child_ + 1))
	trace2_place_of_
	trace2_emit_ child_start ",\"child_id\":$trace2_id_,\"child_class\":\"$trace2_names_\",\"use_shell\":false,\"argv\":$trace2_argv_"
	trace2_child_pid_=0
	trace2_choose_digit_
	if [ -n "$trace2_digit_" ]
	then
		trace2_run_ "$@"
	else
		(exec "$@") || trace2_status_=$?
	fi
	if trace2_begin_
	then
		trace2_child_pid_=${trace2_child_pid_%% *}
		trace2_seconds_ "$((trace2_us_ - trace2_began_))"
		trace2_place_of_
		trace2_emit_ child_exit ",\"child_id\":$trace2_id_,\"pid\":${trace2_child_pid_:-0},\"code\":$trace2_status_,\"t_rel\":$trace2_s_"
	fi
	return "$trace2_status_"
}

# trace2_exec PROGRAM [ARGUMENT...]: become the program. The shell ends if the
# program cannot be run.
trace2_exec () {
	if trace2_begin_
	then
		trace2_argv_of_ "$@"
		trace2_abs_of_
		trace2_place_of_
		trace2_emit_ exec ",\"exec_id\":0,\"argv\":$trace2_argv_"
	fi
	exec "$@"
}

# SPDX-License-Identifier: MIT
#
# Programs that run, and recorders that attach to them (trace2 record -p).
#
# shellcheck shell=sh

# start COMMAND...: run it, until `end`; its pid is in $pid.
start () {
	rm -f in out &&
	mkfifo in out &&
	{ "$@" <in >out & } &&
	pid=$! &&
	exec 8>in 9<out &&
	# The program ends when its input ends. Its pid may soon be that of
	# another process.
	test_when_finished "exec 8>&-" &&
	started=$!
}

# The shell runs each line as a command, then answers. An argument is the user.
start_shell () {
	start "$@" sh -c "while read -r line; do eval \"\$line\"; echo done; done" &&
	echo "echo \$\$" >&8 &&
	read -r pid <&9 &&
	read -r answer <&9
}

tell () {
	echo "$1" >&8 && read -r answer <&9 && test "$answer" = "${2-done}"
}

end () {
	exec 8>&- 9<&- &&
	wait "$started"
}

# attach OPTION...: return when the programs are recorded in r, by the user $by.
attach () {
	rm -rf r said &&
	mkdir -m 777 r &&
	mkfifo said &&
	{ ${by-} trace2 record -o r "$@" 2>said 8>&- 9<&- & } &&
	recorder=$! &&
	exec 7<said &&
	while read -r line
	do
		echo "$line" &&
		case "$line" in
		*"recording process"*) break ;;
		esac || return 1
	done <&7 >first &&
	test_grep "recording process [0-9]* (..*) until it ends, or Ctrl-C" first
}

# recorder_pid DIR: print the pid of the recorder.
recorder_pid () {
	sed -n 's/.*"recorder_pid": *\([0-9]*\).*/\1/p' "$1/meta.json"
}

# detached [SIGNAL]: send the recorder this signal, if any, and await its end,
# with the code 0.
detached () {
	case "${1-}" in
	?*) kill -s "$1" "$(recorder_pid r)" ;;
	esac &&
	cat <&7 >err &&
	exec 7<&- &&
	wait "$recorder"
}

# listed FILTER: is this jq filter true of the processes of `trace2 list`?
listed () {
	trace2 list -i r --format=json >list.json &&
	jq -e "[.processes[]] | $1" list.json >/dev/null || {
		jq -c ".processes[]" list.json >&4
		return 1
	}
}

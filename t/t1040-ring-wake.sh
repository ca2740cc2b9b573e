#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='a reader of a ring is woken: by futex, in poll, by signal'

. ./test-lib.sh

hosts=$GIT_BUILD_DIR/build/hosts

test_skip_unless PIPE,PROC 'no host program, no fifos, or no /proc'

# start [VAR=VALUE...]: a worker whose main thread makes a round, of three
# records, for each line of input; its ring is in `ring`, in consume mode. Its
# arguments are in $worker_is.
worker_is="0 0 exit"
# shellcheck disable=SC2086 # they are words
start () {
	rm -f ring in out waits &&
	mkfifo in out waits &&
	{ exec env GIT_TRACE2_RING="$(pwd)/ring" \
		GIT_TRACE2_RING_MODE=consume "$@" \
		"$hosts/worker" $worker_is <in >out 2>err & } &&
	worker=$! &&
	exec 8>in 9<out &&
	read -r answer <&9 &&
	test "$answer" = ready
}

# reader HOW RECORDS [SLOT]: sleep at the main thread's ring.
reader () {
	{ exec test-tool ring wait ring "${3-1}" "$1" "$2" >waits 8>&- 9<&- & } &&
	reader=$! &&
	exec 7<waits &&
	read -r answer <&7 &&
	test "$answer" = waits
}

# Print the state of the reader from the kernel: S, or Z after its end.
state () {
	read -r _ _ state _ <"/proc/$reader/stat" && echo "$state"
}

is_asleep () {
	test "$(state)" = S
}

asleep () {
	wait_until is_asleep
}

round () {
	echo >&8 && read -r answer <&9 && test "$answer" = round
}

end () {
	exec 8>&- 9<&- &&
	{ wait "$worker" || test $? = 3; }
}

# Print the reader's output once it is awake.
said () {
	read -r answer <&7 &&
	exec 7<&- &&
	wait "$reader" &&
	echo "$answer"
}

for how in futex poll signal
do
	case $how in
	futex) prefix= ;;
	poll) prefix='POLLIN ' ;;
	signal) prefix='signal POLLIN ' ;;
	esac

	test_expect_success "$how: a reader is woken when the requested number of records is there" '
		start &&
		reader $how 3 && asleep &&
		round &&
		said >actual &&
		echo "${prefix}woken 3" | test_cmp - actual &&
		end
	'

	test_expect_success "$how: a reader is woken at half of the ring, and not before" '
		start GIT_TRACE2_RING_SIZE=4k &&
		reader $how 0 &&
		asleep &&
		round && round && asleep &&
		while test "$(state)" = S
		do
			round || return 1
		done &&
		said >actual &&
		test_grep "^${prefix}woken [1-9][0-9]" actual &&
		end
	'
done

test_expect_success 'poll: the end of the process wakes the reader, even by SIGKILL' '
	start &&
	reader poll 1000 &&
	kill -KILL "$worker" &&
	said >actual &&
	echo "POLLHUP ended" | test_cmp - actual &&
	exec 8>&- 9<&- &&
	{ wait "$worker" || test $? = 137; }
'

# The ring of a thread that still runs, without new records.
test_expect_success 'futex: the end of the process wakes all readers' '
	test_when_finished "worker_is=\"0 0 exit\"" &&
	worker_is="1 1 leave" &&
	start &&
	reader futex 1000 2 &&
	asleep &&
	end &&
	said >actual &&
	echo ended | test_cmp - actual
'

test_done

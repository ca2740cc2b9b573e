#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the costs of a trace in system calls, and the costs of a stalled reader

System calls are counted. An event costs one write, and the check of a
descriptor that the host opened. A metric costs no call. The waits for a reader
that never reads sum up to 50 ms.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-faults.sh"

# A sanitizer makes additional calls, and some do not run under strace.
test_skip_unless !INSTRUMENTED,STRACE 'a plain build and strace are needed'

sockets=$(mktemp -d "${TMPDIR:-/tmp}/t0506.XXXXXX") &&
test_atexit "rm -rf \"$sockets\""

# calls_of COMMAND...: print how often each system call is made.
calls_of () {
	rm -f log &&
	$through strace -o log ${tampering:+-e "inject=$tampering"} "$@" &&
	sed -e "/(.*) *= \|^exit_group/!d" -e "s/(.*//" -e s/newfstatat/fstat/ \
		log | sort | uniq -c | awk "{ print \$2, \$1 }"
}

test_lazy_prereq TAMPERING '
	strace -o log -e trace=write -e inject=write:error=ENOSPC \
		sh -c "echo x" >out 2>err
	test ! -s out
'

# musl may map the memory of test-tool anew for each call.
own=none
test_have_prereq !MUSL || own="^m(un)?map$"

# per_calls VALUE CALL ARG...: write to actual the system calls that are more with
# twice $nr (50) calls of test-tool. A few are the memory that test-tool takes,
# and once a second the library checks whether the destination is unchanged.
per_calls () {
	value=$1 &&
	shift &&
	for n in 1 2
	do
		rm -f e &&
		calls_of env GIT_TRACE2_EVENT="$value" \
			test-tool trace2 call --repeat=$((n * ${nr:-50})) \
			"$@" >calls.$n 9>nine || return 1
	done &&
	awk "NR == FNR { before[\$1] = \$2; next }
		\$2 - before[\$1] > 10 && \$1 !~ /$own/ {
			print \$1, \$2 - before[\$1]
		}" \
		calls.1 calls.2 >actual
}

# The size of the file changes the number of brk() and mmap().
test_expect_success 'an event in a file costs one write' '
	per_calls "$(pwd)/e" data_string c k v &&
	echo "write 50" >expect &&
	test_cmp expect actual &&
	mkdir d &&
	per_calls "$(pwd)/d" data_string c k v &&
	test_cmp expect actual
'

test_expect_success 'an event in a file that the host opened costs an fstat and a write' '
	per_calls 9 data_string c k v &&
	test_cmp - actual <<-\EOF
	fstat 50
	write 50
	EOF
'

# Since Linux 6.18 a write can be asked to raise no SIGPIPE.
test_lazy_prereq RWF_NOSIGNAL '
	uname -r >release &&
	"$PERL_PATH" -ne "/^(\d+)\.(\d+)/ or exit 1;
		exit !(\$1 > 6 || \$1 == 6 && \$2 >= 18)" release
'

test_expect_success 'setup: a pipe that the host has open' '
	write_script piped <<-\EOF
	{ "$@" 9>&1 >&8 | cat >into-pipe; } 8>&1
	EOF
'

# A pipe that is not read yet has room for these few lines.
test_expect_success RWF_NOSIGNAL 'an event in a pipe of the host costs one pwritev2' '
	nr=20 through=./piped per_calls 9 data_string c k v &&
	test_cmp - actual <<-\EOF &&
	fstat 20
	pwritev2 20
	EOF
	test_grep atexit into-pipe
'

test_expect_success TAMPERING 'an event in a pipe costs two more calls if pwritev2 cannot suppress SIGPIPE' '
	tampering=pwritev2:error=EOPNOTSUPP:when=1 nr=20 through=./piped \
		per_calls 9 data_string c k v &&
	test_cmp - actual <<-\EOF &&
	fstat 20
	pwritev2 20
	rt_sigprocmask 40
	EOF
	test_grep atexit into-pipe
'

test_expect_success PIPE,RWF_NOSIGNAL 'an event in a fifo costs one write' '
	nr=20 through="test-tool fault read-fifo --output=ignored $sockets/f" \
		per_calls "$sockets/f" data_string c k v &&
	echo "pwritev2 20" | test_cmp - actual
'

test_expect_success UNIX_SOCKETS 'an event in a socket costs one send' '
	nr=20 through="test-tool fault listen-stream --output=ignored $sockets/s" \
		per_calls "af_unix:stream:$sockets/s" data_string c k v &&
	echo "sendto 20" | test_cmp - actual
'

test_expect_success 'a region costs two writes; a message or a parameter costs one' '
	per_calls "$(pwd)/e" region_enter c l , region_leave c l &&
	echo "write 100" >expect &&
	test_cmp expect actual &&
	per_calls "$(pwd)/e" printf "a message" , def_param local k v &&
	test_cmp expect actual
'

test_expect_success 'a timer and a counter make no system call' '
	per_calls "$(pwd)/e" timer_start test1 , timer_stop test1 , \
		counter_add test1 1 &&
	test_must_be_empty actual
'

test_expect_success 'calls make no system call while tracing is off' '
	per_calls 0 data_string c k v , region_enter c l , region_leave c l , \
		timer_start test1 , timer_stop test1 , counter_add test1 1 &&
	test_must_be_empty actual
'

# barriers COMMAND...: print the arguments of its calls of membarrier().
barriers () {
	rm -f log &&
	env GIT_TRACE2_EVENT=/dev/null strace -f -o log -e trace=membarrier "$@" &&
	sed -n "s/.*membarrier(MEMBARRIER_CMD_\([A-Z_]*\),.* = 0$/\1/p" log
}

# musl does not tell whether there are threads, and registers the process before
# the first one.
test_expect_success 'the end of a session uses a memory barrier only if there are other threads' '
	echo REGISTER_PRIVATE_EXPEDITED >expect &&
	if test_have_prereq !MUSL
	then
		barriers test-tool trace2 001return 0 >actual &&
		test_cmp expect actual || return 1
	fi &&
	barriers test-tool trace2 065exit_in_thread 0 | uniq >actual &&
	echo PRIVATE_EXPEDITED >>expect &&
	test_cmp expect actual
'

test_expect_success !MUSL 'threads started before initialize need no registration for memory barriers' '
	test_prints barriers "$hosts/threads" early-speakers </dev/null
'

# session_calls VAR=VALUE: print the number of system calls from the start of a
# session to the end of the process, without those of malloc() and for the
# ancestors. The session has the first three events, `exit` and `atexit`, and the
# metrics of test-tool: two timers, two counters, a distribution, a gauge.
session_calls () {
	strace -o log env GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null "$1" \
		test-tool trace2 001return 0 &&
	sed -e "1,/^execve.*test-tool/d" -e "/^getrandom\|^brk/d" \
		-e "/\/proc\/[0-9]*\/stat/{N;N;d;}" log |
	sed -n "/^rt_sigprocmask/,\$p" | sed "/^exit_group/,\$d" >calls &&
	wc -l <calls
}

# within MOST VAR=DESTINATION
within () {
	rm -f "${2#*=}" &&
	nr=$(session_calls "$2") || return 1
	test "$nr" -gt "$1" || return 0
	echo "$nr calls"
	cat calls
	return 1
}

# pthread_key_create() of musl makes two of its own.
test_expect_success 'a session with tracing off makes at most two system calls' '
	most=2 &&
	test_have_prereq !MUSL || most=4 &&
	within $most NOTHING=1
'

# The limit is twice the usual number: some more are no fault, a loop is one.
test_expect_success 'start and end of a session make a dozen system calls or so' '
	within 70 GIT_TRACE2_EVENT="$(pwd)/e" &&
	test_line_count = 6 e &&
	within 70 GIT_TRACE2="$(pwd)/n" &&
	within 70 GIT_TRACE2_PERF="$(pwd)/p" &&
	within 100 GIT_TRACE2_RING="$(pwd)/r" &&
	GIT_TRACE2_RING_MODE=consume within 120 GIT_TRACE2_RING="$(pwd)/r"
'

# tampered HOW: writes into e fail as strace can inject it.
tampered () {
	rm -f e &&
	unharmed GIT_TRACE2_EVENT="$(pwd)/e" \
		strace -o log -P "$(pwd)/e" -e trace=write -e inject="write:$1" \
		test-tool trace2 030events 40
}

test_expect_success TAMPERING,JQ 'interrupted writes are made again' '
	tampered error=EINTR:when=2+2 &&
	test_line_count -gt 10 e &&
	expect_valid_stream e &&
	test $(lost_in e) = 0
'

# Make one of the calls fail for each error; with GIT_TEST_LONG all.
lines='1 5 20 5'
test_have_prereq !EXPENSIVE || lines='"1 5 20" "1 5 20" "1 5 20" "1 5 20"'
test_expect_success TAMPERING,JQ 'a disk that fails after some lines keeps those lines whole' '
	eval "set -- $lines" &&
	for error in ENOSPC EIO EDQUOT EBADF
	do
		afters=$1 &&
		shift &&
		for after in $afters
		do
			tampered error=$error:when=$((after + 1))+ &&
			test_line_count = $after e &&
			cat e >>all.e || return 1
		done || return 1
	done &&
	intact all.e
'

# stalls VALUE FAULT...: write to actual how long the host waited.
stalls () {
	value=$1 &&
	shift &&
	rm -f log e n "$sockets"/* &&
	GIT_TRACE2="$(pwd)/n" GIT_TRACE2_EVENT="$value" "$@" \
		strace -f -o log ${tampering:+-e "inject=$tampering"} \
		test-tool trace2 030events 600 1000 &&
	"$PERL_PATH" "$TEST_DIRECTORY/t0506/waits.perl" log >actual &&
	echo "waits: at most 50 ms, writes that may wait: 0" | test_cmp - actual &&
	test_grep "^atexit .* lost:[1-9]" n
}

# Descriptors have no more time than sockets, unless a test says so.
GIT_TRACE2_BRIEF=1 GIT_TRACE2_PATIENCE=0
export GIT_TRACE2_BRIEF GIT_TRACE2_PATIENCE

test_expect_success 'a pipe that is never read holds the host up for at most 50 ms in all' '
	stalls 9 test-tool fault stalled-pipe 9
'

# patient MS COMMAND...: the log has waits of so long at most, and of more than 50
# ms.  A wait may take longer than its timeout, on a busy machine much longer.
patient () {
	ms=$1 &&
	shift &&
	rm -f log &&
	"$@" &&
	"$PERL_PATH" "$TEST_DIRECTORY/t0506/waits.perl" "$ms" log >actual &&
	echo "waits: at most $ms ms, writes that may wait: 0" | test_cmp - actual &&
	"$PERL_PATH" "$TEST_DIRECTORY/t0506/waits.perl" log >actual &&
	test_grep "^waits: [0-9]* ns," actual
}

test_expect_success 'a pipe that is never read holds the host up for GIT_TRACE2_PATIENCE at most' '
	rm -f n &&
	patient 1000 test_env GIT_TRACE2_PATIENCE=1 GIT_TRACE2="$(pwd)/n" \
		GIT_TRACE2_EVENT=9 test-tool fault stalled-pipe 9 \
		strace -f -o log test-tool trace2 030events 600 1000 &&
	test_grep "^atexit .* lost:[1-9]" n
'

test_expect_success 'a part of GIT_TRACE2_PATIENCE is kept for the atexit event' '
	sed -n "/write(.*\"atexit elapsed/,\$p" log >after &&
	test_grep "poll(.*= 0 (Timeout)" after &&
	sed "/write(.*\"atexit elapsed/,\$d" log >before &&
	"$PERL_PATH" "$TEST_DIRECTORY/t0506/waits.perl" 750 before >actual &&
	echo "waits: at most 750 ms, writes that may wait: 0" | test_cmp - actual
'

# The pipe is full by then, although the program has not waited.
test_expect_success 'a signal that ends the process shortens GIT_TRACE2_PATIENCE to 50 ms' '
	fill="dd if=/dev/zero of=/dev/fd/9 bs=4096 oflag=nonblock" &&
	test_expect_code 143 test_env GIT_TRACE2_PATIENCE=10 \
		GIT_TRACE2_SIGNALS=TERM GIT_TRACE2_EVENT=9 \
		test-tool fault stalled-pipe 9 \
		strace -f -o log test-tool trace2 261steps step \
			"sh:$fill 2>fill.log || :" raise &&
	test_grep "event[^,]*signal.* EAGAIN" log &&
	test_grep "killed by SIGTERM" log &&
	"$PERL_PATH" "$TEST_DIRECTORY/t0506/waits.perl" log >actual &&
	echo "waits: at most 50 ms, writes that may wait: 0" | test_cmp - actual
'

test_expect_success PIPE 'a fifo that is never read holds the host up for at most 50 ms' '
	stalls "$sockets/f" test-tool fault read-fifo --never-read "$sockets/f"
'

# poll() followed by a write would wait if another process fills the fifo
# between.
test_expect_success PIPE 'a fifo that the host has open is written by splice()' '
	stalls 9 test-tool fault read-fifo --never-read "$sockets/f" \
		sh -c "exec \"\$@\" 9>\"$sockets/f\"" sh &&
	test_grep "splice(" log
'

test_expect_success TAMPERING 'a kernel without pwritev2(): a stalled pipe is written by splice()' '
	tampering=pwritev2:error=EOPNOTSUPP stalls 9 test-tool fault stalled-pipe 9 &&
	test_grep "splice(" log
'

# nobody WHEN: the reader of a pipe has gone, and pwritev2() fails then.
nobody () {
	rm -f log n &&
	GIT_TRACE2="$(pwd)/n" GIT_TRACE2_EVENT=9 test-tool fault dead-pipe 9 \
		strace -o log -e inject="pwritev2:error=EOPNOTSUPP$1" \
		test-tool trace2 030events 30 &&
	test_grep ! "^--- SIGPIPE" log &&
	test_grep "^atexit .* lost:[1-9]" n
}

test_expect_success TAMPERING 'a kernel without pwritev2(): a pipe whose reader has gone raises no SIGPIPE' '
	nobody "" &&
	test_grep "splice(.*EPIPE" log &&
	nobody :when=1 &&
	test_grep "pwritev2(.*EPIPE" log
'

test_expect_success TAMPERING,PIPE 'a kernel without pwritev2(): a reader that leaves mid-stream raises no SIGPIPE' '
	for value in "$sockets/f" 9
	do
		rm -f log &&
		GIT_TRACE2_EVENT="$value" test-tool fault read-fifo \
			--hang-up-after=2500 --output=ignored "$sockets/f" \
			sh -c "exec \"\$@\" 9>\"$sockets/f\"" sh \
			strace -o log -e inject=pwritev2:error=EOPNOTSUPP:when=1 \
			test-tool trace2 030events 2000 1000 &&
		test_grep "EPIPE" log &&
		test_grep ! "^--- SIGPIPE" log || return 1
	done
'

# Show on any kernel what t0508 shows on newer ones.
test_expect_success TAMPERING 'a kernel without pwritev2(): pending signals arrive as often as they were sent' '
	for verb in none thread process both
	do
		for when in "" :when=1
		do
			unharmed GIT_TRACE2_EVENT=9 strace -o log \
				-e inject="pwritev2:error=EOPNOTSUPP$when" \
				"$hosts/handlers" pending-$verb || return 1
		done
	done
'

test_expect_success UNIX_SOCKETS 'a stream socket that is never read holds the host up for at most 50 ms' '
	stalls "af_unix:stream:$sockets/s" \
		test-tool fault listen-stream --never-read "$sockets/s"
'

test_expect_success UNIX_SOCKETS 'a datagram socket that is never read holds the host up for at most 50 ms' '
	stalls "af_unix:dgram:$sockets/d" \
		test-tool fault listen-dgram --never-read "$sockets/d"
'

test_expect_success UNIX_SOCKETS 'three stalled readers hold the host up for at most 50 ms together' '
	rm -f log &&
	GIT_TRACE2=9 GIT_TRACE2_PERF=9 GIT_TRACE2_EVENT="af_unix:$sockets/s" \
		test-tool fault listen-stream --never-read "$sockets/s" \
		test-tool fault stalled-pipe 9 \
		strace -f -o log test-tool trace2 030events 600 1000 &&
	"$PERL_PATH" "$TEST_DIRECTORY/t0506/waits.perl" log >actual &&
	echo "waits: at most 50 ms, writes that may wait: 0" | test_cmp - actual
'

# The library charges a handler that jumps out of a wait for the rest of the
# wait.
test_expect_success TAMPERING 'waits that a handler jumps out of hold the host up for at most 50 ms together' '
	rm -f log &&
	GIT_TRACE2_EVENT=9 test-tool fault stalled-pipe 9 \
		strace -f -o log -e inject=ppoll:signal=ALRM \
		"$hosts/handlers" jumps-out-of-waiting >out &&
	test_grep "^jumped [0-9]*[0-9][0-9] times" out &&
	"$PERL_PATH" "$TEST_DIRECTORY/t0506/waits.perl" log >actual &&
	echo "waits: at most 50 ms, writes that may wait: 0" | test_cmp - actual
'

# Otherwise a server that forks for each client would be 50 ms late for each.
test_expect_success 'a process and its forked children are held up for at most 50 ms together' '
	rm -f log &&
	FILLING=$("$PERL_PATH" -e "print q(x) x 100000") &&
	export FILLING &&
	test_when_finished "unset FILLING" &&
	GIT_TRACE2_ENV_VARS=FILLING GIT_TRACE2_EVENT=9 \
		test_expect_code 5 test-tool fault stalled-pipe 9 \
		strace -f -o log test-tool trace2 070fork &&
	"$PERL_PATH" "$TEST_DIRECTORY/t0506/waits.perl" log >actual &&
	echo "waits: at most 50 ms, writes that may wait: 0" | test_cmp - actual &&
	patient 1000 test_env GIT_TRACE2_PATIENCE=1 GIT_TRACE2_ENV_VARS=FILLING \
		GIT_TRACE2_EVENT=9 test_expect_code 5 test-tool fault stalled-pipe 9 \
		strace -f -o log test-tool trace2 070fork
'

test_done

#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='a host that limits itself, reuses descriptors or has little stack

The host changes after the library has begun, and behaves as without tracing.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-faults.sh"

test_skip_unless JQ

# Address space reserved for future threads is missing here.
test_expect_success !INSTRUMENTED 'a host that limits its memory later gets as much memory with tracing as without' '
	mkdir rings &&
	echo memory | test_prints "$hosts/changes" limit-memory &&
	GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/changes" limit-memory >actual &&
	test_cmp expect actual &&
	trace2_jq "[.[] | select(.event == \"counter\").count] == [10]" e &&
	GIT_TRACE2_RING="$(pwd)/rings" "$hosts/changes" limit-memory >actual &&
	test_cmp expect actual
'

# A child keeps little of its parent's ring, and no more in later generations.
test_expect_success !INSTRUMENTED 'thirty generations of children with a memory limit get as much as without tracing' '
	mkdir children &&
	echo memory | test_prints "$hosts/changes" limit-memory-of-children &&
	GIT_TRACE2_RING="$(pwd)/children" \
		"$hosts/changes" limit-memory-of-children >actual &&
	test_cmp expect actual &&
	test_stdout_line_count = 31 ls children
'

test_expect_success 'a file size limit of 4096 bytes raises no SIGXFSZ, and is reported' '
	for target in GIT_TRACE2=0 GIT_TRACE2="$(pwd)/n"
	do
		unharmed "$target" GIT_TRACE2_CONTROL=1 \
			"$hosts/changes" limit-files &&
		echo "status 700" | test_cmp - traced.out &&
		test_env LONG="$(printf "%5000s" x)" \
			unharmed "$target" GIT_TRACE2_CONTROL=1 \
			test-tool fault rlimit-fsize 4095 "$hosts/plain" 7 &&
		ended code 7 || return 1
	done &&
	test_grep "error trace2: GIT_TRACE2_CONTROL: no page" n
'

test_expect_success 'a sandbox that lets no file grow after initialization raises no SIGXFSZ' '
	printf "alive\n0\n" >expect &&
	for target in GIT_TRACE2=0 GIT_TRACE2_EVENT="$(pwd)/f" \
		GIT_TRACE2_RING="$(pwd)/rings"
	do
		{ env "$target" "$hosts/changes" forbid-files; echo $?; } |
		cat >actual &&
		test_cmp expect actual || return 1
	done &&
	grep "\"event\":\"data\"" f >lines &&
	test_line_count = 10 lines
'

test_lazy_prereq DENIES '
	test_have_prereq !INSTRUMENTED &&
	denied madvise true
'

test_expect_success DENIES 'a host that may not call ftruncate() runs without control page and ring' '
	rm -f n &&
	rm -rf rings &&
	mkdir rings &&
	unharmed GIT_TRACE2="$(pwd)/n" GIT_TRACE2_CONTROL=1 \
		"$PERL_PATH" "$TEST_DIRECTORY/t3100/deny.perl" ftruncate \
		"$hosts/plain" 7 &&
	ended code 7 &&
	test_grep "error trace2: GIT_TRACE2_CONTROL: no page" n &&
	unharmed GIT_TRACE2_RING="$(pwd)/rings" \
		"$PERL_PATH" "$TEST_DIRECTORY/t3100/deny.perl" ftruncate \
		"$hosts/plain" 7 &&
	ended code 7 &&
	test_prints ls rings </dev/null
'

test_expect_success 'local times in the trace do not change the time zone of the host' '
	TZ=AAA+5 "$hosts/changes" change-zone >expect &&
	TZ=AAA+5 GIT_TRACE2="$(pwd)/n" GIT_TRACE2_PERF="$(pwd)/p" \
		"$hosts/changes" change-zone >actual &&
	test_cmp expect actual &&
	TZ=AAA+5 GIT_TRACE2_CONTROL=1 "$hosts/changes" change-zone >actual &&
	test_cmp expect actual
'

# replaced NUMBER VERB: the trace has the events before, the host its file.
replaced () {
	rm -f host.db &&
	GIT_TRACE2=$1 GIT_TRACE2_PERF=$1 GIT_TRACE2_EVENT=$1 \
		"$hosts/changes" "$2" &&
	echo "of the host" >expect.db &&
	test_cmp expect.db host.db
}

test_expect_success 'a file that the host opens as descriptor 2 gets no trace line' '
	replaced 1 replace-stderr 2>trace &&
	test_grep "\"event\":\"data\"" trace &&
	{ replaced 1 replace-stderr 2>&1 >&3 | cat >trace; } 3>&1 &&
	test_cmp expect.db host.db &&
	test_grep "\"event\":\"data\"" trace
'

test_expect_success 'a file that the host opens in place of the target gets no trace line' '
	replaced 9 replace-nine 9>trace &&
	test_grep "\"event\":\"data\"" trace &&
	{ replaced 9 replace-nine 9>&1 >&3 | cat >trace; } 3>&1 &&
	test_cmp expect.db host.db &&
	test_grep "\"event\":\"data\"" trace
'

# apart WHO DESTINATION: run the host; WHO has descriptors of its own.
apart () {
	GIT_TRACE2_EVENT=$2 "$hosts/changes" "$1-with-own-descriptors"
}

# spoke FILE NAME...: these names and no others have lines in FILE.
spoke () {
	sed -n "s/.*\"key\":\"who\",\"value\":\"\([^\"]*\)\".*/\1/p" "$1" >actual &&
	shift &&
	test_write_lines "$@" | test_cmp - actual
}

test_expect_success 'a thread that calls unshare(CLONE_FILES) opens the trace file again' '
	rm -f e &&
	apart thread "$(pwd)/e" &&
	spoke e before apart "apart again" after apart "apart again" later \
		"at last" &&
	trace2_jq "[.[] | select(.event == \"atexit\").lost] == [null]" e &&
	mkdir apart &&
	apart thread "$(pwd)/apart" &&
	cat apart/* >e &&
	spoke e before apart "apart again" after apart "apart again" later \
		"at last"
'

test_expect_success 'a thread that calls unshare(CLONE_FILES) does not write to host descriptors' '
	apart thread 9 9>e &&
	spoke e before after later "at last" &&
	{ apart thread 9 9>&1 | cat >e; } &&
	spoke e before after later "at last"
'

test_expect_success 'main may call unshare(CLONE_FILES) without losing an event' '
	rm -f e &&
	apart main "$(pwd)/e" &&
	spoke e before apart "apart again" after
'

# Any process of the same user may write to the file.
test_expect_success 'a ring overwritten by another process does not stop the host' '
	rm -rf rings &&
	mkdir rings &&
	GIT_TRACE2_RING="$(pwd)/rings" "$hosts/changes" scribbled-ring >actual &&
	echo alive | test_cmp - actual
'

# A sample that is not taken there is taken at the next count elsewhere.
test_expect_success !INSTRUMENTED 'a counter may be sampled in a handler with a small stack' '
	rm -rf rings &&
	mkdir rings &&
	"$hosts/changes" small-signal-stack >expect &&
	GIT_TRACE2_RING="$(pwd)/rings" GIT_TRACE2_SAMPLE=app/changes/counted/:1 \
		"$hosts/changes" small-signal-stack >actual &&
	test_cmp expect actual
'

# told NR FILE...: FILE has the data of NR rounds, and an end.
told () {
	nr=$1 &&
	shift &&
	expect_valid_stream "$1" &&
	grep "\"event\":\"data\"" "$1" >data &&
	test_line_count -eq $((10 * nr)) data &&
	test_grep "\"event\":\"atexit\"" "$1"
}

# One descriptor is open afterwards: the descriptor of the file.
test_expect_success 'a trace file continues although the host closes all descriptors again and again' '
	rm -rf e dir &&
	mkdir dir &&
	printf "1 descriptors\n1 descriptors\n" >expect &&
	GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/changes" close-often >actual &&
	test_cmp expect actual &&
	told 100 e &&
	GIT_TRACE2_EVENT="$(pwd)/dir" "$hosts/changes" close-often >actual &&
	test_cmp expect actual &&
	told 100 dir/*
'

test_expect_success 'a closed trace whose name now belongs to another file leaves that file alone' '
	rm -f e e.old &&
	GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/changes" close-renamed &&
	test_must_be_empty e &&
	grep "\"event\":\"data\"" e.old >data &&
	test_line_count = 10 data
'

test_expect_success !INSTRUMENTED 'a closed trace file stays closed in a sandbox that kills for opening files' '
	rm -f e &&
	unharmed GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/changes" close-in-sandbox &&
	ended code 0
'

test_expect_success X86_64 'a SIGSYS handler that refuses openat() lets a traced child exit normally' '
	for target in GIT_TRACE2_EVENT="$(pwd)/e" GIT_TRACE2_RING="$(pwd)/rings"
	do
		unharmed "$target" "$hosts/changes" trap-opens &&
		echo "status 700" | test_cmp - traced.out || return 1
	done
'

test_expect_success 'the library keeps errno in a sandbox that refuses gettid' '
	GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/changes" refuse-gettid >out &&
	echo "errno 4242" | test_cmp - out
'

test_lazy_prereq TIMENS '
	"$GIT_BUILD_DIR/build/hosts/namespaces" fork 0
'

# in_namespace HOW: intervals last 0.1 s, some a little more, and `time` is the
# present time, whatever the clock of the namespace.
in_namespace () {
	for ms in 864000000 300 -300 -10000
	do
		rm -f e &&
		GIT_TRACE2_EVENT="$(pwd)/e" \
			"$GIT_BUILD_DIR/build/hosts/namespaces" "$1" $ms &&
		expect_valid_stream e &&
		test_grep ! "\"event\":\"error\"" e &&
		jq -c "select(
			(.time | sub(\"[.].*\"; \"Z\") | fromdate) as \$at |
			now - \$at > 60 or \$at - now > 5 or
			(.t_abs // 0) > 60 or
			((.t_rel // .t_max // 1) | . < 0.09 or . > 60) or
			(.value.end? // 0.1 | . < 0.09 or . > 60))" e >wrong ||
		return 1
		test -s wrong || continue
		echo "with $ms ms" &&
		cat wrong
		return 1
	done
}

test_expect_success JQ,TIMENS 'a child in another time namespace has right times and durations' '
	in_namespace fork &&
	in_namespace bare-fork &&
	in_namespace resume
'

test_expect_success JQ,TIMENS 'a process that enters another time namespace has right times and durations' '
	in_namespace enter
'

# The malloc() of a sanitizer asks the vDSO for the time, which reads the counter: the
# process would end there.
test_expect_success JQ,TIMENS,!INSTRUMENTED 'a child in another time namespace has right times without the TSC, too' '
	in_namespace kernel-fork &&
	in_namespace kernel-resume
'

test_done

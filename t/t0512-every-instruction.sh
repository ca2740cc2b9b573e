#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='a signal at every instruction of a call

The handler returns, jumps away, ends its thread or ends the process. Afterwards
the thread has its errno, its signal mask and its type of cancellation, and all
threads continue. Events and counts are recorded, or counted as lost.

Without GIT_TEST_LONG, calls of more than a hundred instructions are stopped at
some of them, evenly spread: at fewer, if each stop needs a thread or a process
of its own.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-faults.sh"

most=100 some=30 few=8
# Try one of the calls that differ only in their place; with GIT_TEST_LONG all.
in_child=say in_fifo=say in_rings=say
in_ends=say-in-thread in_cancels='say-again-in-thread thread'
calls='say thread' records=say
if test_have_prereq EXPENSIVE
then
	most=1000000 some=1000000 few=1000000
	in_child='say count' in_fifo='say thread' in_rings='say regions thread'
	in_ends='say-in-thread count-in-thread thread'
	in_cancels='say-in-thread say-again-in-thread count-in-thread thread'
	calls='say regions print count time say-in-thread count-in-thread thread'
	records='say count-sampled thread'
fi

test_skip_unless JQ,STEPS 'jq is needed, and a processor that stops behind each instruction'

through=

# stepped CALL HOW [MOST]: write the event stream to e; the numbers that it
# printed are in $said, $counted and $jumped.
stepped () {
	rm -f e &&
	GIT_TRACE2_EVENT="${into-$(pwd)/e}" \
		$through "$hosts/steps" "$1" "$2" "${3-$most}" >out ||
	{
		echo "it was: $1 $2" &&
		cat out &&
		return 1
	}
	cat out &&
	read_numbers
}

# Do the same with tracing off.
stepped_off () {
	"$hosts/steps" "$1" "$2" "${3-$most}" >out ||
	{
		echo "it was: $1 $2, off" &&
		cat out &&
		return 1
	}
}

read_numbers () {
	stops=$(sed -n "s/^\([0-9]*\) instructions, missed .*/\1/p" out) &&
	missed=$(sed -n "s/^.* instructions, missed \([0-9]*\)\$/\1/p" out) &&
	test "$missed" -lt "$stops" &&
	numbers=$(sed -n "s/^said \([0-9]*\), counted \([0-9]*\), jumped \([0-9]*\)\$/\1 \2 \3/p" out) &&
	test -n "$numbers" &&
	said=${numbers%% *} &&
	jumped=${numbers##* } &&
	counted=${numbers#* } counted=${counted% *}
}

# told KEY VALUE...: print how many events of e have one of these values. There
# are many: jq would take longer than the program.
told () {
	pattern= &&
	while test $# -gt 0
	do
		pattern="$pattern${pattern:+\\|}\"$1\":\"$2\"" &&
		shift 2 || return 1
	done &&
	{ grep -c "$pattern" e || :; }
}

counter () {
	sed -n "s/^{\"event\":\"counter\",.*\"name\":\"$1\",\"count\":\([0-9]*\)}\$/\1/p" e >count &&
	{ test -s count || echo 0 >count; } &&
	head -n 1 count
}

# Only one of two paired events, of threads and regions, may be present.
for call in say print count time perf count-in-thread
do
	test_expect_success "siglongjmp() out of $call leaves the library usable" '
		stepped $call jumps &&
		test "$jumped" -gt 2 &&
		intact e &&
		test "$(told msg "behind a jump")" = "$jumped"
	'
done

for call in open module
do
	test_expect_success "siglongjmp() out of $call leaves the library usable" '
		stepped $call jumps &&
		test "$jumped" -gt 2 &&
		test "$(told msg "behind a jump")" = "$jumped" &&
		stepped_off $call jumps
	'
done

for call in regions say-in-thread thread
do
	test_expect_success "siglongjmp() out of $call leaves the library usable" '
		stepped $call jumps &&
		test "$jumped" -gt 2 &&
		test "$(told msg "behind a jump")" = "$jumped"
	'
done

test_expect_success 'siglongjmp() out of the first call of a forked child leaves a valid stream' '
	for call in $in_child
	do
		stepped $call-in-child jumps $few &&
		intact e || return 1
	done
'

test_expect_success 'siglongjmp() out of trace2_initialize() leaves the library usable' '
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" \
		"$hosts/handlers" jumps-out-of-the-start &&
	test "$(told value after)" = 100
'

# Run a program with a pipe that holds a megabyte (F_SETPIPE_SZ) as descriptor 9: on
# a busy machine the reader may not run for longer than the library waits for it.
write_script wide "$PERL_PATH" <<\EOF
$^F = 9;
open my $pipe, ">&=", 9;
fcntl $pipe, 1031, 1 << 20;
exec @ARGV;
EOF

test_expect_success 'siglongjmp() out of a write to a pipe: other threads continue to write' '
	write_script piped <<-\EOF &&
	{ ./wide "$@" 9>&1 >&8 | cat >got; } 8>&1
	EOF
	into=9 through=./piped stepped say jumps &&
	mv got e &&
	test "$(told msg "behind a jump")" = "$jumped" &&
	test "$(told event atexit)" = 1
'

# Use another pipe.
test_expect_success 'siglongjmp() out of a write to a fifo: other threads continue to write' '
	mkfifo fifo &&
	for call in $in_fifo
	do
		{ cat fifo >got & } &&
		reader=$! &&
		into=9 through=./wide stepped $call jumps 9>fifo &&
		wait $reader &&
		mv got e &&
		test "$(told msg "behind a jump")" = "$jumped" &&
		test "$(told value thread)" -ge $((2 * jumped)) || return 1
	done
'

# in_ring CALL HOW [MOST]: with a sampled counter; its ring is in dump.txt.
in_ring () {
	rm -rf r &&
	mkdir r &&
	GIT_TRACE2_RING="$(pwd)/r" GIT_TRACE2_RING_SIZE="${size-16m}" \
		GIT_TRACE2_SAMPLE=app/steps/sampled/:7 \
		"$hosts/steps" "$1" "$2" "${3-$most}" >out &&
	cat out &&
	read_numbers &&
	test-tool ring dump r/* >dump.txt
}

# found PATTERN: print how many lines of dump.txt match.
found () {
	grep -c "$1" dump.txt || :
}

test_expect_success 'siglongjmp() out of a ring record or a sample loses no event after the jump' '
	for call in $in_rings
	do
		in_ring $call jumps &&
		test "$(found "behind a jump")" = "$jumped" || return 1
	done &&
	in_ring count-sampled jumps &&
	test "$(found "behind a jump")" = "$jumped"
'

for call in say regions print count perf open
do
	test_expect_success "a signal handler may call the library inside a call: $call" '
		stepped $call calls &&
		intact e &&
		events=$(told value call value handler) &&
		test $((events + $(lost_in e))) = "$said" &&
		test $(($(counter plain) + $(counter sampled))) = "$counted"
	'
done

test_expect_success 'a handler that makes 130 calls tears no line' '
	for call in say print
	do
		stepped $call often &&
		intact e || return 1
	done
'

test_expect_success 'a signal handler may call the library inside a call: time' '
	stepped time calls &&
	intact e &&
	test "$(counter sampled)" = "$counted"
'

test_expect_success 'a handler may emit events while a region begins or ends in a ring' '
	rm -rf r &&
	mkdir r &&
	GIT_TRACE2_RING="$(pwd)/r" GIT_TRACE2_RING_SIZE=16m \
		"$hosts/steps" regions calls "$most" >out &&
	trace2 check r >checked &&
	test_grep ": no problems\$" checked
'

# After the first enter, no region is open around a region.
test_expect_success 'a handler may emit events in a ring that is overwriting its oldest events' '
	rm -rf r &&
	mkdir r &&
	GIT_TRACE2_RING="$(pwd)/r" GIT_TRACE2_RING_SIZE=32k \
		"$hosts/steps" regions calls $((2 * most)) >out &&
	trace2 script --git-event r 2>err |
	jq -r "select(.nesting) | [.event, .nesting] | @tsv" >nested &&
	test_grep "newer records replaced" err &&
	"$PERL_PATH" -ane "
		\$in = 0 if \$F[0] eq q(region_leave);
		print if defined \$in && \$F[1] != 1 + \$in;
		\$in = 1 if \$F[0] eq q(region_enter);" nested >wrong &&
	test_line_count -gt 100 nested &&
	test_must_be_empty wrong
'

test_expect_success 'a handler may add to the counter that is being sampled' '
	in_ring count-sampled calls &&
	sampled=$(sed -n "s/.* SAMPLE .* period=\([0-9]*\) .*/\1/p" dump.txt |
		"$PERL_PATH" -ne "\$n += \$_; END { print \$n }") &&
	test_grep "^0 counter steps/sampled $counted\$" dump.txt &&
	test "$sampled" -le "$counted" &&
	test "$sampled" -gt $((counted - 7)) &&
	test "$(found "value=\"handler\"")" = "$said"
'

# Events and counts of a handler that interrupted a first call are in `lost`; a
# thread that calls the library in a handler after its end has one more slot.
test_expect_success 'a storm of signals beside other threads loses no event and no count' '
	rm -rf r &&
	mkdir r &&
	GIT_TRACE2_RING="$(pwd)/r" GIT_TRACE2_RING_SIZE=16m \
		GIT_TRACE2_SAMPLE=app/handlers/sampled/:100 \
		"$hosts/handlers" samples-in-a-storm >out &&
	cat out &&
	test-tool ring dump r/* >dump.txt &&
	handled=$(sed -n "s/handled \([0-9]*\),.*/\1/p" out) &&
	counted=$(sed -n "s/.*, counted \([0-9]*\)\$/\1/p" out) &&
	test -n "$handled" && test -n "$counted" &&
	is_counted=$(sed -n "s/.* name=.sampled. count=//p" dump.txt) &&
	lost=$(sed -n "s/^1 atexit .* lost=//p" dump.txt) &&
	is_said=$(found "value=\"in a handler\"") &&
	test $((handled + counted)) = $((is_said + is_counted + lost)) &&
	sampled=$(sed -n "s/.* SAMPLE .* period=\([0-9]*\) .*/\1/p" dump.txt |
		"$PERL_PATH" -ne "\$n += \$_; END { print \$n }") &&
	test "$sampled" -le "$is_counted" &&
	test "$sampled" -gt $((is_counted - 5 * 100))
'

test_expect_success 'pthread_exit() in a handler leaves whole lines' '
	for call in $in_ends
	do
		stepped $call ends $some &&
		test "$(told event atexit)" = 1 || return 1
	done &&
	in_ring thread ends $some
'

# musl cancels on a stack that is not aligned (see t0502).
test_expect_success !MUSL 'a thread may be cancelled in calls, asynchronously or not' '
	for call in $in_cancels
	do
		stepped $call cancels $some &&
		intact e &&
		test "$(told event atexit)" = 1 || return 1
	done &&
	in_ring say-again-in-thread cancels $some &&
	in_ring thread cancels $some
'

test_expect_success 'pthread_exit() in a handler during a write leaves whole lines' '
	{ cat fifo >got & } &&
	reader=$! &&
	into=9 through=./wide stepped say-again-in-thread ends 9>fifo &&
	wait $reader &&
	mv got e &&
	test "$(told event atexit)" = 1
'

test_expect_success !MUSL 'a thread may end, or be cancelled, while it defines a metric' '
	for how in ends cancels
	do
		stepped open-in-thread $how &&
		test "$(told event atexit)" = 1 &&
		stepped_off open-in-thread $how || return 1
	done
'

# The child of another thread, by fork(), _Fork() or clone(), calls each function
# first, some in a handler of pthread_atfork() that comes before the library's.
for call in open read count-in-thread module say
do
	test_expect_success "another thread may fork during a call: $call" '
		stepped $call forks &&
		intact e &&
		stepped_off $call forks
	'
done

test_expect_success 'another thread may fork in calls that write into a ring' '
	for call in open read count-in-thread module thread
	do
		in_ring $call forks $some || return 1
	done
'

# divided CALL HOW: the child that a handler makes returns from it. Its session has its
# own event and its own count.
unchecked 'a child may leave a region of its parent, and repeats what _Fork() interrupted' 'd/*'

# shellcheck disable=SC2283 # tests, not assignments
divided () {
	for target in RING EVENT
	do
		rm -rf d &&
		mkdir d &&
		env "GIT_TRACE2_$target=$(pwd)/d" GIT_TRACE2_RING_SIZE=32k \
			"$hosts/steps" "$1" "$2" "$most" >out &&
		cat out &&
		forked=$(sed -n "s/^forked \([0-9]*\) times\$/\1/p" out) &&
		test "$forked" -gt 9 &&
		test_stdout_line_count = $((forked + 1)) ls d &&
		trace2 script --git-event d >events 2>err &&
		grep "\"value\":\"divided\"" events >found &&
		test_line_count = "$forked" found &&
		grep "\"name\":\"other\",\"count\":1}" events >found &&
		test_line_count = "$forked" found || return 1
	done
}

test_expect_success 'fork(), _Fork() and clone() in a handler give the child one session' '
	for call in say regions count print time open say-in-thread
	do
		divided $call divides &&
		divided $call _Forks || return 1
	done
'

test_expect_success 'exit() in a handler leaves whole lines' '
	for call in $calls
	do
		stepped $call exits $few &&
		intact e || return 1
	done &&
	for call in $records
	do
		size=64k in_ring $call exits $few &&
		ls r >rings &&
		test_line_count = "$(found "^1 atexit ")" rings || return 1
	done
'

test_done

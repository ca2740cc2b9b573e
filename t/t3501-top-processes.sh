#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 top: the processes of a recording, and any others'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-terminal.sh"

if ! test_have_prereq JQ,PIPE,PERL
then
	skip_all='no jq, no perl, or no fifos'
	test_done
fi

# The kernel tells this user in which functions the processes of the user wait.
test_lazy_prereq WCHAN '
	sleep 1000 & pid=$! &&
	wait_until grep -E "nanosleep|^0$" /proc/$pid/wchan &&
	kill $pid &&
	! wait $pid
'

# Each word is done by a child, and the parent waits for the end of its input:
#	hog       computes
#	stop      is stopped
#	zombie    has ended
#	quick     computes for a while, and ends
#	forks     starts processes that end at once, over and over
#	name:X    waits, and is called X
cat >family.perl <<\EOF
use strict;
use warnings;
use Time::HiRes qw(clock sleep);

sub do_it {
	my ($what) = @_;
	if ($what eq 'hog') { 1 while 1 }
	if ($what eq 'stop') { kill STOP => $$ }
	if ($what eq 'quick') { 1 while clock() < 0.03 }
	while ($what eq 'forks') { fork or exit; wait; sleep 0.002 }
	$0 = $1 if $what =~ /^name:(.*)/;
	sleep 1000 if $what =~ /^name/;
	exit;
}

$| = 1;
my @pids;
for my $what (@ARGV) {
	my $pid = fork // die;
	do_it($what) if !$pid;
	waitpid $pid, 0 if $what eq 'quick';
	push @pids, $pid;
}
print "ready\n";
1 while <STDIN>;
my (undef, undef, @waited) = times;
open my $out, '>', 'waited';
print {$out} 1e9 * ($waited[0] + $waited[1]), "\n";
close $out;
kill KILL => @pids;
EOF

# start_family WORD...: its pid is in $parent.
start_family () {
	rm -f in out &&
	mkfifo in out &&
	{ "$PERL_PATH" family.perl "$@" <in >out & } &&
	parent=$! &&
	exec 8>in 9<out &&
	read -r answer <&9 &&
	test "$answer" = ready
}

end_family () {
	exec 8>&- 9<&- &&
	wait "$parent"
}

# until_top CONDITION ARG...: look until the condition of jq holds; what top
# wrote then is in top.json.
until_top () {
	wait_until top_shows "$@"
}
top_shows () {
	condition=$1 &&
	shift &&
	trace2 top --once --format=json "$@" >top.json 8>&- 9<&- &&
	jq -e "$condition" top.json >/dev/null
}

# looked NR: top has looked more often than that.
looked () {
	test "$(grep -c "\"sum\"" looks)" -gt "$1"
}

test_expect_success 'top shows a process, and all below it, with states' '
	start_family hog stop zombie name:idle &&
	test_when_finished end_family &&
	until_top "(.processes | length) == 5 and
		[.processes[].state] == [\"wait\", \"run\", \"stopped\",
			\"zombie\", \"wait\"]" -p $parent &&
	jq -e ".processes[0].pid == $parent and
		([.processes[1:][].ppid] | all(. == $parent)) and
		.processes[4].command == \"idle\" and
		.sum[0].processes == 4 and .sum[0].run == 1 and
		.sum[0].wait == 2 and .sum[0].ended == 1" top.json &&
	trace2 top --once -p $parent >actual &&
	test_grep "^ *$parent  wait .* .*  perl" actual &&
	test_grep "└ idle$" actual
'

test_expect_success WCHAN 'top shows the cause of waiting of each process' '
	start_family name:idle &&
	test_when_finished end_family &&
	until_top ".processes[0].cause == \"pipe\" and
		.processes[1].cause == \"sleep\"" -p $parent &&
	trace2 top --once -p $parent >actual &&
	test_grep "wait pipe .* perl" actual &&
	test_grep "wait sleep .* idle" actual
'

test_expect_success WCHAN 'top shows the wait for a pipe, not the waits of threads for each other' '
	mkfifo worker-in worker-out &&
	{ "$hosts/worker" 3 1 exit <worker-in >worker-out 8>&- 9<&- & } &&
	parent=$! &&
	exec 6>worker-in 7<worker-out &&
	test_when_finished "exec 6>&- 7<&-; wait $parent || :" &&
	read -r answer <&7 &&
	until_top ".processes[0].threads == 4 and
		.processes[0].cause == \"pipe\"" -p $parent
'

# record_family WORD...: under the recorder. $parent is the recorder.
record_family () {
	rm -rf in out trace2.data &&
	mkfifo in out &&
	{ trace2 record -- "$PERL_PATH" family.perl "$@" <in >out 2>err & } &&
	parent=$! &&
	exec 8>in 9<out &&
	read -r answer <&9 &&
	test "$answer" = ready
}

test_expect_success 'top shows a running recording: its command and all below it' '
	record_family hog name:idle &&
	test_when_finished "exec 8>&- 9<&-; wait $parent || :" &&
	until_top "(.processes | length) == 3 and
		.processes[1].state == \"run\"" &&
	jq -e ".processes[0].ppid == $parent and
		([.processes[].pid] | index($parent) | not) and
		.sum[0].state == \"running\"" top.json &&
	until_top "(.processes | length) == 3" trace2.data
'

has_ends () {
	test "$(grep -c "\"exit\"" trace2.data/tasks.jsonl)" -gt "$1"
}

test_expect_success TASKS 'top counts processes that had ended before top saw them' '
	# The recorder writes its records when it gets more.
	record_family quick quick quick forks &&
	test_when_finished "exec 8>&- 9<&-; wait $parent || :" &&
	wait_until has_ends 50 &&
	until_top ".sum[0].ended > 50 and .sum[0].cpu_ns >= 60000000"
'

test_expect_success 'top ends when the recording ends, and shows the exit code' '
	record_family name:idle &&
	rm -f looks &&
	{ trace2 top -d 0.01 >looks 8>&- 9<&- & } &&
	top=$! &&
	wait_until grep " idle$" looks &&
	exec 8>&- 9<&- &&
	wait $parent &&
	wait $top &&
	test_grep "  exited with code 0$" looks &&
	test_must_fail trace2 top 2>err &&
	test_grep "the recording .trace2.data. has ended (.trace2 report trace2.data. shows it)" err
'

test_expect_success 'top refuses a recording in progress whose recorder was killed' '
	record_family name:idle &&
	until_top "(.processes | length) == 2" &&
	rm -f looks &&
	{ trace2 top -d 0.01 >looks 8>&- 9<&- & } &&
	top=$! &&
	wait_until test -s looks &&
	kill -KILL $parent &&
	wait $top &&
	test_grep "its recorder was killed" looks &&
	test_must_fail trace2 top 2>err &&
	test_grep "its recorder was killed (.trace2 report trace2.data. shows it)" err &&
	exec 8>&- 9<&- &&
	{ wait $parent || :; }
'

# total_of WORD...: the CPU time, as seen while the family runs.
total_of () {
	start_family "$@" &&
	until_top "(.sum[0].cpu_ns) >= 0" -p "$parent" &&
	total=$(jq ".sum[0].cpu_ns - .processes[0].cpu_ns" top.json) &&
	end_family
}

test_expect_success 'top adds the CPU time of ended processes to the sum' '
	total_of quick quick quick &&
	waited=$(cat waited) &&
	# The kernel rounds both terms to ticks, and top both of its own.
	test "$waited" -ge 60000000 &&
	test "$total" -ge $((waited - 20000000)) &&
	test "$total" -le $((waited + 20000000))
'

# Nobody waits for children whose end is ignored: theirs is lost to the kernel.
test_expect_success 'top counts the CPU time of a child that ended without being waited for' '
	mkfifo go went &&
	{ "$PERL_PATH" -MTime::HiRes=clock -e "
		\$| = 1;
		\$SIG{CHLD} = q(IGNORE);
		if (!fork) { 1 while clock() < 0.1; print qq(computed\n); <STDIN>; exit }
		waitpid -1, 0;
		1 while clock() < 0.1;
		print qq(ended\n);
		<STDIN>;
	" <go >went & } &&
	parent=$! &&
	exec 8>go 9<went &&
	read -r answer <&9 &&
	rm -f looks &&
	{ trace2 top --format=json -d 0.01 -p $parent >looks 8>&- 9<&- & } &&
	top=$! &&
	wait_until eval "test \"\$(grep -c threads looks)\" -gt 1" &&
	echo >&8 && read -r answer <&9 && test "$answer" = ended &&
	nr=$(grep -c "\"ended\":1" looks) &&
	wait_until eval "test \"\$(grep -c \\\"ended\\\":1 looks)\" -gt $((nr + 1))" &&
	kill $top && wait $top &&
	exec 8>&- 9<&- && wait $parent &&
	jq -s "[.[].sum[0].cpu_ns]" looks >totals &&
	# The parent computed as long as the child.
	jq -e ". == sort and .[-1] >= 180000000" totals
'

looks=100
test_have_prereq !EXPENSIVE || looks=1000
test_expect_success 'top accepts processes that begin and end while it reads them' '
	start_family forks forks forks &&
	test_when_finished end_family &&
	rm -f looks &&
	{ trace2 top --format=json -d 0.0001 -p $parent >looks 8>&- 9<&- & } &&
	top=$! &&
	wait_until looked $looks &&
	wait_until grep -q "\"ended\":[1-9]" looks &&
	kill $top && wait $top &&
	jq -s -e "(length > $looks) and ([.[].sum[0].cpu_ns] | . == sort) and
		(.[-1].sum[0].ended > 0) and
		all(.[]; .processes[0].pid == $parent)" looks
'

# Hogs share the CPUs. While top is stopped, the one that it watches ends.
test_expect_success 'top counts an ended process as ended, not as waiting for a CPU' '
	hogs= &&
	# Remove the looks of the test before: otherwise top would be stopped
	# before it looks.
	rm -f looks &&
	for i in 1 2 3
	do
		{ "$PERL_PATH" -e "1 while 1" & } &&
		hogs="$hogs $!" || return 1
	done &&
	test_when_finished "kill $hogs" &&
	{ "$PERL_PATH" -e "1 while 1" & } &&
	parent=$! &&
	{ trace2 top --format=json -d 0.02 -p $parent >looks & } &&
	top=$! &&
	wait_until looked 3 &&
	kill -STOP $top &&
	wait_until grep -q "^State:.T" /proc/$top/status &&
	kill $parent &&
	! wait $parent &&
	kill -CONT $top &&
	wait $top &&
	jq -s -e "(.[-1].sum[0] | .ended == 1 and .ready == 0) and
		.[-1].processes[0].state == \"ended\"" looks
'

test_expect_success 'top shows open regions from a stream of events' '
	rm -rf trace2.data worker-in worker-out &&
	mkfifo worker-in worker-out &&
	{ trace2 record -- "$hosts/worker" 1 1 exit \
		<worker-in >worker-out 2>err & } &&
	parent=$! &&
	exec 8>worker-in 9<worker-out &&
	read -r answer <&9 &&
	until_top "(.threads | length) == 1" &&
	jq -e ".threads[0].regions == \"worker/outer > worker/inner\" and
		.threads[0].thread == \"th01:worker\" and
		.threads[0].pid == .processes[0].pid" top.json &&
	exec 8>&- 9<&- &&
	{ wait $parent; test $? = 3; }
'

test_expect_success TTY 'top joins processes of one name in a row on a terminal' '
	start_family name:same name:same name:same name:same name:same \
		name:same name:same name:same name:other stop zombie &&
	test_when_finished end_family &&
	until_top "(.processes | length) == 12 and
		([.processes[1:10][].comm] | unique == [\"other\", \"same\"]) and
		[.processes[10:][].state] == [\"stopped\", \"zombie\"]" \
		-p $parent &&
	LINES=12 COLUMNS=80 test_terminal trace2 top --once -p $parent >actual &&
	test_line_count -lt 12 actual &&
	test_grep "same x 8$" actual &&
	test_grep "other$" actual &&
	# These are in different states.
	test_grep " wait  .* perl x 2$" actual &&
	LINES=40 COLUMNS=80 test_terminal trace2 top --once -p $parent >actual &&
	test_grep ! " x 8" actual &&
	trace2 top --once -p $parent >actual &&
	test "$(grep -c "same$" actual)" = 8
'

test_expect_success TTY 'top shows the busiest processes if the rows do not suffice' '
	start_family name:a name:b name:c name:d name:e name:f name:g name:h \
		hog &&
	test_when_finished end_family &&
	until_top "(.processes | length) == 10 and
		(.processes[9].cpu_ns > 30000000) and
		([.processes[1:9][].comm] | join(\"\")) == \"abcdefgh\"" \
		-p $parent &&
	LINES=13 COLUMNS=80 test_terminal trace2 top --once -p $parent >actual &&
	test_line_count -lt 13 actual &&
	test_grep "run .* perl" actual &&
	test_grep "more processes$" actual &&
	LINES=15 COLUMNS=80 test_terminal trace2 top --once -p $parent >actual &&
	test_grep "more processes$" actual &&
	LINES=16 COLUMNS=80 test_terminal trace2 top --once -p $parent >actual &&
	test_line_count -lt 16 actual &&
	test_grep ! "more processes" actual &&
	test_grep " a$" actual &&
	LINES=13 COLUMNS=80 test_terminal trace2 top --once -s cpu \
		-p $parent >actual &&
	test_line_count -lt 13 actual &&
	sed -n 5p actual >first &&
	test_grep " run " first
'

test_expect_success TTY 'top follows changes of the terminal size' '
	start_family name:same name:same name:same name:same name:same \
		name:same name:same name:same name:other &&
	test_when_finished end_family &&
	until_top "(.processes | length) == 10 and
		([.processes[1:][].comm] | unique == [\"other\", \"same\"])" \
		-p $parent &&
	mkfifo seen &&
	{ TERM=vt100 test_terminal sh -c "
		stty rows 40 cols 80 && echo \$\$ >top.pid &&
		exec trace2 top -d 1000 -p $parent" >seen 8>&- 9<&- & } &&
	seen=$! &&
	exec 6<seen &&
	while read -r line <&6 && ! echo "$line" | grep other
	do
		kill -0 $seen || return 1
	done &&
	tty=$(readlink "/proc/$(cat top.pid)/fd/1") &&
	stty rows 12 cols 80 <"$tty" &&
	kill -WINCH "$(cat top.pid)" &&
	while read -r line <&6 && ! echo "$line" | grep "same x 8"
	do
		kill -0 $seen || return 1
	done &&
	echo "$line" | grep "same x 8" &&
	kill "$(cat top.pid)" &&
	exec 6<&- &&
	wait $seen
'

test_expect_success TTY 'top shows help for ?, the table for another key, and ends for q' '
	start_family name:one &&
	test_when_finished end_family &&
	mkfifo typed shown &&
	{ TERM=vt100 LINES=40 COLUMNS=80 test_terminal \
		trace2 top -d 1000 -p $parent <typed >shown 8>&- 9<&- & } &&
	top=$! &&
	exec 5>typed 6<shown &&
	until_shown () {
		while read -r line <&6
		do
			case "$line" in
			*"$1"*) return 0 ;;
			esac
		done
		return 1
	} &&
	until_shown one &&
	printf "?" >&5 &&
	until_shown "q quits" &&
	until_shown "--delay SEC" &&
	printf "x" >&5 &&
	until_shown one &&
	printf "q" >&5 &&
	wait $top &&
	exec 5>&- 6<&-
'

# In a namespace of its own a pid can be chosen.
test_lazy_prereq CHOOSE_PID '
	unshare -p -f --mount-proc sh -c "
		echo 100 >/proc/sys/kernel/ns_last_pid && sh -c \"exit 0\""
'
test_expect_success CHOOSE_PID 'top distinguishes a process that reuses the pid of an ended one' '
	write_script reuse <<-\EOF &&
	"$PERL_PATH" -e "
		\$| = 1;
		if (!(\$pid = fork)) { sleep 1000; exit }
		print qq(\$pid\n);
		<STDIN>;
		kill KILL => \$pid;
		waitpid \$pid, 0;
		print qq(ended\n);
		<STDIN>;
	" <in >out &
	parent=$!
	exec 8>in 9<out
	read -r pid <&9
	trace2 top --format=json -d 0.05 -p $parent >>looks 8>&- 9<&- &
	top=$!
	until grep "\"processes\":2" looks >/dev/null
	do
		sleep 0.01
		kill -0 $top || exit 1
	done
	# A stopped top cannot see that nobody has the pid for a time.
	kill -STOP $top
	echo >&8
	read -r answer <&9
	# The kernel says in ticks of 10 ms when a process began.
	sleep 0.03
	echo $((pid - 1)) >/proc/sys/kernel/ns_last_pid
	sleep 1000 &
	other=$!
	test $other = "$pid" || echo "$pid $other" >not-reused
	: >looks
	kill -CONT $top
	# The first look may have begun before.
	until test "$(grep -c "^{\"sum\"" looks)" -ge 3
	do
		sleep 0.01
		kill -0 $top || exit 1
	done
	awk "/^{\"sum\"/ { n++ } n > 1" looks | grep "\"pid\":$pid," >taken
	kill $top
	kill $other
	exec 8>&-
	wait $parent
	EOF
	rm -f in out &&
	mkfifo in out &&
	rm -f looks &&
	PERL_PATH="$PERL_PATH" unshare -p -f --mount-proc ./reuse &&
	test_path_is_missing not-reused &&
	test_path_is_missing taken ||
	test_must_be_empty taken
'

test_expect_success ROOT 'top shows public data of processes of other users' '
	start_family name:idle &&
	test_when_finished end_family &&
	until_top ".processes[1].state == \"wait\" and
		.processes[1].comm == \"idle\"" -p $parent &&
	"$PERL_PATH" -e "
		\$) = \$( = 65534; \$> = \$< = 65534;
		exec @ARGV" "$GIT_BUILD_DIR/build/bin/trace2" \
		top --once --format=json -p $parent >top.json &&
	jq -e ".processes[1].state == \"wait\" and
		.processes[1].cause == null and
		.processes[1].cpu_ns > 0 and
		.processes[1].command == \"idle\"" top.json
'

test_expect_success 'top reports that it has nothing to watch' '
	test_must_fail trace2 top --once -p 4000000 2>err &&
	test_grep "there is no process 4000000" err &&
	test_must_fail trace2 top --once missing 2>err &&
	test_grep "cannot read .missing.: No such file or directory (name a recording in progress, or a process with -p)" err &&
	start_family name:idle &&
	test_when_finished end_family &&
	test_expect_code 2 trace2 top --once -p $parent -s colour 2>err &&
	test_grep "no table has a column .colour. to sort by" err
'

test_done

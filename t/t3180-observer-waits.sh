#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record: objects that processes wait for'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-perf.sh"

test_skip_unless JQ,TASKS

hosts=$GIT_BUILD_DIR/build/hosts

# Print the last object of each process that reported its wait, as reported.
objects () {
	test -f r/tasks.jsonl || return 0
	# The recorder may be in the middle of a line.
	sed '/}$/!d' r/tasks.jsonl |
	jq -r 'select(.type == "object" and .pid == .tid) | [.pid, .what,
		.name // "", .peer // 0, .number // 1, .others // ""] | @tsv' |
	awk -F '\t' 'NR == FNR { name[$2] = $1; next }
		$1 in name { seen[$1] = name[$1] "\t" $0 }
		END { for (pid in seen) print seen[pid] }' said - | LC_ALL=C sort
}

all_seen () {
	test "$(grep -c . said)" = "$rows" &&
	awk -F '\t' '$2 != "-" && $3 != "none"' said | LC_ALL=C sort >expect &&
	objects >actual &&
	LC_ALL=C comm -23 expect actual >missing &&
	! test -s missing
}

test_expect_success 'record names each kind of object that a process waits for' '
	rows=$(($("$hosts/waiters" count) + $("$hosts/socket-waiters" count))) &&
	>said &&
	{ trace2 record -q -o r -- sh -c "
		\"\$0\"/waiters &
		\"\$0\"/socket-waiters &
		wait" "$hosts" >>said & } &&
	test_when_finished ">go && wait" &&
	{ wait_until all_seen || { cat missing >&4 && return 1; }; }
'

test_expect_success 'record names no object for a wait that has none' '
	objects >actual &&
	awk "\$3 == \"none\" { print \$1 }" said >expect &&
	test_file_not_empty expect &&
	cut -f 1 actual >named &&
	test_must_fail grep -Fx -f expect named
'

test_expect_success 'an object record has the system call, the thread, and since_ns before time_ns' '
	pid=$(awk "\$1 == \"pipe_to\" { print \$2 }" said) &&
	jq -s -e "[.[] | select(.type == \"object\" and .pid == $pid)][0] |
		.call == \"write\" and .tid == .pid and .since_ns < .time_ns" \
		r/tasks.jsonl
'

test_expect_success 'record counts both writers of a fifo, though one opened it just now' '
	rm -rf r &&
	mkfifo shared &&
	trace2 record -q -o r -- "$PERL_PATH" \
		"$TEST_DIRECTORY/t3180/second-writer.perl" r/tasks.jsonl \
		shared 5 >waits &&
	test_line_count = 5 waits &&
	test_must_fail grep -v "\"number\":2" waits
'

# reused PROCESSES ROUNDS: print the waits whose object differs from the
# program's own report, and put the right ones into `right`.
reused () {
	rm -rf r right &&
	trace2 record -q -o r -- sh -c "for i in \$(seq $1)
		do
			\"\$0\" 4 $2 >known.\$i &
		done
		wait" "$hosts/reused" &&
	cat known.* >known &&
	test "$(wc -l <known)" -eq $((8 * $1 * $2)) &&
	"$GIT_BUILD_DIR/build/unit/tool-states" r >dump &&
	jq -r 'select(.type == "state" and .object) |
		[.tid, .start_ns, .start_ns + .ns, .object] | @tsv' dump >named &&
	awk -F '\t' 'NR == FNR {
			split($0, k, " ")
			n = ++nr[k[1]]
			from[k[1], n] = k[2]; to[k[1], n] = k[3]
			object[k[1], n] = "fifo " k[4]
			next
		}
		{ for (i = 1; i <= nr[$1]; i++)
			if (from[$1, i] <= $2 && $3 <= to[$1, i]) {
				if ($4 == object[$1, i]) print >"right"
				else print $0 " is " object[$1, i]
			}
		}' known named >wrong &&
	test_must_be_empty wrong
}

test_expect_success STATES 'no wrong file is named for a descriptor that another thread reused' '
	reused 1 30 &&
	test_file_not_empty right
'

test_expect_success STATES,EXPENSIVE 'no wrong file is named in 10,000 waits on reused descriptors' '
	reused 10 125 &&
	test_file_not_empty right
'

# The other thread began to wait in poll() before the first one read.
test_lazy_prereq USERFAULTFD '"$GIT_BUILD_DIR/build/hosts/faults" </dev/null; test $? = 0'
test_expect_success USERFAULTFD,X86_64 'memory that a process watches by userfaultfd is not read' '
	mkfifo hold &&
	{ trace2 record -q -o fault -- "$hosts/faults" <hold >said & } &&
	recorder=$! &&
	exec 9>hold &&
	has_looked () {
		grep "\"call\":\"read\"" fault/tasks.jsonl
	} &&
	wait_until has_looked &&
	exec 9>&- &&
	wait $recorder
'

# Two directories have sockets of one name: who listens in the other one is no
# peer.
test_expect_success 'a socket with a relative path is not taken for one of that name elsewhere' '
	mkdir -p a b &&
	cat >connects.perl <<-\EOF &&
	use Socket;
	my ($dir, $fork) = @ARGV;
	sub listener {
		my ($name, $path) = @_;
		socket my $s, AF_UNIX, SOCK_STREAM, 0 or die;
		bind $s, sockaddr_un($path) or die "bind: $!";
		listen $s, 0 or die;
		return $s;
	}
	my $inner = listener("a", "$dir/a/x.sock");
	pipe my $ready, my $tell;
	my $outer = fork // die;
	if (!$outer) {
		close $inner;
		chdir "b" or die;
		my $s = listener("b", "x.sock");
		close $tell;
		sleep 100;
	}
	close $tell;
	1 while <$ready>;
	my $pid = fork // die;
	if (!$pid) {
		close $inner;
		chdir "a" or die;
		for (1 .. 5) {
			socket my $c, AF_UNIX, SOCK_STREAM, 0 or die;
			push @keep, $c;
			connect $c, sockaddr_un("x.sock");
		}
		exit;
	}
	sleep 1;
	kill "KILL", $pid, $outer;
	EOF
	trace2 record -q -o un -- "$PERL_PATH" connects.perl "$(pwd)" &&
	jq -c "select(.type == \"object\" and .call == \"connect\")
		| [.name, .peer]" un/tasks.jsonl >actual &&
	test_grep ! "x.sock\",[0-9]" actual
'

# 4: PR_SET_DUMPABLE. Only root may still ask what it waits for.
test_expect_success NOT_ROOT,X86_64 'record counts and reports a process that is not dumpable (prctl)' '
	cat >hides.perl <<-\EOF &&
	syscall(157, 4, 0) == 0 or die "prctl: $!\n";
	sleep 1;
	EOF
	trace2 record -o hidden -- "$PERL_PATH" hides.perl 2>err &&
	test_grep "cannot see what 1 process waited for" err &&
	echo 1 | test_prints jq .not_looked_at hidden/meta.json
'

# locks_seen NUMBER: did looks find that many waits for a lock?
locks_seen () {
	test -f r/tasks.jsonl &&
	test "$(grep -c "\"what\":\"lock\"" r/tasks.jsonl)" -ge "$1"
}

# The first program leaves its lock to its heir. Each of the others says when it
# has the lock.
test_expect_success WAKERS 'report --waits names the program that released a lock as the holder' '
	cat >first.perl <<-\EOF &&
	use Fcntl ":flock";
	$^F = 1000;
	open my $lock, ">", "the.lock" or die;
	flock $lock, LOCK_EX or die;
	open my $f, ">", "taken";
	select undef, undef, undef, 0.01 until -e "go.heir";
	exec "./heir", "heir.perl" unless fork;
	EOF
	echo "select undef, undef, undef, 0.01 until -e q(go.next)" >heir.perl &&
	cat >second.perl <<-\EOF &&
	use Fcntl ":flock";
	select undef, undef, undef, 0.01 until -e "taken";
	open my $lock, ">>", "the.lock" or die;
	flock $lock, LOCK_EX or die;
	$0 =~ /(\w+)/;
	syswrite $lock, "$1\n";
	select undef, undef, undef, 0.01 until -e "go.last";
	EOF
	cp second.perl third.perl &&
	for i in first heir second third
	do
		ln -s "$PERL_PATH" $i || return 1
	done &&
	rm -rf r &&
	{ trace2 record -q -o r -- sh -c "for i in first second third
		do
			./\$i \$i.perl &
		done
		wait" & } &&
	test_when_finished ">go.heir && >go.next && >go.last && wait" &&
	wait_until locks_seen 2 &&
	>go.heir &&
	wait_until grep -q "heir" r/tasks.jsonl &&
	>go.next &&
	wait_until test -s the.lock &&
	>go.last &&
	wait &&
	awk "{ print \$1 \": lock the.lock, held by \" (before ? before : \"heir\")
		before = \$1 }" the.lock | sort >expect &&
	test_line_count = 2 expect &&
	trace2 report --waits --format=json r |
	jq -r ".waits[] | select(.cause == \"lock\" and .object) |
		\"\(.process | split(\" \")[0]): \(.object)\"" | sort >actual &&
	test_cmp expect actual
'

# Has the wait for a pipe a second record, with a later time?
has_end () {
	test "$(jq -s "[.[] | select(.what == \"pipe\")] | group_by(.since_ns) | .[] |
		select(length == 2 and .[0].time_ns < .[1].time_ns) | length" \
		r/tasks.jsonl)" = 2
}

test_expect_success TASKS 'record --no-states records the end of a wait, too' '
	rm -rf r go &&
	mkfifo go &&
	{ trace2 record -q --no-states -o r -- sh -c "read line <go | cat" & } &&
	has_asked () {
		test -f r/tasks.jsonl && grep "\"what\":\"pipe\"" r/tasks.jsonl
	} &&
	wait_until has_asked &&
	echo >go &&
	wait &&
	rm go &&
	has_end
'

# all_named NUMBER: have that many threads an object?
all_named () {
	test -f r/tasks.jsonl &&
	test "$(sed "/}\$/!d" r/tasks.jsonl |
		jq -r "select(.type == \"object\").tid" | sort -u | wc -l)" -ge "$1"
}

# A look at them takes longer than questions may take where there are few threads.
test_expect_success PYTHON 'record names an object for each of 600 waiting threads' '
	rm -rf r go &&
	{ trace2 record -q -o r -- "$PYTHON_PATH" -c "if 1:
		import os, threading, time
		threading.stack_size(65536)
		for i in range(600):
			threading.Thread(target=time.sleep, args=(5000,), daemon=True).start()
		while not os.path.exists(\"go\"):
			time.sleep(0.1)
		os._exit(0)" & } &&
	test_when_finished ">go && wait" &&
	wait_until all_named 600
'

# 9 ms may be taken before they are earned.
test_expect_success PYTHON 'record takes at most 1 % of a CPU and 9 ms to observe 600 waiting threads' '
	jq -e ".looks_cpu_ns * 100 <= .wall_ns + 900000000" r/meta.json
'

test_done

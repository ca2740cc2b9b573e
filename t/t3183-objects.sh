#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='objects of waits, as reports and exports show them

Recordings are made of records (t3130/kernel.perl), with times in microseconds.
Those of real programs are in t3180.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stream.sh

test_skip_unless JQ

# Main waits from 10 to 90 for the objects of the records.
waits_for () {
	{
		cat <<-EOF &&
		top main
		2 0 fork 11 11 10 10
		3 1 in 11 11
		4 1 comm 11 11 sort exec
		5 0 fork 10 12 10 10
		10 0 sleep 10 10 0 swapper ${functions-schedule,anon_pipe_read}
		${ran-11} 0 in 10 12
		$((${ran-11} + 1)) 0 sleep 10 12 0 swapper schedule,futex_wait_queue
		89 0 waking 0 0 10 hardirq
		90 0 in 10 10
		95 1 exit 11 11
		EOF
		cat &&
		echo "100 0 exit 10 10"
	} >records &&
	made r <records
}

shows () {
	trace2 report --waits --format=json r >waits.json &&
	echo "$1" | test_prints jq -r ".waits[] | select(.cause != \"child\" and .cause != \"lock\") |
		\"\(.cause) \(.object)\"" waits.json
}

while IFS='|' read -r text fields
do
	test_expect_success "objects: '$text' is described in words" '
		echo "80 0 object 10 10 20 - $fields" | waits_for &&
		shows "pipe $text"
	'
done <<-\EOF
	pipe from sort|read pipe - 11
	pipe to sort|write pipe - 11
	socketpair to sort|sendmsg socketpair - 11
	tcp 127.0.0.1:80 (sort)|recvfrom tcp 127.0.0.1:80 11
	tcp 10.1.2.3:443|recvfrom tcp 10.1.2.3:443
	tcp 10.1.2.3:443 x 8, timer|poll tcp 10.1.2.3:443 - 8 timer
	tcp db.example:443 x 2|recvfrom tcp 10.1.2.3:443 - 2 - db.example
	tcp listen localhost:80|accept tcp listen%20[::1]:80 - - - localhost
	lock .git/index.lock, held by sort|flock lock .git/index.lock 11
	file a b|read file a%20b
	child sort|wait4 child - 11
	eventfd|read eventfd
EOF

test_expect_success 'objects: an object observed before or after the wait is not shown' '
	echo "80 0 object 10 10 9 - read pipe - 11" | waits_for &&
	shows "pipe null" &&
	echo "91 0 object 10 10 20 - read pipe - 11" | waits_for &&
	shows "pipe null" &&
	echo "89 0 object 10 10 10 - read pipe - 11" | waits_for &&
	shows "pipe pipe from sort"
'

test_expect_success 'objects: no object is shown if another thread may have changed the descriptor' '
	for ran in 11 29
	do
		echo "80 0 object 10 10 20 30 read pipe - 11" | waits_for &&
		shows "pipe null" || return 1
	done &&
	ran=29 &&
	echo "80 0 object 10 10 20 29 read pipe - 11" | waits_for &&
	shows "pipe pipe from sort" &&
	ran=11 &&
	echo "80 0 object 10 10 20 10 read pipe - 11" | waits_for &&
	shows "pipe pipe from sort"
'

test_expect_success 'objects: an object of another thread or an unknown process is not shown' '
	echo "80 0 object 10 12 20 - read pipe - 11" | waits_for &&
	shows "pipe null" &&
	echo "80 0 object 99 99 20 - read pipe - 11" | waits_for &&
	shows "pipe null" &&
	echo "80 0 object 10 10 20 - read pipe - 99" | waits_for &&
	shows "pipe pipe"
'

test_expect_success 'objects: an invalid record is reported, and a valid one after it is shown' '
	{
		echo "80 0 object 10 10 85 - read pipe - 11" &&
		echo "80 0 object 10 10 20 - read pipe - 11"
	} | waits_for &&
	trace2 report --waits --format=json r >waits.json 2>err &&
	test_grep "not a task record" err &&
	shows "pipe pipe from sort"
'

test_expect_success 'objects: the critical path, --waits and JSON show objects' '
	echo "80 0 object 10 10 20 - read tcp 10.1.2.3:443" |
		functions=schedule,sk_wait_data waits_for &&
	trace2 report --path r >out &&
	test_grep "79 .*  wait socket: tcp 10.1.2.3:443  " out &&
	trace2 report --waits r >out &&
	test_grep "  socket: tcp 10.1.2.3:443  " out &&
	trace2 report --format=json r >path.json &&
	echo "socket tcp 10.1.2.3:443" | test_prints jq -r \
		".critical_path[] | select(.state == \"wait\") |
		\"\(.cause) \(.object)\"" path.json
'

test_expect_success 'objects: the critical path does not repeat a cause that the object names' '
	echo "80 0 object 10 10 20 - read pipe - 11" | waits_for &&
	trace2 report --path r >out &&
	test_grep "  wait pipe from sort  " out
'

test_expect_success 'objects: a wait without a cause shows its object alone' '
	echo "80 0 object 10 10 20 - read pipe - 11" |
		functions= waits_for &&
	trace2 report --path r >out &&
	test_grep "  wait pipe from sort  " out
'

test_expect_success 'objects: a row of the critical path names the object of over half of the time' '
	{
		echo "96 0 object 10 10 95 - read timer" &&
		echo "top main" &&
		echo "10 0 sleep 10 10 0 swapper schedule,anon_pipe_read" &&
		echo "50 0 object 10 10 20 - read pipe - 10" &&
		echo "60 0 in 10 10" &&
		echo "61 0 sleep 10 10 0 swapper schedule,anon_pipe_read" &&
		echo "70 0 object 10 10 62 - read pipe other" &&
		echo "\$2 0 in 10 10" &&
		echo "200 0 exit 10 10"
	} >half &&
	sed "s/\\\$2/100/" half | made r &&
	trace2 report --path r >out &&
	test_grep "  wait pipe from main  " out &&
	sed "s/\\\$2/120/" half | made r &&
	trace2 report --path r >out &&
	test_grep "  wait pipe other  " out
'

# Main waits for a lock that `sort` had when the observer looked. Thread 13
# belongs to `wc`, which `sort` forked; 14 to `kill`, which main forked.
locked_until () {
	woken_by=$1 &&
	{
		cat <<-EOF
		top main
		2 0 fork 11 11 10 10
		3 1 in 11 11
		4 1 comm 11 11 sort exec
		5 1 fork 13 13 11 11
		5 1 comm 13 13 wc exec
		6 0 fork 14 14 10 10
		7 0 comm 14 14 kill exec
		10 0 sleep 10 10 0 swapper schedule,flock_lock_inode_wait
		11 1 sleep 11 11 0 swapper schedule,hrtimer_nanosleep
		80 0 object 10 10 20 - flock lock index.lock 11
		$2
		85 1 in $woken_by $woken_by
		89 1 waking $woken_by $woken_by 10
		90 0 in 10 10
		95 1 exit $woken_by $woken_by
		100 0 exit 10 10
		EOF
	} | made r &&
	trace2 report --waits --format=json r |
	jq -r ".waits[] | select(.process == \"main\").object // empty" >actual
}

# Thread 14 waits for the same lock, too, from FROM to TO.
waits_of_kill () {
	cat <<-EOF
	$1 1 sleep 14 14 0 swapper schedule,flock_lock_inode_wait
	$(($1 + 3)) 1 object 14 14 $(($1 + 2)) - flock lock index.lock 11
	$2 1 in 14 14
	EOF
}

test_expect_success 'objects: the process that released a lock is named as the holder' '
	locked_until 13 "84 1 exit 11 11" &&
	echo "lock index.lock, held by wc" >expect &&
	test_cmp expect actual &&
	locked_until 14 "$(waits_of_kill 60 84)" &&
	echo "lock index.lock, held by kill" >expect &&
	test_cmp expect actual
'

test_expect_success 'objects: a waker that could not have got the lock is not named as its holder' '
	echo "lock index.lock, held by sort" >expect &&
	for earlier in "" "$(waits_of_kill 50 60)"
	do
		locked_until 14 "$earlier" &&
		test_cmp expect actual || return 1
	done &&
	locked_until 13 &&
	test_cmp expect actual
'

# saw FROM TO PID WHAT [MEMBERS]: a look saw a wait, times in milliseconds
saw () {
	task object "$2" "$3" "\"tid\":$3,\"since_ns\":$(($1 * 1000000 + 1000000000)),
		\"call\":\"read\",\"what\":\"$4\"${5:+,$5}" | tr -d "\n\t" &&
	echo
}

test_expect_success 'objects: without states, --waits and list show the observed length of waits' '
	rm -rf r &&
	recording r </dev/null &&
	{
		forked 0 10 1 &&
		execed 0 10 top &&
		forked 1 11 10 &&
		execed 1 11 sort &&
		saw 20 30 10 pipe "\"peer\":11" &&
		saw 20 80 10 pipe "\"peer\":11" &&
		saw 90 100 10 pipe "\"peer\":11" &&
		saw 20 70 11 timer "\"known_ns\":1030000000" &&
		saw 75 79 11 timer "\"known_ns\":1080000000" &&
		ended 110 11 &&
		ended 110 10
	} >r/tasks.jsonl &&
	test_prints trace2 report --waits r <<-\EOF &&
	SEEN ms  COUNT  LONGEST ms  WAIT            PROCESS
	 70.000      2      60.000  pipe from sort  top
	 40.000      1      40.000  timer           sort
	EOF
	trace2 list --format=json r >list &&
	test_prints jq -r ".processes[] | \"\(.waited_for) \(.waited_for_ns)\"" \
		list <<-\EOF
	pipe from sort 70000000
	timer 40000000
	EOF
'

test_expect_success 'exports have the objects of waits' '
	echo "80 0 object 10 10 20 - read tcp 10.1.2.3:443" |
		functions=schedule,sk_wait_data waits_for &&
	trace2 export --to csv --table states r >states &&
	test_grep ",wait,socket,tcp 10.1.2.3:443," states &&
	trace2 export --to otlp r >otlp &&
	test_prints jq -r ".resourceSpans[].scopeSpans[].spans[] |
		select(.name == \"main\") | .attributes[] | select(.key |
		test(\"object|peer\")) | \"\(.key) \(.value[])\"" otlp <<-\EOF &&
	trace2.wait.object tcp 10.1.2.3:443
	trace2.wait.object_ns 79000
	network.peer.address 10.1.2.3
	network.peer.port 443
	EOF
	trace2 list --format=json r >list &&
	echo "tcp 10.1.2.3:443 79000" | test_prints jq -r ".processes[] |
		select(.waited_for) | \"\(.waited_for) \(.waited_for_ns)\"" \
		list &&
	trace2 export --to chrome r >chrome &&
	echo "tcp 10.1.2.3:443" | test_prints jq -r \
		".traceEvents[].args.object // empty" chrome &&
	trace2 report --html page.html --no-redact r &&
	test_grep "tcp 10.1.2.3:443" page.html
'

test_expect_success 'objects: export --redact and report --html leave out addresses' '
	trace2 export --to csv --table states --redact r >states &&
	test_grep ",wait,socket,tcp," states &&
	trace2 export --to chrome --redact r >chrome &&
	test_grep ! "10\.1\.2\.3" chrome &&
	trace2 report --html page.html r &&
	test_grep ! "10\.1\.2\.3" page.html
'

test_done

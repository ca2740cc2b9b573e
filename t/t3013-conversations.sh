#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the other end of a conversation for which a process waited

git-receive-pack is started in one region of a push and works in another. The
critical path leads to it where the push itself did nothing else.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-stream.sh"

child () {
	event P "$1" child_start "\"child_id\":$2,\"child_class\":\"$4\",\"use_shell\":false,\"argv\":[\"$3\"]"
}
reaped () {
	event P "$1" child_exit "\"child_id\":$2,\"pid\":$((16 + $2)),\"code\":0"
}
atexit () {
	event "$1" "$2" atexit '"code":0'
}
region () {
	event P "$1" "region_$2" "\"nesting\":1,\"category\":\"push\",\"label\":\"$3\""
}
# push CLASS: the far end works until 80, and unpacks from 50 to 75.
push () {
	begin P 0 push &&
	region 5 enter refs && child 10 0 far "$1" &&
	begin P/C-P00000010 12 far && region 20 leave refs &&
	region 25 enter send && child 26 1 pack "?" &&
	begin P/C-P00000011 28 pack && atexit P/C-P00000011 40 && reaped 41 1 &&
	event P/C-P00000010 50 region_enter \
		'"nesting":1,"category":"far","label":"unpack"' &&
	event P/C-P00000010 75 region_leave \
		'"nesting":1,"category":"far","label":"unpack","t_rel":0.025' &&
	atexit P/C-P00000010 80 && reaped 90 0 && region 95 leave send &&
	atexit P 100
}
path_of () {
	trace2 report "$1" | sed -n "/CRITICAL/,/^$/p" |
		sed "1d; /^$/d; /^(without states/d"
}

test_expect_success 'the critical path of a region includes a transport started in another region' '
	push transport/ssh >push.event &&
	test_prints path_of push.event <<-\EOF
	 10.000  10.0%  push
	  7.000   7.0%  ├ push/refs
	  8.000   8.0%  │ └ far
	  5.000   5.0%  ├ far
	 15.000  15.0%  └ push/send
	 18.000  18.0%    ├ far
	 25.000  25.0%    │ └ far/unpack
	 12.000  12.0%    └ pack
	EOF
'

test_expect_success 'a helper for HTTP counts as a transport' '
	for class in remote-http remote-https
	do
		push $class >http.event &&
		path_of http.event >actual &&
		test_cmp expect actual || return 1
	done
'

test_expect_success 'the critical path does not follow a child whose class is not transport' '
	push "?" >other.event &&
	path_of other.event >actual &&
	test_grep "^ *58.000 .* └ push/send$" actual
'

test_expect_success 'the critical path does not follow a transport that outlives the region' '
	push transport/ssh | sed "/far\",\"label/d; s/00.080000Z/00.097000Z/" |
	grep -v "child_exit.*\"child_id\":0" >late.event &&
	path_of late.event >actual &&
	test_grep "^ *58.000 .* └ push/send$" actual
'

test_expect_success 'times on the critical path through a conversation add up to the wall time' '
	path_of push.event | awk "{ sum += \$1 } END { print sum }" >actual &&
	echo 100 | test_cmp - actual
'

test_done

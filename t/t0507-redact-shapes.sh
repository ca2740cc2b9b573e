#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='twelve shapes of secrets, in all three targets

Every event that has a string for it gets each secret: no stream has the secret,
and the text around it is kept.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

export GIT_TRACE2_BRIEF=1 GIT_TRACE2_EVENT_NESTING=9

test_skip_unless JQ

# said CALL...: write streams with these calls to n, p and e.
said () {
	traced test-tool --no-init trace2 call initialize , "$@"
}

nowhere () {
	for file in n p e
	do
		test_file_not_empty $file &&
		test_grep ! "hunter\|HUNTER" $file || return 1
	done
}

# as_text FILE: print its lines without the quoting of words
as_text () {
	sed -e "s/'\\\\''//g" -e "s/'\\\\!'//g" -e "s/'//g" "$1"
}

# shape TEXT SHOWN [TEXT SHOWN]...: every event contains TEXT, every target shows
# SHOWN.
shape () {
	rm -f [1-9].e shapes &&
	nr=0 &&
	while test $# != 0
	do
		nr=$((nr + 1)) &&
		shape_in_texts "$1" "$2" &&
		cp e $nr.e &&
		printf "%s\n" "$2" >>shapes &&
		shift 2 || return 1
	done &&
	jq -r "[.argv[1]?, .argv[0]?, .value?, .msg?, .name?] | .[] |
		select(. != null) | \"\(input_filename) \(.)\"" [1-9].e >values &&
	nr=0 &&
	while IFS= read -r shown
	do
		nr=$((nr + 1)) &&
		grep -F -x -c -e "$nr.e $shown" values || return 1
	done <shapes >actual &&
	sed "s/.*/11/" shapes >expect &&
	test_cmp expect actual
}

shape_in_texts () {
	said cmd_start prog "$1" , cmd_alias al "$1" , \
		child_start 1 "$1" , child_exit 1 0 , exec prog "$1" , \
		def_param local param "$1" , cmd_error "$1" , cmd_mode "$1" , \
		region_enter_printf c l NULL "$1" , \
		region_leave_printf c l NULL "$1" , \
		data_string c k "$1" , printf "$1" &&
	nowhere &&
	shown=$(printf "%s" "$2" | sed "s/'//g; s/!//g") &&
	as_text n | grep -F -c -e "$shown" >actual &&
	echo 8 | test_cmp - actual &&
	# start, alias, child, exec, parameter, error, mode, twice the region,
	# data, message.
	as_text p | grep -F -c -e "$shown" >actual &&
	echo 11 | test_cmp - actual
}

test_expect_success 'shape 1: the password of a URL is redacted' '
	shape "https://user:hunter2@example.com/x" \
		"https://user:<REDACTED>@example.com/x"
'

test_expect_success 'shape 2: a token in place of the user is redacted' '
	shape "https://hunter2@example.com/x.git" \
		"https://<REDACTED>@example.com/x.git"
'

test_expect_success 'shape 3: a password with @, / or a quote is redacted' '
	shape "https://u:hunter@2@example.com/" \
		"https://u:<REDACTED>@example.com/" \
		"https://u:hunter/2@example.com/" \
		"https://u:<REDACTED>@example.com/" \
		"https://u:x\"hunter@example.com/" \
		"https://u:<REDACTED>@example.com/" \
		"https://u:x\`hunter<2>@example.com/" \
		"https://u:<REDACTED>@example.com/" \
		"https://u:hunter?2#3@example.com/" \
		"https://u:<REDACTED>@example.com/"
'

test_expect_success 'shape 4: a URL with its scheme in capitals is redacted' '
	shape "HTTPS://User:HUNTER2@Example.com/" \
		"HTTPS://User:<REDACTED>@Example.com/" \
		"HTTP://HUNTER2@Example.com/" "HTTP://<REDACTED>@Example.com/"
'

test_expect_success 'shape 5: URLs of ftp, ssh and any other scheme are redacted' '
	shape "ftp://u:hunter2@example.com/" "ftp://u:<REDACTED>@example.com/" \
		"ssh://git:hunter2@example.com:22/x" \
		"ssh://git:<REDACTED>@example.com:22/x" \
		"socks5h://u:hunter2@proxy:1080" \
		"socks5h://u:<REDACTED>@proxy:1080"
'

test_expect_success 'shape 6: parameters of a query are redacted' '
	shape "https://example.com/x?private_token=hunter2&page=1" \
		"https://example.com/x?private_token=<REDACTED>&page=1" \
		"https://example.com/?a=1&X-Amz-Signature=hunter2#top" \
		"https://example.com/?a=1&X-Amz-Signature=<REDACTED>#top"
'

test_expect_success 'shape 7: headers that authorize are redacted' '
	shape "Authorization: Basic hunter2hunter2==" \
		"Authorization: <REDACTED>" \
		"http.extraHeader=AUTHORIZATION: bearer hunter2 hunter3" \
		"http.extraHeader=AUTHORIZATION: <REDACTED>"
'

test_expect_success 'shape 8: -c key=url is redacted' '
	shape "remote.o.url=https://u:hunter2@example.com/" \
		"remote.o.url=https://u:<REDACTED>@example.com/" \
		"http.proxy=http://hunter2@proxy:8080" \
		"http.proxy=http://<REDACTED>@proxy:8080" \
		"url.https://u:hunter2@h/.insteadOf=https://h/" \
		"url.https://u:<REDACTED>@h/.insteadOf=https://h/"
'

test_expect_success 'shape 9: a secret in the expansion of an alias is redacted' '
	shape "!curl -H \"Authorization: token hunter2\" https://u:hunter2@h/" \
		"!curl -H \"Authorization: <REDACTED>\" https://u:<REDACTED>@h/" \
		"!f() { PASSWORD=hunter2 make; }; f" \
		"!f() { PASSWORD=<REDACTED> make; }; f"
'

test_expect_success 'shape 10: variables are redacted by their names and by their values' '
	rm -f n p e &&
	API_TOKEN=hunter2 DB_PASSWD="hunter 2" SIGNING_KEY=hunter2 \
		PROXY=http://u:hunter2@h PLAIN=shown \
		GIT_TRACE2_ENV_VARS=API_TOKEN,DB_PASSWD,SIGNING_KEY,PROXY,PLAIN \
		said cmd_start prog , cmd_name name &&
	nowhere &&
	test_prints jq -r "select(.event == \"def_param\") | \"\(.param)=\(.value)\"" e <<-\EOF &&
	API_TOKEN=<REDACTED>
	DB_PASSWD=<REDACTED>
	SIGNING_KEY=<REDACTED>
	PROXY=http://u:<REDACTED>@h
	PLAIN=shown
	EOF
	sed -n "s/^def_param scope:command //p" n >actual &&
	test_cmp expect actual &&
	sed -n "/ def_param /s/.*| scope:[a-z]* *| //p" p | sed "s/:/=/" >actual &&
	test_cmp expect actual
'

test_expect_success 'shape 11: secrets in error messages and formats are redacted' '
	shape "fatal: unable to access '\''https://u:hunter2@h/x/'\'': 403" \
		"fatal: unable to access '\''https://u:<REDACTED>@h/x/'\'': 403" \
		"Could not read <https://u:hunter2@h>, https://u:hunter3@i; gave up" \
		"Could not read <https://u:<REDACTED>@h>, https://u:<REDACTED>@i; gave up"
'

test_expect_success 'shape 12: secrets in messages of regions are redacted' '
	shape "fetching https://u:hunter2@h (token=hunter2)" \
		"fetching https://u:<REDACTED>@h (token=<REDACTED>"
'

test_expect_success 'JSON of the host stays valid JSON when redacted' '
	said data_json c k "{\"url\":\"https://u:a\\\\\"hunter@h/\",\"n\":1}" &&
	nowhere &&
	trace2_jq "[.[] | select(.event == \"data_json\").value] ==
		[{url: \"https://u:<REDACTED>@h/\", n: 1}]" e
'

# PHP and others write slashes that way; the library does not.
test_expect_success 'JSON with escaped slashes is redacted' '
	said data_json c k "{\"url\":\"https:\\/\\/u:hunter2@h\\/x\"}" , \
		data_json c k "[\"http:\\/\\/hunter2@h\", \"ssh:\\/\\/u:a\\/hunter2@h\"]" , \
		data_json c k "{\"port\":\"https:\\/\\/h:80\\/x@y\"}" &&
	nowhere &&
	trace2_jq "[.[] | select(.event == \"data_json\").value] ==
		[{url: \"https://u:<REDACTED>@h/x\"},
		[\"http://<REDACTED>@h\", \"ssh://u:<REDACTED>@h\"],
		{port: \"https://h:80/x@y\"}]" e
'

test_done

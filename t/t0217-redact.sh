#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='secrets stay out of every target

These are passwords in URLs, values of headers that authorize, values with the
names of secrets, and tokens with a known form. Nothing else is hidden: see
t0217/innocent. t0507 has each kind of secret in each event.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

export GIT_TRACE2_BRIEF=1 GIT_TRACE2_EVENT_NESTING=9

# shows TEXT REDACTED [TEXT REDACTED]...: data with the value TEXT appears as
# REDACTED in both targets that show data, and as the text of a printf in all three.
shows () {
	pairs=$(($# / 2)) &&
	: >shown &&
	while test $pairs -gt 0
	do
		pairs=$((pairs - 1)) &&
		text=$1 &&
		printf "%s\n" "$2" >>shown &&
		shift 2 &&
		set -- "$@" , data_string cat k "$text" , printf "$text" || return 1
	done &&
	shift &&
	traced test-tool trace2 call "$@" &&
	sed -n "s/^.* | cat  *| k://p" p >actual &&
	sed -n "s/^.* | printf .* |  *| //p" p >>actual &&
	jq -s -r "(.[] | select(.event == \"data\").value),
		(.[] | select(.event == \"printf\").msg)" e >>actual &&
	sed -e "1,/^cmd_name/d" -e "/^exit/,\$d" n >>actual &&
	cat shown shown shown shown shown >expect &&
	test_cmp expect actual
}

# hidden: no target has hunter2.
hidden () {
	for file in n p e
	do
		test_grep ! hunter2 $file || return 1
	done
}

# shows_all TEXT...: each text appears unchanged.
shows_all () {
	for text
	do
		shift && set -- "$@" "$text" "$text" || return 1
	done &&
	shows "$@"
}

test_skip_unless JQ

test_expect_success 'a password that contains @ or / is redacted whole' '
	shows https://user:p@ss@example.com/ \
		"https://user:<REDACTED>@example.com/" \
		https://user:p/ss@example.com/ \
		"https://user:<REDACTED>@example.com/" \
		https://user:p:s:s@example.com/ \
		"https://user:<REDACTED>@example.com/" \
		https://:pwd@example.com/ "https://:<REDACTED>@example.com/"
'

test_expect_success 'several URLs in one string are all redacted' '
	shows "https://a:b@c https://d:e@f, ssh://g:h@i" \
		"https://a:<REDACTED>@c https://d:<REDACTED>@f, ssh://g:<REDACTED>@i"
'

test_expect_success 'a user name without password is redacted in http URLs, not in ssh URLs' '
	shows https://t0k3n@example.com/ "https://<REDACTED>@example.com/" \
		http://t0k3n@example.com/ "http://<REDACTED>@example.com/" \
		ssh://git@example.com/ "ssh://git@example.com/"
'

test_expect_success 'URLs and paths without a secret are left unchanged' '
	shows_all https://example.com/ https://example.com:8080/a@b \
		http://h/p:q@r git@example.com:path file:///a:b@c \
		"a: b@c" "x:y" "http://" "://a:b@c"
'

test_expect_success 'the value of the header Authorization is hidden' '
	shows "Authorization: Basic c2VjcmV0" "Authorization: <REDACTED>" \
		"authorization:Bearer abc def" "authorization:<REDACTED>" \
		"http.extraHeader=AUTHORIZATION: basic abc" \
		"http.extraHeader=AUTHORIZATION: <REDACTED>" \
		"curl -H '\''Authorization: Bearer x'\'' -v" \
		"curl -H '\''Authorization: <REDACTED>'\'' -v"
'

test_expect_success 'secret parameters of a query are hidden' '
	shows "https://h/p?token=abc&x=1" "https://h/p?token=<REDACTED>&x=1" \
		"https://h/p?x=1&X-Amz-Signature=abc#f" \
		"https://h/p?x=1&X-Amz-Signature=<REDACTED>#f" \
		"https://h/p?access_token=abc&client_secret=d" \
		"https://h/p?access_token=<REDACTED>&client_secret=<REDACTED>"
'

test_expect_success 'values of names with a secret word, such as token or passwd, are hidden' '
	shows token=abc "token=<REDACTED>" \
		MY_SECRET=abc "MY_SECRET=<REDACTED>" \
		db.password="a b c" "db.password=<REDACTED>" \
		--passwd=abc "--passwd=<REDACTED>" \
		apiKey=abc "apiKey=<REDACTED>" \
		"run PASSWORD=xyz make" "run PASSWORD=<REDACTED> make" \
		"api_key=\"a b\" c" "api_key=\"<REDACTED>\" c" \
		"a secret='\''b c'\'' d" "a secret='\''<REDACTED>'\'' d"
'

test_expect_success 'private_key=a.pem is kept as a file name, private_key=.pem is hidden' '
	shows private_key=a.pem private_key=a.pem \
		private_key=a.key private_key=a.key \
		private_key=.pem "private_key=<REDACTED>" \
		private_key=.key "private_key=<REDACTED>" \
		private_key=/a private_key=/a \
		password=a.pem "password=<REDACTED>"
'

test_expect_success 'a secret word hides a value only if it is a whole word of the name' '
	shows_all monkey=abc keyboard=abc tokenize=abc passwordless=1 \
		a=b "key = value" =x "key" key=abc user.signingKey=abc \
		token=1 password=true token.path=abc
'

# calls FILE SED CALL...: set the arguments of test-tool in $calls to CALL... with
# the words of each line of FILE, as SED changes it.
calls () {
	file=$TEST_DIRECTORY/t0217/$1 &&
	sed -e "/^#/d" -e "$2" "$file" >lines &&
	shift 2 &&
	calls= &&
	while read -r line
	do
		calls="$calls $* $line ," || return 1
	done <lines
}

# shown FILE: the alias events of n, p and e; quotes of a shell are left out,
# since a hidden word needs some.
shown () {
	sed -n "s/^alias //p" n | tr -d "'" >"$1" &&
	sed -n "s/.* | alias  *| .* | alias://p" p | tr -d "'" >>"$1" &&
	jq -c "select(.event == \"alias\").argv" e >>"$1"
}

test_expect_success 'redaction leaves every command line in t0217/innocent unchanged' '
	calls innocent "" cmd_alias al &&
	eval "set -- $calls cmd_mode x" &&
	test_env GIT_TRACE2_REDACT=0 traced test-tool trace2 call "$@" &&
	shown expect &&
	test_file_not_empty expect &&
	traced test-tool trace2 call "$@" &&
	shown actual &&
	test_cmp expect actual
'

test_expect_success 'redaction hides exactly the marked secrets in t0217/secret' '
	calls secret "s/\[\[[^]]*\]\]/_HIDDEN_/g" cmd_alias al &&
	eval "set -- $calls cmd_mode x" &&
	test_env GIT_TRACE2_REDACT=0 traced test-tool trace2 call "$@" &&
	shown before &&
	sed "s/_HIDDEN_/<REDACTED>/g" before >expect &&
	test_file_not_empty expect &&
	calls secret "s/\[\[//g; s/\]\]//g" cmd_alias al &&
	eval "set -- $calls cmd_mode x" &&
	traced test-tool trace2 call "$@" &&
	shown actual &&
	test_cmp expect actual &&
	test_grep ! hunter actual
'

test_expect_success 'secrets are hidden in a ring, and by trace2 export --redact' '
	cp e hidden &&
	mkdir ring &&
	eval "set -- $calls cmd_mode x" &&
	test_env GIT_TRACE2_RING="$(pwd)/ring" test-tool trace2 call "$@" &&
	trace2 script --git-event ring >from-ring &&
	test_env GIT_TRACE2_REDACT=0 traced test-tool trace2 call "$@" &&
	trace2 export --redact --to git-event e >out &&
	jq -r "select(.event == \"alias\") | \"\(input_filename) \(.argv)\"" \
		hidden from-ring out >aliases &&
	sed -n "s/^hidden //p" aliases >expect &&
	test_file_not_empty expect &&
	for file in from-ring out
	do
		sed -n "s/^$file //p" aliases >actual &&
		test_cmp expect actual || return 1
	done
'

test_expect_success 'a token of each known kind is redacted if it has the minimum length' '
	letters=Hunter2Hunter2Hunter2Hunter2Hunter2Hunter2Hunter2Hunter2Hunter2 &&
	capitals=HUNTER2HUNTER2HUNTER2 &&
	set -- "it: eyJHunter2Hun.eyJ2" "it: eyJ<REDACTED>" \
		"it: eyJHunter2Hu.eyJ2" "it: eyJHunter2Hu.eyJ2" &&
	while read -r begin length of
	do
		least=$(printf "%.${length}s" "${of:-$letters}") &&
		set -- "$@" "it: $begin$least" "it: $begin<REDACTED>" \
			"it: $begin${least%?}" "it: $begin${least%?}" || return 1
	done <<-EOF &&
	ghp_ 30
	gho_ 30
	ghu_ 30
	ghs_ 30
	ghr_ 30
	github_pat_ 22
	glpat- 20
	AKIA 16 $capitals
	ASIA 16 $capitals
	xoxb- 20
	xoxp- 20
	xoxa- 20
	xoxs- 20
	sk- 20
	sk_live_ 16
	rk_live_ 16
	sk_test_ 16
	npm_ 36
	pypi-AgE 32
	AIza 35
	hf_ 30
	dop_v1_ 60
	dckr_pat_ 20
	tskey- 20
	EOF
	shows "$@"
'

# texts FILE: the messages and values in n and p and e.
texts () {
	jq -r "select(.event == \"error\").msg,
		select(.event == \"printf\").msg,
		select(.event == \"def_param\").value" e >"$1" &&
	sed "1,/^cmd_name/d; /^exit/,\$d" n >>"$1" &&
	sed "1,/ cmd_name /d; / exit /,\$d; s/.* | //" p >>"$1"
}

# said SED: write streams with the lines of t0217/text, changed by SED.
said () {
	sed -e "/^#/d" -e "$1" "$TEST_DIRECTORY/t0217/text" >lines &&
	set -- &&
	while read -r line
	do
		set -- "$@" cmd_error "$line" , printf "$line" , \
			def_param local p "$line" , || return 1
	done <lines &&
	traced test-tool trace2 call "$@" cmd_mode x
}

test_expect_success 'messages and values lose exactly their secrets' '
	test_env GIT_TRACE2_REDACT=0 said "s/\[\[[^]]*\]\]/<REDACTED>/g" &&
	texts expect &&
	said "s/\[\[//g; s/\]\]//g" &&
	texts actual &&
	test_cmp expect actual &&
	test_grep ! hunter actual
'

test_expect_success 'the value of a parameter with a secret word in the name is hidden whole' '
	traced test-tool trace2 call def_param local remote.origin.token hunter2 , \
		def_param local PASSWORD "two hunters" , def_param local token &&
	test_prints sed -n "/^def_param/p" n <<-\EOF &&
	def_param scope:local remote.origin.token=<REDACTED>
	def_param scope:local PASSWORD=<REDACTED>
	def_param scope:local token
	EOF
	test_prints sed -n "/ def_param /s/^.* | scope:local  | //p" p <<-\EOF &&
	remote.origin.token:<REDACTED>
	PASSWORD:<REDACTED>
	token
	EOF
	trace2_jq "[.[] | select(.event == \"def_param\").value] ==
		[\"<REDACTED>\", \"<REDACTED>\", null]" e
'

test_expect_success 'secrets in the name and in the value of a reported config key are redacted' '
	test_config_global url.https://u:hunter2@h/.insteadof https://h/ &&
	test_config_global vendor.token hunter2 &&
	traced env GIT_TRACE2_CONFIG_PARAMS="url.*,vendor.*" \
		test-tool trace2 001return 0 &&
	test_prints jq -c "select(.event == \"def_param\") | [.param, .value]" e <<-\EOF
	["url.https://u:<REDACTED>@h/.insteadof","https://h/"]
	["vendor.token","<REDACTED>"]
	EOF
'

test_expect_success 'secrets in error messages and formats, regions, keys and names are redacted' '
	traced test-tool trace2 call cmd_error "cannot reach https://u:hunter2@h/x" , \
		region_enter_printf c l NULL "fetch https://u:hunter2@h" , \
		region_enter "https://u:hunter2@c" "https://u:hunter2@l" , \
		data_string "token=hunter2" "secret=hunter2" v , \
		data_json c k "{\"url\": \"https://u:hunter2@h/\"}" , \
		data_json c k "[\"token=hunter2\", 1]" , \
		cmd_path /https://u:hunter2@h , cmd_name https://u:hunter2@h , \
		cmd_mode password=hunter2 , def_repo 1 https://u:hunter2@h/tree , \
		cmd_alias https://u:hunter2@h x , child_start 1 https://u:hunter2@h , \
		child_ready 1 token=hunter2 , exec https://u:hunter2@h x &&
	hidden &&
	trace2_jq "[.[] | select(.event == \"data_json\").value] ==
		[{url: \"https://u:<REDACTED>@h/\"}, [\"token=<REDACTED>\", 1]]" e
'

test_expect_success 'secrets in the directory, class and hook of a child are redacted' '
	mkdir -p "https:/u:hunter2@h" &&
	traced test-tool trace2 spawn --cwd="https://u:hunter2@h" --class=token=hunter2 true &&
	hidden &&
	traced test-tool trace2 spawn --class=hook --hook=token=hunter2 true &&
	hidden
'

test_expect_success 'a secret in the name of a thread is redacted' '
	traced test-tool trace2 call pthread_create token=hunter2 &&
	hidden
'

test_expect_success 'GIT_TRACE2_REDACT=0 shows everything' '
	GIT_TRACE2_REDACT=0 &&
	export GIT_TRACE2_REDACT &&
	test_when_finished "sane_unset GIT_TRACE2_REDACT" &&
	shows_all https://user:pwd@example.com/ token=abc &&
	traced test-tool trace2 303redact_def_param my.token abc &&
	test_grep "^def_param scope:unknown my.token=abc\$" n &&
	GIT_TRACE2_REDACT=false &&
	shows_all token=abc
'

test_expect_success 'GIT_TRACE2_REDACT=1, true, yes, empty or unknown: secrets are redacted' '
	for value in 1 true yes "" bogus
	do
		test_env GIT_TRACE2_REDACT="$value" \
			shows token=abc "token=<REDACTED>" || return 1
	done
'

test_expect_success 'a config key cannot switch redaction off' '
	test_config_global trace2.redact false &&
	shows token=abc "token=<REDACTED>"
'

test_expect_success 'long strings are redacted to their end' '
	long=$("$PERL_PATH" -e "print q(x) x 60000") &&
	traced test-tool trace2 call printf "$long https://u:hunter2@h $long" &&
	hidden &&
	trace2_jq "[.[] | select(.event == \"printf\").msg | length] == [120024]" e
'

test_done

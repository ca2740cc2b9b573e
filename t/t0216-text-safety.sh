#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='no text can forge a line, a column or a field

A program may put any text into a message, a key, a value or an argument: a line
stays one line, and JSON stays JSON.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

export GIT_TRACE2_BRIEF=1 GIT_TRACE2_PERF_BRIEF=1

newline="
"
tab=$(printf "\t")
forged="x${newline}exit elapsed:0.000001 code:99"

# Git does this, too: programs that format errors for stderr end them with a
# newline.
test_expect_success 'a newline at the end of a message adds no empty line' '
	set -- cmd_error "bad$newline" , printf "one$newline" , \
		printf "two$newline$newline" , printf "$newline" , \
		def_param local p "v$newline" , cmd_alias "al$newline" "x$newline" , \
		region_enter_printf c l 0 "msg$newline" , data_string c k "v$newline" , \
		data_json c k "[1]$newline" , region_leave "c$newline" "l$newline" &&
	traced test-tool trace2 call "$@" &&
	sed "1,/^cmd_name/d; /^exit/,\$d" n >actual &&
	sed "1,/ cmd_name /d; / exit /,\$d; s/.* | //" p >>actual &&
	test_cmp - actual <<-\EOF &&
	error bad
	one
	two\n

	def_param scope:local p=v
	alias al\n -> '\''x\n'\''
	error trace2: region '\''c/l'\'' is left as '\''c\n/l\n'\''
	bad
	one
	two\n

	p:v
	alias:al\n argv:['\''x\n'\'']
	label:l msg
	..k:v
	..k:[1]
	..trace2: region '\''c/l'\'' is left as '\''c\n/l\n'\''
	label:l
	EOF
	test_grep "\"msg\":\"bad.n\"" e
'

test_expect_success 'a newline inside a text is written as \n' '
	traced test-tool trace2 call cmd_error "$forged" , printf "$forged" , \
		cmd_mode "$forged" , cmd_path "$forged" , \
		def_param local "$forged" "$forged" , cmd_alias "$forged" "$forged" &&
	sed "1,/^cmd_name/d" n >actual &&
	sed "/elapsed:[0-9.]* code:0\$/d" actual >actual.events &&
	test_cmp - actual.events <<-\EOF &&
	error x\nexit elapsed:0.000001 code:99
	x\nexit elapsed:0.000001 code:99
	cmd_mode x\nexit elapsed:0.000001 code:99
	cmd_path x\nexit elapsed:0.000001 code:99
	def_param scope:local x\nexit elapsed:0.000001 code:99=x\nexit elapsed:0.000001 code:99
	alias x\nexit elapsed:0.000001 code:99 -> '\''x\nexit elapsed:0.000001 code:99'\''
	EOF
	test_line_count = 8 actual
'

# The formats have 20 MB, where the fault would make 2 GB.
test_expect_success JQ 'a format that is too wide, writes to memory, skips arguments or is invalid is printed as text' '
	traced test-tool trace2 012formats 20000000 &&
	sed -n "/\"event\":\"\(error\|printf\|region_\)/p" e >formatted &&
	test_prints jq -r .msg formatted <<-\EOF
	%*d
	%.*f
	%-*s
	%1$*2$d
	%s: %20000000d
	%f%Lf%lld%zu%c %*d
	%ls
	whole 7    |   y
	%d%hhn
	%2$s
	%1$s %3$s
	y x
	EOF
'

test_expect_success 'control characters are escaped in text' '
	traced test-tool trace2 call cmd_mode "$(printf "a\tb\rc\001d\033[31me\177f\bg")" &&
	test_prints sed -n "/^cmd_mode/p" n <<-\EOF &&
	cmd_mode a\tb\rc\x01d\x1b[31me\x7ff\x08g
	EOF
	test_grep " | a\\\\tb\\\\rc\\\\x01d\\\\x1b\[31me\\\\x7ff\\\\x08g\$" p
'

test_expect_success JQ 'control characters come back unchanged from JSON' '
	printf "a\tb\rc\001d\033[31me\177f\bg" >expect &&
	jq -j "select(.event == \"cmd_mode\") | .name" e >actual &&
	test_cmp_bin expect actual &&
	test_grep "\"name\":\"a.tb.rc.u0001d.u001b\[31me" e
'

# U+0080 to U+009F; U+00A0 and U+00DB are not control characters.
test_expect_success 'control characters of two bytes (C1) are escaped' '
	traced test-tool trace2 call cmd_mode \
		"$(printf "a\302\2332Jb\302\200\302\237c\302\240\303\233")" &&
	printf "a\\xc2\\x9b2Jb\\xc2\\x80\\xc2\\x9fc\302\240\303\233\n" >text &&
	sed -n "s/^cmd_mode //p" n >actual &&
	test_cmp text actual &&
	sed -n "s/.* cmd_mode .* | //p" p >actual &&
	test_cmp text actual
'

test_expect_success 'a category, a key and a value may contain a vertical bar' '
	traced test-tool trace2 call region_enter "a | b" "c | d" , \
		data_string "e|f" " | g | " "| main | exit | h" &&
	sed -n "/| region_enter\|| data  /p" p | cut -d"|" -f7- |
		sed "s/[0-9]\.[0-9]\{6\}/N/g" >actual &&
	test_cmp - actual <<-\EOF &&
	 a | b        | label:c | d
	 e|f          | .. | g | :| main | exit | h
	EOF
	perl "$TEST_DIRECTORY/../scrub/perf.perl" p >scrubbed &&
	test_grep "^d0|main|region_enter||_T_ABS_||a | b|label:c | d\$" scrubbed
'

test_expect_success 'a thread may have odd characters in its name' '
	traced test-tool trace2 040thread "a${newline}d0 | main" &&
	perl "$TEST_DIRECTORY/../scrub/perf.perl" p >scrubbed &&
	test_grep "^d0|th01:a.nd0 | main|thread_start" scrubbed &&
	test_grep ! -v "^d0 | " p &&
	expect_valid_stream e
'

test_expect_success JQ 'quotes and backslashes are escaped' '
	traced test-tool trace2 call data_string "a\"b" "c\\d" "\"e\\\"" , \
		cmd_alias "x" "it'\''s" "hey!" "" "back\\slash" "\"" &&
	jq -r "select(.event == \"data\") | .category, .key, .value" e >actual &&
	test_write_lines "a\"b" "c\\d" "\"e\\\"" | test_cmp - actual &&
	test_prints sed -n "/^alias/p" n <<-\EOF
	alias x -> '\''it'\''\'\'''\''s'\'' '\''hey'\''\!'\'''\'' '\'''\'' '\''back\slash'\'' '\''"'\''
	EOF
'

test_expect_success 'a shell reads quoted words back unchanged' '
	traced test-tool trace2 call cmd_alias al "a b" "it'\''s" "hey!" "" "\$HOME \`x\`" \
		"*" "semi;colon" "\"quoted\"" "plain" "a=b@c:d/e^f,g.h-i+j_k" "~" "#" &&
	words=$(sed -n "s/^alias al -> //p" n) &&
	test -n "$words" &&
	eval "set -- $words" &&
	printf "%s\n" "$@" >actual &&
	test_write_lines "a b" "it'\''s" "hey!" "" "\$HOME \`x\`" \
		"*" "semi;colon" "\"quoted\"" "plain" "a=b@c:d/e^f,g.h-i+j_k" "~" "#" >expect &&
	test_cmp expect actual &&
	case $words in
	*" plain a=b@c:d/e^f,g.h-i+j_k "*) true ;;
	*) false ;;
	esac
'

# Overlong, truncated, surrogates, beyond the last code point, lone bytes.
test_expect_success JQ 'invalid UTF-8 becomes U+FFFD, valid UTF-8 is kept' '
	traced test-tool trace2 call data_string c k "$(printf \
		"1\303\2512\342\202\2543\360\237\230\2004\300\2575\355\240\2006\364\220\200\2007\3778\2009\365\200\200\200a\303")" &&
	jq -j "select(.event == \"data\") | .value" e >actual &&
	printf "1\303\2512\342\202\2543\360\237\230\2004" >expect &&
	for bytes in "2 5" "3 6" "4 7" "1 8" "1 9" "4 a" "1 "
	do
		for i in $(test_seq ${bytes% *})
		do
			printf "\357\277\275" || return 1
		done &&
		printf "%s" "${bytes#* }" || return 1
	done >>expect &&
	test_cmp_bin expect actual &&
	# Checked without jq, which would repair invalid UTF-8.
	"$PERL_PATH" -MEncode -ne "Encode::decode(q(UTF-8), \$_, Encode::FB_CROAK)" e
'

test_expect_success JQ 'every text of an event may contain every byte but NUL' '
	traced test-tool trace2 096all_bytes &&
	expect_valid_stream e &&
	"$PERL_PATH" -MEncode -ne "Encode::decode(q(UTF-8), \$_, Encode::FB_CROAK)" e &&
	for file in n p
	do
		tr -d "\n" <$file | tr -d "\040-\176\200-\377" >controls &&
		test_must_be_empty controls || return 1
	done &&
	test_line_count = 10 n &&
	test_line_count = 14 p &&
	test_line_count = 14 e &&
	perl "$TEST_DIRECTORY/../scrub/perf.perl" p >scrubbed &&
	trace2_jq "
		[.[] | select(.event == \"data\")] | length == 1 and
		(.[0] | .category == .key and .key == .value and
			(.value | length == 255))" e
'

test_expect_success JQ 'an alias with an argv of 240 KB is written whole' '
	traced test-tool trace2 095big_argv 240 1000 &&
	expect_valid_stream e &&
	trace2_jq "
		[.[] | select(.event == \"alias\")] | length == 1 and
		(.[0].argv | length == 240 and all(. == \"x\" * 1000))" e &&
	sed -n "/^alias/p" n >actual &&
	test $(wc -c <actual) = $((240 * 1001 + 13)) &&
	traced test-tool trace2 095big_argv 1 240000 &&
	trace2_jq "[.[] | select(.event == \"alias\").argv[0] | length] == [240000]" e
'

test_expect_success JQ 'a command line of 75 KB is written whole' '
	big=$("$PERL_PATH" -e "print q(a b) x 25000") &&
	traced test-tool trace2 call cmd_mode "$big" &&
	trace2_jq "([.[] | select(.event == \"start\").argv[4] | length] == [75000]) and
		([.[] | select(.event == \"cmd_mode\").name | length] == [75000])" e
'

test_expect_success JQ 'text that is not valid JSON is written as a string' '
	set -- &&
	for text in "" " " "{" "[1,]" "{\"a\":1,}" "01" "1." "+1" "nul" "nulll" \
		"\"a" "\"\\x\"" "\"a${newline}b\"" "\"a${tab}b\"" "[1 2]" \
		"1 {\"event\":\"exit\"}" "]" "{\"a\"}" "{1:2}" "NaN" "-" "1e" \
		"\"\\u12g4\"" "$(printf "\"\377\"")"
	do
		set -- "$@" , data_json c k "$text" || return 1
	done &&
	texts=$(($# / 5)) &&
	shift &&
	traced test-tool trace2 call "$@" &&
	trace2_jq "[.[] | select(.event == \"data_json\").value | type] |
		length == $texts and unique == [\"string\"]" e &&
	test_grep ! "\"value\":\"\"\"" e
'

test_expect_success JQ 'JSON text over several lines is written on one line' '
	traced test-tool trace2 call data_json c k "{${newline}\"a\": [1,${newline}2]${newline}}" &&
	trace2_jq "[.[] | select(.event == \"data_json\").value] == [{a: [1, 2]}]" e &&
	test_grep ! -v "^{.*}\$" e
'

test_expect_success JQ 'JSON nested 5000 deep is written as a string' '
	traced test-tool trace2 call \
		data_json c k "$("$PERL_PATH" -e "print q([) x 5000, q(]) x 5000")" &&
	trace2_jq "[.[] | select(.event == \"data_json\").value | type] == [\"string\"]" e
'

test_done

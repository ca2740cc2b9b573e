#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The interpretation of keys and values: patterns, booleans, numbers.

test_description='config keys and values'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-config.sh

# ---------------------------------------------------------------------------
# Patterns and values

matches () {
	test-tool config match "$1" "$2"
}

matches_not () {
	test_expect_code 1 test-tool config match "$1" "$2"
}

test_expect_success 'patterns match whole keys without regard to case' '
	matches core.editor core.editor &&
	matches CORE.Editor core.editor &&
	matches core.editor CORE.EDITOR &&
	matches_not core core.editor &&
	matches_not editor core.editor &&
	matches_not core.editor core.editors &&
	matches "core.*" core.editor &&
	matches "*" remote.a/b.url &&
	matches "remote.*.url" remote.a/b.c.url &&
	matches_not "remote.*.url" remote.a.pushurl &&
	matches "*.*o*.e*r" core.foo.editor &&
	matches "c?re.editor" core.editor &&
	matches_not "c?re.editor" cre.editor &&
	matches "**.url" remote.a.url &&
	matches_not "" core.editor
'

test_expect_success 'patterns are separated by commas' '
	matches "a.*,core.*" core.x &&
	matches "a.*, core.x ,b" core.x &&
	matches ",,core.x," core.x &&
	matches_not "a.*,b.*" core.x &&
	matches_not "a.*,core" core.x
'

test_expect_success 'patterns may have [sets] and [:classes:]' '
	matches "a.[bc]" a.b &&
	matches "a.[a-c]" a.b &&
	matches "a.[A-C]" a.b &&
	matches_not "a.[!a-c]" a.b &&
	matches_not "a.[^a-c]" a.b &&
	matches "a.[!x]" a.b &&
	matches "a.[!b]" "a.!" &&
	matches "a.[]b]" a.b &&
	matches "a.[x-]" a.- &&
	matches "a.[\\]x]" a.] &&
	matches "a.[[:alpha:]]" a.b &&
	matches "a.[[:upper:]]" a.b &&
	matches "a.[x[:digit:]]1" a.21 &&
	matches_not "a.[[:digit:]]" a.b &&
	matches_not "a.[[:bogus:]]" a.b &&
	matches_not "a.[b" a.b &&
	matches_not "a.[a-" a.b &&
	matches "a.[[:]" a.: &&
	matches "a.\\*" "a.*" &&
	matches_not "a.\\*" a.b &&
	matches_not "a.\\" a.b
'

test_expect_success PERL 'matching a pattern with many stars ends soon' '
	pattern=$(perl -e "print q(*a) x 200, q(b)") &&
	key=$(perl -e "print q(a) x 5000") &&
	test -n "$pattern" &&
	test -n "$key" &&
	matches_not "$pattern" "$key"
'

test_expect_success GIT 'Git and the library choose the same keys by pattern' '
	cat >keys <<-\EOF &&
	[core]
		editor = 1
	[remote "a/b"]
		url = 1
		pushUrl = 1
	[Sec "X[1]-*"]
		key = 1
		k2 = 1
	EOF
	GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=keys &&
	export GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL &&
	test_when_finished "unset GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL" &&
	total=0 &&
	for patterns in "*" "core.*,remote.*.url" "*URL" "*.[ku]*" "*[!l]" \
		"sec.x\\[1\\]*" "*[[:digit:]]*" "*[[:upper:]]*" "?e*" \
		"*-\\*.*" "remote.**" " core.* , *.k2" "[r-s]*" "*[*]*" \
		"[" "**/**" "core" ",,"
	do
		GIT_TRACE2_CONFIG_PARAMS=$patterns GIT_TRACE2="$(pwd)/stream" \
			git version >out &&
		sed -n "s/.*def_param scope:global \(.*\)/global	\1/p" \
			stream >expect &&
		test-tool config all "$patterns" >actual &&
		rm stream &&
		test_cmp expect actual &&
		total=$((total + $(wc -l <expect))) || return 1
	done &&
	test "$total" -gt 30
'

# or_dash COMMAND...: print its output, or - if it fails.
or_dash () {
	"$@" 2>err || echo -
}

# A value and its interpretation: as a boolean, as a number.
cat >values <<\EOF
1 true 1
0 false 0
-1 true -1
true true -
TRUE true -
yes true -
On true -
false false -
no false -
oFF false -
tru - -
2 true 2
+3 true 3
1k true 1024
1K true 1024
5m true 5242880
1g true 1073741824
-1g true -1073741824
2g - -
-2g - -
1t - -
1kb - -
k - -
- - -
0x10 true 16
010 true 8
08 - -
0x - -
1.5 - -
0k false 0
-0 false 0
2147483647 true 2147483647
2147483648 - -
-2147483647 true -2147483647
-2147483648 - -
2097151k true 2147482624
2097152k - -
99999999999999999999 - -
EOF

test_expect_success 'booleans and numbers have the meaning that Git gives them' '
	while read -r value truth number
	do
		t=$(or_dash test-tool config bool "$value") &&
		n=$(or_dash test-tool config int "$value") &&
		echo "$value $t $n" || return 1
	done <values >actual &&
	test_cmp values actual
'

test_expect_success 'a boolean: no value means true, an empty one false, one with a space is invalid' '
	echo true | test_prints test-tool config bool &&
	echo false | test_prints test-tool config bool "" &&
	test_must_fail test-tool config bool " " &&
	test_must_fail test-tool config bool "1 " &&
	test_must_fail test-tool config int "" &&
	test_must_fail test-tool config int
'

test_expect_success GIT 'Git and the library read the same booleans and numbers' '
	while read -r value truth number
	do
		t=$(or_dash git -c "a.b=$value" config --type=bool a.b) &&
		echo "$value $t" || return 1
	done <values >actual &&
	cut -d" " -f1,2 values >expect &&
	test_cmp expect actual
'

test_expect_success 'test-tool config: usage errors exit with 129' '
	test_expect_code 129 test-tool config &&
	test_expect_code 129 test-tool config bogus &&
	test_expect_code 129 test-tool config list &&
	test_expect_code 129 test-tool config --file x list --bogus &&
	test_expect_code 129 test-tool config match a &&
	test_path_is_missing x
'

test_done

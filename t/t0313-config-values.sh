#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The interpretation of keys and values: patterns, booleans, numbers; and
# test-tool config, with which the harness writes config files: Git must be able
# to read them.

test_description='config keys, values, and files that test-tool writes'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-config.sh

corpus=$TRASH_DIRECTORY/corpus

# ---------------------------------------------------------------------------
# Patterns and values

matches () {
	test-tool config match "$1" "$2"
}

matches_not () {
	test_expect_code 1 test-tool config match "$1" "$2"
}

test_expect_success 'patterns match whole keys, whatever their case' '
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

test_expect_success 'patterns are a list' '
	matches "a.*,core.*" core.x &&
	matches "a.*, core.x ,b" core.x &&
	matches ",,core.x," core.x &&
	matches_not "a.*,b.*" core.x &&
	matches_not "a.*,core" core.x
'

test_expect_success 'patterns have sets' '
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

test_expect_success PERL 'matching a pattern of many stars ends' '
	pattern=$(perl -e "print q(*a) x 200, q(b)") &&
	key=$(perl -e "print q(a) x 5000") &&
	test -n "$pattern" &&
	test -n "$key" &&
	matches_not "$pattern" "$key"
'

test_expect_success GIT 'git chooses the same keys by pattern' '
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

test_expect_success 'booleans and numbers' '
	while read -r value truth number
	do
		t=$(or_dash test-tool config bool "$value") &&
		n=$(or_dash test-tool config int "$value") &&
		echo "$value $t $n" || return 1
	done <values >actual &&
	test_cmp values actual
'

test_expect_success 'booleans without a value, empty, with spaces' '
	echo true >expect &&
	test-tool config bool >actual &&
	test_cmp expect actual &&
	echo false >expect &&
	test-tool config bool "" >actual &&
	test_cmp expect actual &&
	test_must_fail test-tool config bool " " &&
	test_must_fail test-tool config bool "1 " &&
	test_must_fail test-tool config int "" &&
	test_must_fail test-tool config int
'

test_expect_success GIT 'git takes the same values' '
	while read -r value truth number
	do
		t=$(or_dash git -c "a.b=$value" config --type=bool a.b) &&
		echo "$value $t" || return 1
	done <values >actual &&
	cut -d" " -f1,2 values >expect &&
	test_cmp expect actual
'

# ---------------------------------------------------------------------------
# Writing config files for tests

test_expect_success 'set writes, replaces the last, and keeps the rest' '
	rm -f written &&
	test-tool config --file written set a.one 1 &&
	test-tool config --file written set a.Sub.two 2 &&
	test-tool config --file written set A.Three 3 &&
	test-tool config --file written set a.one 4 &&
	q_to_tab >expect <<-\EOF &&
	[a]
	Qone = 4
	Qthree = 3
	[a "Sub"]
	Qtwo = 2
	EOF
	test_cmp expect written &&
	echo "[a] one = 5" >>written &&
	test-tool config --file written set a.one 6 &&
	test-tool config --file written list >actual &&
	cat >expect <<-\EOF &&
	a.one=4
	a.three=3
	a.Sub.two=2
	a.one=6
	EOF
	test_cmp expect actual
'

test_expect_success 'unset removes all, and says 5 when there is none' '
	test-tool config --file written unset a.one &&
	test_expect_code 5 test-tool config --file written unset a.one &&
	test_expect_code 5 test-tool config --file nosuch unset a.one &&
	cat >expect <<-\EOF &&
	a.three=3
	a.Sub.two=2
	EOF
	test-tool config --file written list >actual &&
	test_cmp expect actual
'

# Every fourth file; with GIT_TEST_LONG all.
every=4
test_have_prereq !EXPENSIVE || every=1

test_expect_success 'all that is good survives being written' '
	nr=0 &&
	mkdir -p "$corpus/good" &&
	tar -C "$corpus/good" -xf "$TEST_DIRECTORY/t0310/good.tar" &&
	for file in "$corpus"/good/*
	do
		nr=$((nr + 1)) &&
		case "$file" in
		*-nul) ;;
		*) test $((nr % every)) = 0 || continue ;;
		esac &&
		cp "$file" copy &&
		case "$file" in
		*-nul)
			test_must_fail test-tool config --file copy \
				set last.Key value &&
			cmp "$file" copy || return 1
			continue ;;
		esac &&
		list copy >before &&
		test-tool config --file copy set last.Key "value" &&
		list copy >after &&
		printf "last.key\nvalue\0" >>before &&
		cmp before after || {
			echo "$file does not survive"
			return 1
		}
	done
'

test_expect_success 'odd values and sections are quoted so that Git reads them' '
	rm -f odd &&
	for value in "" " " " a" "a " "a  b" "#" ";" "a # b" "\"" "\\" "a
b" "a	b" "!x \"\$1\"; y" "\\n" "=" "[a]"
	do
		test-tool config --file odd set o.v "$value" &&
		list odd >actual &&
		printf "o.v\n%s\0" "$value" >expect &&
		cmp expect actual || return 1
		if test_have_prereq GIT
		then
			git config -f odd --list -z >actual &&
			cmp expect actual || return 1
		fi
	done &&
	test-tool config --file odd set "o.S \"x\\ .]#.v" 1 &&
	list odd >actual &&
	printf "o.v\n%s\0o.S \"x\\ .]#.v\n1\0" "[a]" >expect &&
	cmp expect actual
'

test_expect_success 'a malformed file is not written' '
	echo "[bad" >malformed &&
	cp malformed before &&
	test_must_fail test-tool config --file malformed set a.b c &&
	test_cmp before malformed
'

test_expect_success 'usage errors end with 129' '
	test_expect_code 129 test-tool config &&
	test_expect_code 129 test-tool config bogus &&
	test_expect_code 129 test-tool config list &&
	test_expect_code 129 test-tool config --file x list --bogus &&
	test_expect_code 129 test-tool config --file x set a.b &&
	test_expect_code 129 test-tool config --file x set plain value &&
	test_expect_code 129 test-tool config --file x unset &&
	test_expect_code 129 test-tool config match a &&
	test_path_is_missing x
'

test_done

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# t0001/good has bodies whose chain holds, each after a line "===== NAME".
# t0001/bad has bodies whose chain is broken, each with the expected complaints
# after a line "-----".

test_description='chain lint finds broken && chains, and no others'

TEST_NO_TEST_TOOL=t
. ./test-lib.sh

# Every installed awk; the product needs only one.
awks="awk"
for other in mawk gawk original-awk 'busybox awk'
do
	if $other 'BEGIN { exit 0 }' >/dev/null 2>&1
	then
		awks="$awks,$other"
	fi
done

# each_awk COMMAND...: run it with the words of each awk appended.
each_awk () {
	rest=$awks,
	while test -n "$rest"
	do
		# shellcheck disable=SC2086 # "busybox awk" is two words
		"$@" ${rest%%,*} || {
			echo "with ${rest%%,*}"
			return 1
		}
		rest=${rest#*,}
	done
}

# lint CODE NAME AWK...: it ends with this code, and prints what NAME.expect has.
lint () {
	code=$1 name=$2 &&
	shift 2 &&
	test_expect_code "$code" "$@" -f "$TEST_DIRECTORY/chainlint.awk" \
		<"$name" >actual &&
	test_cmp "$name.expect" actual
}

# read_script AWK...: find the bodies of a script, and compare with `expect`.
read_script () {
	"$@" -v whole=1 -f "$TEST_DIRECTORY/chainlint.awk" script >actual &&
	test_cmp expect actual
}

test_expect_success 'setup: split the lists of good and bad bodies' '
	for kind in good bad
	do
		mkdir $kind &&
		awk -v kind=$kind "
			/^=====/ { name = kind \"/\" \$2; printf \"\" >(name \".expect\"); next }
			/^-----/ { name = name \".expect\"; next }
			{ print >name }" "$TEST_DIRECTORY"/t0001/$kind &&
		ls $kind | sed "/expect\$/d" >$kind.list || return 1
	done &&
	test_line_count = 21 good.list &&
	test_line_count = 29 bad.list
'

test_expect_success 'unbroken chains are not reported' '
	while read -r name
	do
		each_awk lint 0 "good/$name" || return 1
	done <good.list
'

test_expect_success 'each broken chain is reported with its line' '
	while read -r name
	do
		test_file_not_empty "bad/$name.expect" &&
		each_awk lint 1 "bad/$name" || return 1
	done <bad.list
'

test_expect_success 'lint of a whole script prints exactly the bodies with unbroken chains' '
	while read -r name
	do
		echo "test_expect_success A,!B \"$name\" '\''" &&
		sed "s/'\''/&\\\\&&/g" "good/$name" &&
		echo "	'\''" &&
		{ printf "<\n" && cat "good/$name" && printf "\t:>"; } >&6 ||
		return 1
	done <good.list >script 6>expect &&
	while read -r name
	do
		echo "test_expect_failure '\''it does not hold'\'' '\''" &&
		sed "s/'\''/&\\\\&&/g" "bad/$name" &&
		echo "'\''" || return 1
	done <bad.list >>script &&
	echo "	test_expect_success '\''on one line'\'' '\''a && b'\''" >>script &&
	printf "<a && b:>" >>expect &&
	each_awk read_script
'

# If a line of a good body loses its &&, that must be detected; so no construct
# hides a break after it.
test_expect_success 'a broken chain is found after each shell construct' '
	while read -r name
	do
		test "$name" != empty || continue
		{ cat "good/$name" && test_write_lines last one_more; } >body &&
		test_expect_code 1 awk -f "$TEST_DIRECTORY/chainlint.awk" \
			<body >actual &&
		test_grep "^line $(($(wc -l <body) - 1)): no && .*: last\$" \
			actual || return 1
	done <good.list
'

test_done

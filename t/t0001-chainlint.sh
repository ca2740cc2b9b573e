#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each file t/chainlint/good-*.test is a body whose chain holds. Each bad-*.test
# is one whose chain is broken; the expected complaints follow after a line
# "=====".

test_description='chain lint finds broken && chains, and no others'

TEST_NO_TEST_TOOL=t
. ./test-lib.sh

# lint AWK...: check a body from standard input.
lint () {
	"$@" -f "$TEST_DIRECTORY/chainlint.awk"
}

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

good () {
	file=$1
	shift
	lint "$@" <"$file" >actual
	code=$?
	test_must_be_empty actual &&
	case $code in
	0|3) ;;
	*) echo "exit code $code"; return 1 ;;
	esac
}

bad () {
	file=$1
	shift
	test_expect_code 1 lint "$@" <body >actual &&
	test_cmp expect actual
}

for file in "$TEST_DIRECTORY"/chainlint/good-*.test
do
	name=${file##*/good-}
	test_expect_success "holds: ${name%.test}" '
		each_awk good "$file"
	'
done

for file in "$TEST_DIRECTORY"/chainlint/bad-*.test
do
	name=${file##*/bad-}
	test_expect_success "broken: ${name%.test}" '
		sed "/^=====\$/,\$d" "$file" >body &&
		sed "1,/^=====\$/d" "$file" >expect &&
		test_file_not_empty expect &&
		each_awk bad "$file"
	'
done

test_expect_success 'reports whether a failing first command proves anything' '
	echo "one && { two || three; }" >plain &&
	test_expect_code 0 lint awk <plain &&
	echo "one && two || three" >or &&
	test_expect_code 3 lint awk <or &&
	test_write_lines "one &" two >background &&
	test_expect_code 3 lint awk <background &&
	test_write_lines one "test \$? = 2" >status &&
	test_expect_code 3 lint awk <status
'

# read_script AWK...: find the bodies of a script, and compare with `expect`.
read_script () {
	"$@" -v whole=1 -f "$TEST_DIRECTORY/chainlint.awk" script >actual &&
	test_cmp expect actual
}

test_expect_success 'of a script, the bodies that hold are told at once' '
	for file in "$TEST_DIRECTORY"/chainlint/good-*.test
	do
		lint awk <"$file"
		code=$? &&
		echo "test_expect_success A,!B \"${file##*/}\" '\''" &&
		sed "s/'\''/&\\\\&&/g" "$file" &&
		echo "	'\''" &&
		{ printf "<$code:\n" && cat "$file" && printf "\t:>"; } >&6 ||
		return 1
	done >script 6>expect &&
	for file in "$TEST_DIRECTORY"/chainlint/bad-*.test
	do
		echo "test_expect_failure '\''it does not hold'\'' '\''" &&
		sed "/^=====\$/,\$d; s/'\''/&\\\\&&/g" "$file" &&
		echo "'\''" || return 1
	done >>script &&
	echo "	test_expect_success '\''on one line'\'' '\''a && b'\''" >>script &&
	printf "<0:a && b:>" >>expect &&
	each_awk read_script
'

# If a line of a good body loses its &&, that must be detected; so no construct
# hides a break after it.
test_expect_success 'a break is found behind each construct' '
	for file in "$TEST_DIRECTORY"/chainlint/good-*.test
	do
		case "$file" in
		*/good-empty.test) continue ;;
		esac &&
		{
			cat "$file" &&
			test_write_lines "last" "one_more"
		} >body &&
		test_expect_code 1 lint awk <body >actual || return 1
		test_grep "^line $(($(wc -l <body) - 1)): no && .*: last\$" \
			actual || return 1
	done
'

test_done

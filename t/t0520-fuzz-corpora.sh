#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='faults that fuzzers found do not come back

Each fuzzer runs on the inputs of its corpus, without clang and libFuzzer;
t/fuzz/fuzzers.def has the properties that it checks. An input whose name
consists of words once caused a fault.
'

. ./test-lib.sh

replay=$GIT_BUILD_DIR/build/fuzz/replay
corpus=$TRASH_DIRECTORY/corpus
unchecked 'broken by the fuzzer' 'corpus/*'
TMPDIR=$TRASH_DIRECTORY
export TMPDIR

"$replay" >fuzzers || : >fuzzers

test_expect_success 'setup: unpack the corpora' '
	for file in "$TEST_DIRECTORY"/fuzz/corpus/*
	do
		name=${file##*/} name=${name%.tar} &&
		mkdir -p "$corpus/$name" &&
		tar -C "$corpus/$name" -xf "$file" || return 1
	done
'

test_expect_success 'each row of the fuzzer table has a file, a corpus and a fuzzer' '
	sed -n "s/^FUZZER(\([a-z_]*\),.*/\1/p" \
		"$TEST_DIRECTORY/fuzz/fuzzers.def" >expect &&
	test_line_count -gt 12 expect &&
	cut -f 1 fuzzers >actual &&
	test_cmp expect actual &&
	while read -r name
	do
		test_path_is_file "$TEST_DIRECTORY/fuzz/$name.c" &&
		test_path_is_dir "$corpus/$name" || return 1
	done <expect &&
	ls "$corpus" >actual &&
	test_cmp expect actual
'

while read -r name what
do
	test_expect_success "fuzzer $name accepts the inputs of its corpus" '
		ls "$corpus/$name" >inputs &&
		test_file_not_empty inputs &&
		"$replay" $name "$corpus/$name"/* >actual 2>log || {
			code=$?
			tail -n 20 log
			return 1
		} &&
		echo "$name: $(wc -l <inputs | tr -d " ") inputs" >expect &&
		test_cmp expect actual
	'
done <fuzzers

test_expect_success 'the fuzz corpora are small' '
	cat "$corpus"/*/* >all &&
	test "$(wc -c <all)" -lt 300000
'

test_expect_success 'a fuzzer fails for an input that it cannot read' '
	test_expect_code 2 "$replay" quote missing 2>err &&
	test_grep "cannot read .missing.: No such file" err
'

test_expect_success 'an unknown fuzzer is an error' '
	test_expect_code 2 "$replay" quotes 2>err &&
	test_grep "no fuzzer is called .quotes." err
'

test_done

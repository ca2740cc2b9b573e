#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='destinations: descriptors, files, directories, sockets'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

scrub_event () {
	perl "$TEST_DIRECTORY/../scrub/event.perl" "$@"
}

GIT_TRACE2_BRIEF=1
export GIT_TRACE2_BRIEF

# expect_normal FILE: the events of 001return 0, once, and nothing else. Under
# valgrind argv[0] is a whole path.
expect_normal () {
	test_prints sed "/^cmd_ancestry/d; s/elapsed:[0-9]*\.[0-9]*/elapsed:N/
		s,^start /.*/test-tool ,start test-tool ," "$1" <<-\EOF
	version test-tool 1.0
	start test-tool trace2 001return 0
	cmd_name trace2 (trace2)
	exit elapsed:N code:0
	atexit elapsed:N code:0
	EOF
}

test_expect_success '0, false and an empty value switch a target off' '
	for value in 0 false FALSE False ""
	do
		GIT_TRACE2=$value test-tool trace2 001return 0 >out 2>err 3>three &&
		test_must_be_empty out &&
		test_must_be_empty err &&
		test_must_be_empty three || return 1
	done
'

test_expect_success '1, true and 2 mean standard error' '
	for value in 1 true TRUE True 2
	do
		GIT_TRACE2=$value test-tool trace2 001return 0 >out 2>err &&
		test_must_be_empty out &&
		expect_normal err || return 1
	done
'

test_expect_success '3 to 9 mean the descriptor of this number' '
	GIT_TRACE2=3 test-tool trace2 001return 0 3>three 2>err &&
	expect_normal three &&
	test_must_be_empty err &&
	GIT_TRACE2=9 test-tool trace2 001return 0 9>nine 2>err &&
	expect_normal nine &&
	test_must_be_empty err
'

# between VALUE NAME: the program around test-tool writes before and after it.
# The descriptor is a file without O_APPEND.
between () {
	{
		echo before >&"$2" &&
		GIT_TRACE2=$1 test-tool trace2 001return 0 &&
		echo after >&"$2"
	} >out 2>err &&
	shift 2 &&
	sed -n "1p; \$p" "$1" >actual &&
	printf "before\nafter\n" | test_cmp - actual &&
	sed "1d; \$d" "$1" >lines &&
	expect_normal lines
}

test_expect_success SYMLINKS '/dev/fd/N and links to it mean the descriptor, not a file' '
	ln -s /dev/stderr named &&
	ln -s named named-twice &&
	mkdir named-dir &&
	ln -s /dev/fd named-dir/fd &&
	ln -s ../named-dir/fd/2 named-dir/two &&
	for value in /dev/stderr /dev/fd/2 /dev/../dev/fd/2 /proc/self/fd/2 \
		/proc/thread-self/fd/2 "$(pwd)/named" "$(pwd)/named-twice" \
		"$(pwd)/named-dir/fd/2" "$(pwd)/named-dir/two"
	do
		between "$value" 2 err || return 1
	done &&
	between /dev/stdout 1 out &&
	between /dev/fd/1 1 out
'

test_expect_success BASH '/dev/fd/N may have more than one digit' '
	bash -c "
		{ echo before >&12 &&
		GIT_TRACE2=/dev/fd/12 test-tool trace2 001return 0 &&
		echo after >&12; } 12>twelve" &&
	sed "1d; \$d" twelve >lines &&
	expect_normal lines
'

# The library does not write to a descriptor of a file that the program reads.
test_expect_success '/dev/fd/N is opened as a path if descriptor N is read-only or a directory' '
	: >input &&
	GIT_TRACE2=/dev/fd/7 test-tool trace2 001return 0 7<input &&
	expect_normal input &&
	mkdir given &&
	GIT_TRACE2=/dev/fd/7 test-tool trace2 001return 0 7<given &&
	expect_normal given/*
'

test_expect_success !UNDER_VALGRIND 'a descriptor that is not open gets nothing' '
	GIT_TRACE2=8 test-tool trace2 001return 0 2>err 8>&- &&
	test_must_be_empty err &&
	GIT_TRACE2=8 GIT_TRACE2_DST_DEBUG=1 test-tool trace2 001return 0 2>err 8>&- &&
	echo "warning: trace2: cannot use '\''GIT_TRACE2'\'': '\''8'\'': Bad file descriptor" >expect &&
	test_cmp expect err
'

test_expect_success 'a descriptor that is open for reading only gets nothing' '
	: >input &&
	GIT_TRACE2=7 test-tool trace2 001return 0 7<input 2>err &&
	test_must_be_empty err &&
	test_must_be_empty input &&
	GIT_TRACE2=7 GIT_TRACE2_DST_DEBUG=1 test-tool trace2 001return 0 7<input 2>err &&
	echo "warning: trace2: cannot use '\''GIT_TRACE2'\'': '\''7'\'': Bad file descriptor" >expect &&
	test_cmp expect err
'

test_expect_success 'a descriptor that the program was given stays open' '
	GIT_TRACE2=4 test-tool trace2 090fds 4>four >out &&
	test_grep "^4\$" out
'

test_expect_success 'a target file is created, then appended to' '
	GIT_TRACE2="$(pwd)/file" test-tool trace2 001return 0 &&
	expect_normal file &&
	cp file first &&
	GIT_TRACE2="$(pwd)/file" test-tool trace2 001return 0 &&
	head -n "$(wc -l <first)" file >head &&
	test_cmp first head &&
	tail -n "$(wc -l <first)" file >tail &&
	expect_normal tail
'

test_expect_success 'a target path may have spaces and odd characters' '
	mkdir "a dir" &&
	GIT_TRACE2="$(pwd)/a dir/fi \"le'\''" test-tool trace2 001return 0 &&
	expect_normal "a dir/fi \"le'\''"
'

test_expect_success SYMLINKS 'a target path may be a symbolic link to a file or a directory' '
	ln -s target link &&
	GIT_TRACE2="$(pwd)/link" test-tool trace2 001return 0 &&
	expect_normal target &&
	mkdir real &&
	ln -s real dirlink &&
	GIT_TRACE2="$(pwd)/dirlink" test-tool trace2 001return 0 &&
	expect_normal real/2*
'

test_expect_success POSIXPERM 'the umask decides who may read a new target file' '
	(
		umask 027 &&
		GIT_TRACE2="$(pwd)/mode-640" test-tool trace2 001return 0 &&
		umask 0 &&
		GIT_TRACE2="$(pwd)/mode-666" test-tool trace2 001return 0 &&
		mkdir modes &&
		umask 077 &&
		GIT_TRACE2="$(pwd)/modes" test-tool trace2 001return 0
	) &&
	ls -l mode-640 mode-666 modes/2* | cut -c1-10 >actual &&
	test_write_lines -rw-r----- -rw-rw-rw- -rw------- | test_cmp - actual
'

test_expect_success POSIXPERM 'an existing target file keeps its mode' '
	: >kept &&
	chmod 604 kept &&
	GIT_TRACE2="$(pwd)/kept" test-tool trace2 001return 0 &&
	ls -l kept | cut -c1-10 >actual &&
	echo "-rw----r--" | test_cmp - actual
'

test_expect_success 'a relative target path is refused, with a warning' '
	for value in file ./file ../file "~/file"
	do
		GIT_TRACE2=$value test-tool trace2 001return 0 2>err &&
		echo "warning: trace2: unknown value for '\''GIT_TRACE2'\'': '\''$value'\''" >expect &&
		test_cmp expect err || return 1
	done
'

# refused VALUE REASON: nothing is traced; the reason is reported on request.
# Each C library has its own texts.
too_long="File name too long"
if test_have_prereq MUSL
then
	too_long="Filename too long"
fi

refused () {
	GIT_TRACE2=$1 test-tool trace2 001return 0 2>err &&
	test_must_be_empty err &&
	GIT_TRACE2=$1 GIT_TRACE2_DST_DEBUG=1 test-tool trace2 001return 0 2>err &&
	echo "warning: trace2: cannot use 'GIT_TRACE2': '$1': $2" | test_cmp - err
}

test_expect_success 'a target directory that does not exist is reported' '
	refused "$(pwd)/missing/file" "No such file or directory" &&
	test_path_is_missing missing &&
	refused "$(pwd)/file/in-file" "Not a directory"
'

test_expect_success SANITY 'a target file or directory without write permission is reported' '
	: >readonly &&
	chmod 444 readonly &&
	refused "$(pwd)/readonly" "Permission denied" &&
	mkdir readonly-dir &&
	chmod 555 readonly-dir &&
	refused "$(pwd)/readonly-dir" "Permission denied" &&
	refused "$(pwd)/readonly-dir/file" "Permission denied"
'

test_expect_success SANITY 'a target directory that may be written to but not read gets the file' '
	mkdir writeonly &&
	chmod 333 writeonly &&
	GIT_TRACE2="$(pwd)/writeonly" test-tool trace2 001return 0 &&
	chmod 755 writeonly &&
	expect_normal writeonly/2*
'

test_expect_success 'a target path that is too long is reported' '
	long=$("$PERL_PATH" -e "print q(/x) x 3000") &&
	refused "$long" "$too_long" &&
	refused "$(pwd)/$("$PERL_PATH" -e "print q(x) x 300")" "$too_long"
'

test_expect_success JQ 'a target directory gets one file for each process, named after the SID' '
	mkdir dir &&
	GIT_TRACE2_EVENT="$(pwd)/dir" test-tool trace2 004child \
		test-tool trace2 001return 0 &&
	ls dir >names &&
	test_line_count = 2 names &&
	test_grep ! -v "^20[0-9]\{6\}T[0-9]\{6\}\.[0-9]\{6\}Z-H[0-9a-f]\{8\}-P[0-9a-f]\{8\}\$" names &&
	for name in $(cat names)
	do
		echo "dir/$name $name" &&
		expect_valid_stream "dir/$name" || return 1
	done >expect &&
	jq -r "\"\(input_filename) \(.sid | sub(\".*/\"; \"\"))\"" dir/* | sort -u >actual &&
	test_cmp expect actual
'

test_expect_success 'a directory may serve one target, or all three with suffixes .1 and .2' '
	mkdir all &&
	GIT_TRACE2="$(pwd)/all" GIT_TRACE2_PERF="$(pwd)/all" \
		GIT_TRACE2_EVENT="$(pwd)/all" test-tool trace2 001return 0 &&
	ls all | sed "s/.*-P[0-9a-f]*//" >actual &&
	test_write_lines "" .1 .2 | test_cmp - actual &&
	expect_normal all/*[0-9a-f]
'

test_expect_success 'maxFiles: a sentinel file is created in place of one file too many' '
	mkdir full &&
	: >full/one &&
	: >full/two &&
	GIT_TRACE2_EVENT="$(pwd)/full" GIT_TRACE2_MAX_FILES=3 \
		test-tool trace2 001return 0 &&
	test_stdout_line_count = 3 ls full &&
	test_path_is_missing full/git-trace2-discard &&
	GIT_TRACE2_EVENT="$(pwd)/full" GIT_TRACE2_MAX_FILES=3 \
		test-tool trace2 001return 0 &&
	test_stdout_line_count = 4 ls full &&
	test_prints scrub_event full/git-trace2-discard <<-\EOF
	{"event":"version","sid":"_SID0_","thread":"main","time":"_TIME_","evt":"4","exe":"test-tool 1.0"}
	{"event":"too_many_files","sid":"_SID0_","thread":"main","time":"_TIME_"}
	EOF
'

test_expect_success 'a sentinel file in the directory stops further files' '
	cp full/git-trace2-discard before &&
	GIT_TRACE2_EVENT="$(pwd)/full" GIT_TRACE2_MAX_FILES=3 \
		test-tool trace2 001return 0 2>err &&
	test_must_be_empty err &&
	test_stdout_line_count = 4 ls full &&
	test_cmp before full/git-trace2-discard &&
	# Nothing is written, even if there is room again.
	rm full/2* full/one full/two &&
	GIT_TRACE2_EVENT="$(pwd)/full" GIT_TRACE2_MAX_FILES=3 \
		test-tool trace2 001return 0 &&
	test_stdout_line_count = 1 ls full &&
	GIT_TRACE2_EVENT="$(pwd)/full" GIT_TRACE2_MAX_FILES=3 GIT_TRACE2_DST_DEBUG=1 \
		test-tool trace2 001return 0 2>err &&
	test_line_count = 1 err &&
	rm full/git-trace2-discard &&
	GIT_TRACE2_EVENT="$(pwd)/full" GIT_TRACE2_MAX_FILES=3 \
		test-tool trace2 001return 0 &&
	expect_valid_stream full/2*
'

test_expect_success 'maxFiles counts hidden files, but not . and ..' '
	mkdir hidden &&
	: >hidden/.one &&
	GIT_TRACE2_EVENT="$(pwd)/hidden" GIT_TRACE2_MAX_FILES=1 \
		test-tool trace2 001return 0 &&
	test_path_is_file hidden/git-trace2-discard &&
	mkdir empty &&
	GIT_TRACE2_EVENT="$(pwd)/empty" GIT_TRACE2_MAX_FILES=1 \
		test-tool trace2 001return 0 &&
	test_path_is_missing empty/git-trace2-discard
'

test_expect_success 'a directory without maxFiles has no limit' '
	mkdir many &&
	for i in $(test_seq 30)
	do
		: >many/$i || return 1
	done &&
	GIT_TRACE2_EVENT="$(pwd)/many" test-tool trace2 001return 0 &&
	GIT_TRACE2_EVENT="$(pwd)/many" GIT_TRACE2_MAX_FILES=0 test-tool trace2 001return 0 &&
	test_stdout_line_count = 32 ls many
'

test_expect_success PIPE 'a fifo with a reader gets the stream' '
	test-tool fault read-fifo --output=fifo.out "$(pwd)/fifo" \
		env GIT_TRACE2="$(pwd)/fifo" test-tool trace2 001return 0 &&
	expect_normal fifo.out
'

test_expect_success PIPE 'a fifo without a reader does not hang the program' '
	rm -f fifo &&
	mkfifo fifo &&
	refused "$(pwd)/fifo" "No such device or address"
'

test_expect_success 'a device gets the stream' '
	GIT_TRACE2=/dev/null test-tool trace2 093session_id >out &&
	test_grep "^1 20" out
'

# A socket has at most 107 bytes of path, too few for a trash directory.
test_expect_success UNIX_SOCKETS 'setup: a place for sockets' '
	sockets=$(mktemp -d "${TMPDIR:-/tmp}/t0301.XXXXXX") &&
	test_atexit "rm -rf \"$sockets\""
'

# socketed KIND FORM: run under a listener of KIND, with af_unix:FORM PATH.
socketed () {
	rm -f "$sockets/s" socket.out &&
	test-tool fault "$1" --output=socket.out "$sockets/s" \
		env GIT_TRACE2="af_unix:$2$sockets/s" \
		test-tool trace2 001return 0 2>err
}

test_expect_success UNIX_SOCKETS 'a stream socket gets the stream' '
	socketed listen-stream stream: &&
	expect_normal socket.out &&
	socketed listen-stream "" &&
	expect_normal socket.out
'

test_expect_success UNIX_SOCKETS 'a datagram socket gets the stream' '
	socketed listen-dgram dgram: &&
	expect_normal socket.out
'

test_expect_success UNIX_SOCKETS 'af_unix without a kind tries a stream socket, then a datagram socket' '
	socketed listen-dgram "" &&
	expect_normal socket.out
'

test_expect_success UNIX_SOCKETS 'a socket of the wrong kind gets nothing' '
	socketed listen-dgram stream: &&
	test_must_be_empty err &&
	test ! -s socket.out &&
	socketed listen-stream dgram: &&
	test_must_be_empty err &&
	test ! -s socket.out &&
	rm -f "$sockets/s" &&
	test-tool fault listen-dgram --output=socket.out "$sockets/s" \
		env GIT_TRACE2="af_unix:stream:$sockets/s" GIT_TRACE2_DST_DEBUG=1 \
		test-tool trace2 001return 0 2>err &&
	test_grep "^warning: trace2: cannot use '\''GIT_TRACE2'\'': '\''af_unix:stream:$sockets/s'\'': Protocol wrong type for socket\$" err
'

test_expect_success UNIX_SOCKETS 'a socket that is missing, or that nobody listens on, is reported' '
	refused "af_unix:$sockets/missing" "No such file or directory" &&
	"$PERL_PATH" -MIO::Socket::UNIX -e "
		IO::Socket::UNIX->new(Local => shift, Listen => 1) or die" "$sockets/dead" &&
	refused "af_unix:$sockets/dead" "Connection refused" &&
	: >"$sockets/file" &&
	refused "af_unix:stream:$sockets/file" "Connection refused"
'

test_expect_success 'a socket path that is too long is reported' '
	refused "af_unix:/$("$PERL_PATH" -e "print q(x) x 107")" "$too_long"
'

test_expect_success !UNDER_VALGRIND 'descriptors of the library are closed in a program that is executed' '
	test-tool fault close-fd 5 env GIT_TRACE2="$(pwd)/cloexec" \
		GIT_TRACE2_PERF="$(pwd)/cloexec" \
		test-tool trace2 004child env -u GIT_TRACE2 -u GIT_TRACE2_PERF \
		test-tool trace2 090fds >traced &&
	test-tool trace2 004child test-tool trace2 090fds >untraced 5<&- &&
	test_cmp untraced traced
'

test_expect_success JQ 'processes that append to one file tear no line' '
	GIT_TRACE2_EVENT="$(pwd)/shared" test-tool trace2 033writers 4 50 5000 &&
	expect_valid_stream shared &&
	trace2_jq "
		[.[] | select(.event == \"data\")]
		| length == 200 and all(.value | length == 5000) and
			(group_by(.sid) | length == 4 and
			all([.[].key] == [range(50) | \"k\\(.)\"]))" shared
'

test_done

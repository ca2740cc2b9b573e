# SPDX-License-Identifier: MIT
#
# The prerequisites that every script may use, with Git's names if Git has one.
# Nearly all are lazy: a script pays for those that it uses. One that a single
# script uses is defined there. TTY is in lib-terminal.sh.
#
# Never set, for scripts that serve other systems as well: MINGW, CYGWIN,
# WINDOWS, NATIVE_CRLF.
#
# shellcheck shell=sh

# Requirements of this project, and names that older scripts use.
test_set_prereq PTHREADS
test_set_prereq C_LOCALE_OUTPUT
test_set_prereq EXECKEEPSPID

# ---------------------------------------------------------------------------
# The user and the file system

test_lazy_prereq ROOT 'test "$(id -u)" = 0'
test_lazy_prereq NOT_ROOT 'test "$(id -u)" != 0'

# Permissions apply to this user.
test_lazy_prereq SANITY '
	mkdir dir &&
	echo secret >dir/file &&
	chmod a= dir/file &&
	! test -r dir/file &&
	! test -w dir/file &&
	chmod a-w dir &&
	! rm -f dir/file 2>/dev/null &&
	chmod a= dir &&
	! test -r dir/file
'

test_lazy_prereq POSIXPERM '
	>file &&
	chmod 640 file &&
	case "$(ls -l file)" in
	-rw-r-----*) true ;;
	*) false ;;
	esac
'
test_lazy_prereq SYMLINKS 'ln -s x y && test -h y'
test_lazy_prereq PIPE 'mkfifo pipe && test -p pipe'
test_lazy_prereq FUNNYNAMES '>"a
b	c\"d"'
test_lazy_prereq CASE_INSENSITIVE_FS '
	echo good >CamelCase &&
	echo bad >camelcase &&
	test "$(cat CamelCase)" != good
'
test_lazy_prereq UNIX_SOCKETS '
	"$PERL_PATH" -MIO::Socket::UNIX -e "
		IO::Socket::UNIX->new(Local => q(sock), Listen => 1) or exit 1
	" && test -S sock
'

# ---------------------------------------------------------------------------
# Programs

# Scripts need perl for tests, not for the product; both names mean the same
# here.
test_lazy_prereq PERL '"$PERL_PATH" -e "use 5.008; exit 0"'
test_lazy_prereq PERL_TEST_HELPERS '"$PERL_PATH" -e "use 5.008; exit 0"'
test_lazy_prereq JSON_PP '"$PERL_PATH" -MJSON::PP -e "exit 0"'
test_lazy_prereq JQ 'jq --version'
test_lazy_prereq GIT 'git version'
test_lazy_prereq BASH 'bash --version'
test_lazy_prereq PYTHON '"$PYTHON_PATH" -c "import sys; sys.exit(sys.version_info < (3, 8))"'
test_lazy_prereq CC '
	echo "int main(void) { return 0; }" >probe.c &&
	"${CC:-cc}" probe.c -o probe
'
test_lazy_prereq PROVE 'prove --version'
test_lazy_prereq MAKE 'make --version'
test_lazy_prereq PKG_CONFIG 'pkg-config --version'
test_lazy_prereq ASCIIDOCTOR 'asciidoctor --version'
test_lazy_prereq STRACE 'strace -f -o log true && test -s log'
test_lazy_prereq PERF 'perf report -h >/dev/null 2>&1 || test $? = 129'
test_lazy_prereq PERF_SCRIPT 'perf --version'
test_lazy_prereq PERF_STAT 'perf stat -x, -o out -e page-faults,cs true'
test_lazy_prereq VALGRIND 'valgrind --version'
test_lazy_prereq GDB 'gdb --version'
test_lazy_prereq EXPENSIVE 'test -n "${GIT_TEST_LONG-}"'
# Sanitizers have memory of their own.
test_lazy_prereq PLAIN_MEMORY 'test -z "${SANITIZE-}"'
test_lazy_prereq LONG_IS_64BIT 'test "$(getconf LONG_BIT)" = 64'

# ---------------------------------------------------------------------------
# Features of the system

# denied CALL COMMAND...: run it in a sandbox that refuses what CALL names.
denied () {
	"$PERL_PATH" "$TEST_DIRECTORY/t3100/deny.perl" "$@"
}

test_lazy_prereq X86_64 'test "$(uname -m)" = x86_64'
test_lazy_prereq PROC 'test -r /proc/self/stat'
# The pid of the next process can be chosen, as long as no other process begins.
# All may open the file for writing, few may write to it.
test_lazy_prereq NEXT_PID '
	next=$(cat /proc/sys/kernel/ns_last_pid) &&
	echo $next >/proc/sys/kernel/ns_last_pid
'
# Mounted in a new namespace, as its root.
test_lazy_prereq PID_NAMESPACE 'unshare -rpf --mount-proc true'
test_lazy_prereq TMPFS '
	mkdir mnt &&
	unshare -rm sh -c "mount -t tmpfs -o size=64k none mnt && : >mnt/file"
'
test_lazy_prereq SECCOMP '
	denied all true
'
test_lazy_prereq KERNEL_EVENTS '
	test-tool perf run open task-clock,page-faults >out &&
	test_must_be_empty out
'
test_lazy_prereq KERNEL_SAMPLES 'test-tool perf faults 1 1 1'
# recording_has KEY [SOURCE]: by the meta.json of a recording, KEY came from the
# kernel, or from SOURCE. One recording is made for all that a script asks.
recording_has () {
	local meta="$TRASH_DIRECTORY/.meta-of-probe"
	test -s "$meta" || {
		trace2 record -o probe -- true &&
		mv probe/meta.json "$meta"
	}
	grep "\"$1\":\"${2-kernel}\"" "$meta"
}
# A recording has the processes of its command, and how they ended.
test_lazy_prereq TASKS 'recording_has task_records'
# A recording has the states of threads, too, and, as the settings permit all of
# it, the causes and the wakers of waits.
test_lazy_prereq STATES 'recording_has states'
test_lazy_prereq WAKERS 'recording_has wakers'
test_lazy_prereq EXIT_CODES 'recording_has exit_codes connector'

# ---------------------------------------------------------------------------
# How the project was built

case "${CC-}" in
*musl*) test_set_prereq MUSL ;;
esac
case " ${TOOL_FEATURES-} " in *" LIBCURL "*) test_set_prereq LIBCURL ;; esac
case " ${TOOL_FEATURES-} " in *" LIBDW "*) test_set_prereq LIBDW ;; esac
# SQLite, with its program to read databases.
test_lazy_prereq SQLITE3 '
	case " ${TOOL_FEATURES-} " in *" SQLITE3 "*) sqlite3 --version ;; *) false ;; esac
'
# The example treesum, with the names of its functions.
test_lazy_prereq TREESUM '
	nm "$GIT_BUILD_DIR/build/examples/treesum" | grep " sum_file$"
'

# $SANITIZE is "address,undefined" or the like, from build-options.
for test_sanitizer_ in address thread undefined leak memory
do
	case ",${SANITIZE-}," in
	*",$test_sanitizer_,"*)
		;;
	*)
		continue ;;
	esac
	case $test_sanitizer_ in
	address) test_set_prereq SANITIZE_ADDRESS; test_set_prereq ASAN ;;
	thread) test_set_prereq SANITIZE_THREAD; test_set_prereq TSAN ;;
	undefined) test_set_prereq SANITIZE_UNDEFINED; test_set_prereq UBSAN ;;
	leak) test_set_prereq SANITIZE_LEAK; test_set_prereq LSAN ;;
	memory) test_set_prereq SANITIZE_MEMORY; test_set_prereq MSAN ;;
	esac
done
unset test_sanitizer_
# Set under any sanitizer and under valgrind: programs are slow, and their
# memory and their signal handlers differ from those of the plain build.
case "${SANITIZE-}${valgrind-}" in
?*) test_set_prereq INSTRUMENTED ;;
esac
# Valgrind is the process: the kernel gives it that name, argv[0] is a whole
# path, some descriptors are its own, and system calls that it does not know
# fail.
case "${valgrind-}" in
?*) test_set_prereq UNDER_VALGRIND ;;
esac

# The processor can stop after each instruction, and nothing else uses that.
test_lazy_prereq STEPS '
	test_have_prereq !INSTRUMENTED &&
	test -x "$GIT_BUILD_DIR/build/hosts/steps" &&
	"$GIT_BUILD_DIR/build/hosts/steps" count calls 10
'

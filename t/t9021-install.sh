#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='make install, and projects that use the installed files

Programs in C and C++ are built with the flags of pkg-config, with the shared
library and with the archive. A project is tested with the installed test kit.
'

. ./test-lib.sh

test_lazy_prereq CXX 'command -v "${CXX:-c++}"'
# A program with a sanitizer needs its flags, and musl has no pkg-config.
test_skip_unless MAKE,!INSTRUMENTED,!MUSL

# The output of pkg-config is not quoted: use a path without blanks.
top=$(mktemp -d "${TMPDIR:-/tmp}/t9021.XXXXXX") || exit 1
test_atexit 'rm -rf "$top"'

# The tree as it was built: make only has to install.
install_it () {
	make -C "$GIT_BUILD_DIR" CC="$CC" CXX="$CXX" CFLAGS="$CFLAGS" \
		CPPFLAGS="$CPPFLAGS" LDFLAGS="$LDFLAGS" DEVELOPER="$DEVELOPER" \
		SHELL_PATH="$SHELL_PATH" PERL_PATH="$PERL_PATH" SANITIZE= "$@"
}

# List the paths of all files below DIR, without the man pages.
list_files () {
	(cd "$1" && find . ! -type d) | grep -v "/man/" | LC_ALL=C sort
}

# with_installed COMMAND...
with_installed () {
	PKG_CONFIG_PATH=$top/lib/pkgconfig:$top/share/pkgconfig \
	LD_LIBRARY_PATH=$top/lib PATH=$top/bin:$PATH "$@"
}

cat >expect <<-\EOF
./bin/trace2
./bin/trace2.sh
./include/trace2.h
./include/trace2.hpp
./include/trace2_control.h
./include/trace2_metric.h
./include/trace2_perf.h
./include/trace2_span.h
./lib/libtrace2.a
./lib/libtrace2.so
./lib/libtrace2.so.1
./lib/libtrace2.so.1.0.0
./lib/pkgconfig/trace2-perf.pc
./lib/pkgconfig/trace2.pc
./lib/python3/dist-packages/trace2/__init__.py
./lib/python3/dist-packages/trace2/_child.py
./lib/python3/dist-packages/trace2/_dest.py
./lib/python3/dist-packages/trace2/_metric.py
./lib/python3/dist-packages/trace2/_session.py
./lib/python3/dist-packages/trace2/_span.py
./lib/python3/dist-packages/trace2/_text.py
./share/bash-completion/completions/trace2
./share/fish/vendor_completions.d/trace2.fish
./share/perl5/App/Prove/Plugin/Trace2.pm
./share/pkgconfig/trace2-testkit.pc
./share/trace2-testkit/scrub/event.perl
./share/trace2-testkit/scrub/lib/Trace2/Events.pm
./share/trace2-testkit/scrub/lib/Trace2/Json.pm
./share/trace2-testkit/scrub/lib/Trace2/Rules.pm
./share/trace2-testkit/scrub/lib/Trace2/Scrub.pm
./share/trace2-testkit/scrub/lib/Trace2/Template.pm
./share/trace2-testkit/scrub/normal.perl
./share/trace2-testkit/scrub/perf.perl
./share/trace2-testkit/t/chainlint.awk
./share/trace2-testkit/t/lib-leftover.sh
./share/trace2-testkit/t/lib-prereq.sh
./share/trace2-testkit/t/lib-run.sh
./share/trace2-testkit/t/lib-sanitizer.sh
./share/trace2-testkit/t/lib-terminal.perl
./share/trace2-testkit/t/lib-terminal.sh
./share/trace2-testkit/t/lib-timeline.sh
./share/trace2-testkit/t/lib-trace2.sh
./share/trace2-testkit/t/lib-valgrind.sh
./share/trace2-testkit/t/test-lib-functions.sh
./share/trace2-testkit/t/test-lib.sh
./share/trace2-testkit/testkit.sh
./share/zsh/site-functions/_trace2
EOF

test_expect_success 'install puts all files below DESTDIR and PREFIX, also with a blank' '
	install_it install DESTDIR="$PWD/dest dir" PREFIX=/opt/trace2 \
		>out 2>err &&
	list_files "dest dir/opt/trace2" >actual &&
	test_cmp expect actual &&
	test_grep "^prefix=/opt/trace2$" \
		"dest dir/opt/trace2/lib/pkgconfig/trace2.pc" &&
	{ grep -r -l "dest dir" "dest dir" >found || :; } &&
	test_must_be_empty found
'

test_expect_success ASCIIDOCTOR 'install: each command has a manual page' '
	trace2 help --commands >commands &&
	while read -r command
	do
		test_path_is_file "dest dir/opt/trace2/share/man/man1/trace2-$command.1" ||
		return 1
	done <commands
'

test_expect_success ASCIIDOCTOR 'install: each manual page that another one names is installed' '
	grep -ho "trace2[a-z0-9-]*([1-9])" "$GIT_BUILD_DIR"/Documentation/*.adoc |
	sort -u >named &&
	test_grep "^trace2(3)$" named &&
	test_grep "^trace2-format(5)$" named &&
	while IFS="()" read -r name section
	do
		test_path_is_file "dest dir/opt/trace2/share/man/man$section/$name.$section" ||
		return 1
	done <named
'

test_expect_success 'uninstall removes every file' '
	>"dest dir/opt/trace2/share/somebody-elses" &&
	install_it uninstall DESTDIR="$PWD/dest dir" PREFIX=/opt/trace2 \
		>out 2>err &&
	(cd "dest dir" && find . ! -type d) >actual &&
	echo ./opt/trace2/share/somebody-elses >expect.left &&
	test_cmp expect.left actual &&
	test_path_is_missing "dest dir/opt/trace2/share/trace2-testkit" &&
	find "dest dir" -type d -name trace2 ! -path "*/opt/trace2" >left &&
	test_must_be_empty left
'

test_expect_success 'install: each directory can be set' '
	install_it install DESTDIR="$PWD/places" prefix=/usr \
		libdir=/usr/lib/triple zshdir=/usr/share/zsh/vendor-completions \
		mandir=/man >out 2>err &&
	test_path_is_file places/usr/lib/triple/libtrace2.so.1 &&
	test_path_is_file places/usr/lib/triple/pkgconfig/trace2.pc &&
	test_grep "^libdir=.{prefix}/lib/triple$" \
		places/usr/lib/triple/pkgconfig/trace2.pc &&
	test_path_is_file places/usr/share/zsh/vendor-completions/_trace2 &&
	test_path_is_missing places/usr/share/man
'

# ldconfig would change the system, so DESTDIR is not empty.
test_expect_success 'setup: install into directories of the loader' '
	install_it install DESTDIR=/ PREFIX="$top" >out 2>err ||
	{ cat out err && return 1; }
'

# A make with fake commands: installing into DESTDIR= must not change the system.
test_expect_success 'install runs ldconfig only as root and for directories of the loader' '
	mkdir fake &&
	write_script fake/id <<-\EOF &&
	echo "$FAKE_UID"
	EOF
	write_script fake/ldconfig <<-\EOF &&
	test $# = 0 && echo run >>"$RAN"
	echo "$KNOWN: (from a file)"
	EOF
	runs () {
		rm -f ran &&
		PATH=$PWD/fake:$PATH FAKE_UID=$1 KNOWN=$2 RAN=$PWD/ran \
			install_it install PREFIX="$top" DESTDIR="$3" >out 2>err &&
		if test -f ran; then cat ran; else echo not; fi
	} &&
	{
		runs 0 "$top/lib" "" &&
		runs 0 "$top" "" &&
		runs 1000 "$top/lib" "" &&
		runs 0 "$top/lib" /
	} >actual &&
	test_write_lines run not not not | test_cmp - actual
'

test_expect_success PKG_CONFIG 'pkg-config knows all three packages and their version' '
	trace2 version | sed -n "s/^trace2 version //p" | cut -d" " -f1 \
		>expect.version &&
	for name in trace2 trace2-perf trace2-testkit
	do
		with_installed pkg-config --modversion "$name" >actual &&
		test_cmp expect.version actual || return 1
	done &&
	with_installed pkg-config --cflags trace2-perf >actual &&
	test_grep "^-I$top/include -pthread *$" actual
'

cat >consumer.c <<'EOT'
#include <trace2.h>
#include <trace2_perf.h>
TRACE2_COUNTER(seen, "consumer", "seen", 0);
TRACE2_TIMER(spent, "consumer", "spent", 0);
int main(int argc, char **argv)
{
	struct trace2_perf *event;
	struct trace2_perf_attr attr = { 0 };

	(void)argc;
	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_timer_start(spent);
	trace2_counter_add(seen, 7);
	trace2_timer_stop(spent);
	if (!trace2_perf_open(&attr, 0, 77777, NULL, &event))
		trace2_perf_close(event);
	return trace2_cmd_exit(0);
}
EOT
sed 's/attr = { 0 }/attr = {}/' consumer.c >consumer.cc

says_what_it_did () {
	rm -f trace &&
	with_installed env GIT_TRACE2_PERF="$PWD/trace" ./consumer &&
	with_installed "$PERL_PATH" "$top/share/trace2-testkit/scrub/perf.perl" \
		<trace >actual &&
	test_cmp - actual <<-\EOF
	d0|main|version|||||unknown
	d0|main|start||_T_ABS_|||_EXE_
	d0|main|exit||_T_ABS_|||code:0
	d0|main|timer||||consumer|name:spent intervals:1 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	d0|main|counter||||consumer|name:seen value:7
	d0|main|atexit||_T_ABS_|||code:0
	EOF
}

test_expect_success PKG_CONFIG 'install: a C program with the shared library runs' '
	$CC -Wall -Wextra -Werror consumer.c -o consumer \
		$(with_installed pkg-config --cflags --libs trace2 trace2-perf) &&
	LC_ALL=C readelf -d consumer >needed &&
	test_grep "NEEDED.*libtrace2.so.1]" needed &&
	says_what_it_did
'

test_expect_success PKG_CONFIG,CXX 'install: a C++ program with the shared library runs' '
	$CXX -Wall -Wextra -Werror consumer.cc -o consumer \
		$(with_installed pkg-config --cflags --libs trace2) &&
	says_what_it_did
'

test_expect_success PKG_CONFIG 'install: a fully static C program runs' '
	$CC -static consumer.c -o consumer \
		$(with_installed pkg-config --static --cflags --libs trace2) &&
	LC_ALL=C readelf -d consumer >needed &&
	test_grep ! NEEDED needed &&
	says_what_it_did
'

test_expect_success PKG_CONFIG,JQ 'install: a fully static program reports each unsupported setting once' '
	$CC -static consumer.c -o consumer \
		$(with_installed pkg-config --static --cflags --libs trace2) &&
	rm -rf e rings &&
	mkdir rings &&
	GIT_TRACE2_EVENT="$PWD/e" GIT_TRACE2_PERF="$PWD/p" GIT_TRACE2="$PWD/n" \
		GIT_TRACE2_RING="$PWD/rings" \
		GIT_TRACE2_SAMPLE=app/consumer/seen/:1 \
		GIT_TRACE2_COUNTERS=app/consumer/seen/ \
		GIT_TRACE2_CONFIG_PARAMS="*" GIT_TRACE2_ENV_VARS=HOME \
		GIT_TRACE2_SIGNALS=TERM ./consumer &&
	jq -r "select(.event == \"error\").msg" e >actual &&
	echo "trace2: samples have no calls: the program is linked statically" \
		>expect.error &&
	test_cmp expect.error actual &&
	with_installed trace2 check rings/* &&
	with_installed trace2 report --samples rings/* >report &&
	test_grep "seen" report
'

test_expect_success PKG_CONFIG,CXX 'install: a C++ program with the archive runs' '
	libs=$(with_installed pkg-config --static --libs trace2) &&
	$CXX consumer.cc -o consumer \
		$(with_installed pkg-config --cflags trace2) \
		$(echo "$libs" | sed "s/-ltrace2/-l:libtrace2.a/") &&
	LC_ALL=C readelf -d consumer >needed &&
	test_grep ! libtrace2 needed &&
	says_what_it_did
'

test_expect_success 'install: the command needs nothing of the source tree' '
	with_installed "$top/bin/trace2" version >actual &&
	trace2 version >expect.version &&
	test_cmp expect.version actual &&
	LC_ALL=C readelf -d "$top/bin/trace2" >dynamic &&
	test_grep ! "R.*PATH" dynamic
'

test_expect_success PKG_CONFIG,JQ 'install: the example project passes its tests with the test kit' '
	cp -R "$GIT_BUILD_DIR/examples/testkit" project &&
	with_installed make -C project CC="$CC" check >out 2>&1 ||
	{ cat out && return 1; } &&
	test_grep "^All tests successful" out &&
	test_grep "Tests=4" out
'

test_expect_success PKG_CONFIG,JQ 'test kit: tests fail when the program writes other events' '
	sed "s/\"path\", path/\"file\", path/" project/words.c >other &&
	mv other project/words.c &&
	test_must_fail with_installed make -C project CC="$CC" check >out 2>&1 &&
	test_grep "Failed test: *1$" out
'

test_expect_success ASCIIDOCTOR 'install: how-to and policy are made without a warning, with the example' '
	for page in howto-test-telemetry technical/abi
	do
		asciidoctor --failure-level=WARN -D html \
			"$GIT_BUILD_DIR/Documentation/$page.adoc" 2>err &&
		test_must_be_empty err || return 1
	done &&
	test_grep "have_counter_event main counter words read 3 actual" \
		html/howto-test-telemetry.html
'

test_expect_success 'test kit: a wrong TESTKIT is reported' '
	test_must_fail env TESTKIT="$PWD/nowhere" \
		sh -c ". \"$top\"/share/trace2-testkit/testkit.sh" 2>err &&
	test_grep "TESTKIT=.*/nowhere. is not where the test kit" err
'

test_expect_success 'test kit: scripts run from any directory, with their trash beside them' '
	mkdir -p "other project/tests" &&
	cat >"other project/tests/t1-dir.sh" <<-\EOF &&
	test_description=x
	. "$TESTKIT/testkit.sh"
	test_expect_success "places" "
		test \"\${TRASH_DIRECTORY%/*}\" = \"\$TEST_DIRECTORY\" &&
		test_path_is_file \"\$TEST_DIRECTORY/t1-dir.sh\"
	"
	test_expect_success "chain lint is at work" "
		true
		true
	"
	test_done
	EOF
	test_expect_code 1 env TESTKIT="$top/share/trace2-testkit" \
		sh "other project/tests/t1-dir.sh" >actual 2>&1 &&
	test_grep "^ok 1 - places" actual &&
	test_grep "^not ok 2 - chain lint" actual
'

test_lazy_prereq CHECKOUT 'git -C "$GIT_BUILD_DIR" rev-parse -q --verify HEAD'

test_expect_success CHECKOUT 'dist: the tarball has all files of the commit, and is reproducible' '
	dist () {
		make -s -C "$GIT_BUILD_DIR" dist REF=HEAD &&
		mv "$GIT_BUILD_DIR/build/trace2-$TRACE2_VERSION.tar.gz" "$1"
	} &&
	dist one.tar.gz &&
	dist two.tar.gz &&
	cmp one.tar.gz two.tar.gz &&
	tar -tf one.tar.gz >listed &&
	sed -n "s|^trace2-$TRACE2_VERSION/\(.*[^/]\)\$|\1|p" listed |
	LC_ALL=C sort >actual &&
	git -C "$GIT_BUILD_DIR" ls-tree -r --name-only HEAD |
	LC_ALL=C sort >expect &&
	test_cmp expect actual
'

test_expect_success CHECKOUT 'dist without a tag fails, and advises to tag or to give REF=HEAD' '
	test_expect_code 2 make -s -C "$GIT_BUILD_DIR" dist REF=v0 2>err &&
	test_grep "there is no commit v0: tag the release, or give REF=HEAD" err
'

test_done

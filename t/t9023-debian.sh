#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the Debian packages

The cheap tests compare the packages with the files of make install. With
GIT_TEST_LONG the packages are built, checked by lintian, and unpacked. As root,
they are also installed in a fresh Debian, used, and removed again.
'

. ./test-lib.sh

debian=$GIT_BUILD_DIR/debian

test_lazy_prereq DPKG_BUILD 'command -v dpkg-buildpackage && command -v dh &&
	command -v asciidoctor && dpkg-checkbuilddeps "$debian/control"'
test_lazy_prereq LINTIAN 'lintian --version'
test_lazy_prereq PARSECHANGELOG 'dpkg-parsechangelog --version'

packages () {
	sed -n 's/^Package: //p' "$debian/control"
}

test_expect_success 'debian: there are five packages, and the library is named after its ABI' '
	test_prints packages <<-EOF &&
	libtrace2-$TRACE2_ABI
	libtrace2-dev
	trace2
	python3-trace2
	trace2-testkit
	EOF
	test_path_is_file "$debian/libtrace2-$TRACE2_ABI.install" &&
	test_grep "^Depends: libtrace2-$TRACE2_ABI (= " "$debian/control"
'

test_expect_success PARSECHANGELOG 'debian: the version is that of the Makefile' '
	echo "$TRACE2_VERSION" |
	test_prints dpkg-parsechangelog -l "$debian/changelog" -S Version
'

# Each file that make install writes is in one package: debhelper fails only if
# a pattern matches nothing.
test_expect_success !INSTRUMENTED,!MUSL 'debian: each installed file is in exactly one package' '
	make -C "$GIT_BUILD_DIR" install DOC_SRC= \
		DESTDIR="$PWD/root" PREFIX=/usr \
		libdir=/usr/lib/triple zshdir=/usr/share/zsh/vendor-completions \
		CC="$CC" CXX="$CXX" CFLAGS="$CFLAGS" CPPFLAGS="$CPPFLAGS" \
		LDFLAGS="$LDFLAGS" DEVELOPER="$DEVELOPER" SANITIZE= \
		SHELL_PATH="$SHELL_PATH" PERL_PATH="$PERL_PATH" >out 2>&1 &&
	mkdir -p root/usr/share/man/man1 root/usr/share/man/man3 \
		root/usr/share/man/man5 root/usr/share/man/man7 &&
	(
		cd root &&
		find . ! -type d | LC_ALL=C sort >../expect &&
		for package in $(packages)
		do
			while read -r pattern
			do
				find . ! -type d \( -path "./$pattern" \
					-o -path "./$pattern/*" \) >../found &&
				cat ../found &&

				ls -d $pattern >../found || exit 1
			done <"$debian/$package.install" || exit 1
		done >../listed
	) &&
	LC_ALL=C sort listed >actual &&
	test_cmp expect actual
'

test_expect_success DPKG_BUILD,EXPENSIVE,!INSTRUMENTED,!MUSL 'debian: the packages are built' '
	mkdir -p build/trace2 &&
	(
		cd "$GIT_BUILD_DIR" &&
		tar --exclude=./build --exclude=./.git --exclude=./t/trash* \
			--exclude=./t/helper/test-tool \
			-cf - .
	) | tar -C build/trace2 -xf - &&
	(
		unset TEST_DIRECTORY GIT_BUILD_DIR CC CXX CFLAGS CPPFLAGS LDFLAGS &&
		cd build/trace2 &&
		dpkg-buildpackage -us -uc -j2 >../log 2>&1 ||
		{ tail -n 40 ../log && exit 1; }
	) &&
	for package in $(packages)
	do
		test -f build/"$package"_"$TRACE2_VERSION"_*.deb || return 1
	done
'

test_expect_success LINTIAN,DPKG_BUILD,EXPENSIVE,!INSTRUMENTED,!MUSL 'debian: lintian accepts the packages' '
	lintian --fail-on error build/*.changes >lintian.out ||
	{ cat lintian.out && return 1; }
'

test_expect_success DPKG_BUILD,EXPENSIVE,!INSTRUMENTED,!MUSL 'debian: the command and the test kit of the unpacked packages run' '
	mkdir unpacked &&
	for deb in build/*.deb
	do
		dpkg-deb -x "$deb" unpacked || return 1
	done &&
	unpacked/usr/bin/trace2 version >actual &&
	test_grep "^trace2 version $TRACE2_VERSION" actual &&
	test -f unpacked/usr/lib/*/libtrace2.so.$TRACE2_ABI &&
	test_path_is_file unpacked/usr/share/man/man1/trace2-record.1.gz &&
	cp -R "$GIT_BUILD_DIR/examples/testkit" project &&
	libdir=$(dirname unpacked/usr/lib/*/libtrace2.so) &&
	gcc -Iunpacked/usr/include project/words.c -o project/words \
		-L"$libdir" -ltrace2 &&
	LD_LIBRARY_PATH=$PWD/$libdir TESTKIT=$PWD/unpacked/usr/share/trace2-testkit \
		sh project/t/t0001-words.sh >actual &&
	test_grep "^# passed all 4" actual
'

# debootstrap does not support paths with spaces, such as this directory's.
fresh=$(mktemp -d "${TMPDIR:-/tmp}/t9023.XXXXXX") || exit 1
test_atexit 'rm -rf --one-file-system "$fresh"'

test_lazy_prereq FRESH_DEBIAN '
	test "$(id -u)" = 0 &&
	unshare --mount --propagation private --pid --fork --kill-child true &&
	case "$fresh" in *" "*) false ;; esac &&
	mknod "$fresh"/null c 1 3 && echo >"$fresh"/null && rm "$fresh"/null &&
	{ test -n "${GIT_TEST_DEBIAN-}" || debootstrap --version; }
'
test_expect_success FRESH_DEBIAN,DPKG_BUILD,EXPENSIVE,!INSTRUMENTED,!MUSL 'debian: a fresh system installs, uses and removes the packages' '
	{
		sh "$TEST_DIRECTORY"/t9023/fresh "$fresh" true &&
		mkdir "$fresh"/debs &&
		cp build/*_"$TRACE2_VERSION"_*.deb "$fresh"/debs/ &&
		rm -f "$fresh"/debs/*dbgsym* &&
		cp "$TEST_DIRECTORY"/t9023/use "$fresh"/root/ &&
		sh "$TEST_DIRECTORY"/t9023/fresh "$fresh" sh /root/use
	} >fresh.log 2>&1 ||
	{ tail -n 40 fresh.log && return 1; }
'

test_done

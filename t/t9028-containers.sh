#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record in containers, and of containers, by podman

The root directories are made here: FROM scratch with the file of make static,
one with the C library musl, as Alpine has it, and one with the programs of this
machine. The filters of system calls are the default one of podman, and
docker.json: the calls of a recorder that Docker refuses by default.

make check CHECK=containers runs these tests, and so does GIT_TEST_LONG.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-rows.sh"

test_skip_unless EXPENSIVE,MAKE,JQ,ROOT,!INSTRUMENTED

# podman and make take no blanks in names of directories.
top=$(mktemp -d "${TMPDIR:-/tmp}/t9028.XXXXXX") || exit 1
test_atexit 'rm -rf "$top"'
chmod 755 "$top"
mkdir -m 700 "$top/home"
mkdir -m 777 "$top/out"
root=$top/scratch
docker="--security-opt seccomp=$top/docker.json"
cp "$TEST_DIRECTORY/t9028/docker.json" "$top"

# contained OPTION... --rootfs DIR COMMAND...
contained () {
	sh "$TEST_DIRECTORY/t9028/run.sh" "$top" "$@"
}

test_lazy_prereq PODMAN '
	mkdir "$top/empty" &&
	cp "$(command -v busybox)" "$top/empty/busybox" &&
	contained --rootfs "$top/empty" /busybox true
'
test_skip_unless PODMAN

test_lazy_prereq MUSL_GCC '
	echo "int main(void) { return 0; }" >a.c &&
	musl-gcc -o a a.c &&
	test -e "/lib/ld-musl-$(uname -m).so.1"
'
test_lazy_prereq ALL_FROM_OUTSIDE '
	trace2 record -q -o probe -- true &&
	jq -e ".wakers == \"kernel\" and .exit_codes == \"connector\"" probe/meta.json
'

# recorded NAME OPTION...: the recording $top/out/NAME of two programs FROM scratch.
recorded () {
	name=$1 &&
	shift &&
	test_expect_code 3 contained "$@" -v "$top/out:/out" --rootfs "$root" \
		/trace2 record -o "/out/$name" -- \
		/busybox sh -c "/busybox sleep 0; exit 3" 2>err
}
cat >two <<-\EOF
0 /busybox sh -c /busybox sleep 0; exit 3: 3
1 /busybox sleep 0: 0
EOF

# has WHAT: is it available to trace2 record, by the check in the file json?
has () {
	jq -e --arg what "$1" '.sources[] |
		select(.command == "record" and .what == $what) | .available' json
}

test_expect_success 'setup: make the static command' '
	(
		unset MAKEFLAGS MFLAGS MAKELEVEL &&
		make -s -j2 -C "$GIT_BUILD_DIR" static BUILD="$top/static" \
			CPPFLAGS= LDFLAGS= DEVELOPER= SANITIZE=
	) >out 2>err &&
	mkdir -m 1777 "$root" &&
	cp "$top/static/bin/trace2" "$(command -v busybox)" "$root"
'

for user in 0:0 1000:1000
do
	for filter in podman docker
	do
		options="--user $user"
		test $filter = podman || options="$options $docker"

		test_expect_success "FROM scratch, filter $filter, user $user: ptrace records all processes" '
			recorded $filter $options &&
			test_when_finished "rm -r \"$top/out/$filter\"" &&
			test_grep "not recorded: states of threads: .*(a seccomp filter refuses it)" err &&
			test_grep "for more: podman run --cap-add PERFMON" err &&
			jq -e ".task_source == \"ptrace\" and .uid == ${user%:*}" \
				"$top/out/$filter/meta.json" &&
			rows "$top/out/$filter" >actual &&
			test_cmp two actual &&
			jq -e ".processes | all(.cpu_ns > 0)" json
		'
	done
done

# Without /etc/subuid, its user namespace has this user alone.
test_expect_success 'FROM scratch, rootless podman: ptrace records all processes' '
	mkdir -p "$top/user/root" "$top/user/home" &&
	cp "$root/trace2" "$root/busybox" "$top/user/root" &&
	chmod 700 "$top/user/home" &&
	chown -R 65534 "$top/user" &&
	test_when_finished "kill \$(cat \"$top/user/home/libpod/tmp/pause.pid\")" &&
	test_expect_code 3 env RUN_AS=65534 \
		sh "$TEST_DIRECTORY/t9028/run.sh" "$top/user" \
		--rootfs "$top/user/root" /trace2 record -o /r -- \
		/busybox sh -c "/busybox sleep 0; exit 3" &&
	jq -e ".task_source == \"ptrace\" and .uid == 0" "$top/user/root/r/meta.json" &&
	rows "$top/user/root/r" >actual &&
	test_cmp two actual
'

test_expect_success 'check --record in a container gives a remedy with which record works fully' '
	test_expect_code 1 contained --rootfs "$root" \
		/trace2 check --record --format=json >json &&
	remedy=$(jq -r .summary[0].remedy json) &&
	contained ${remedy#podman run} --rootfs "$root" /trace2 check --record >out &&
	test_grep "^critical path: each wait leads to the thread that ended it$" out &&
	recorded remedy ${remedy#podman run} &&
	jq -e "[.states, .wait_causes, .wakers] == [\"kernel\", \"kernel\", \"kernel\"]" \
		"$top/out/remedy/meta.json"
'

test_expect_success 'check --record in a container advises an ordinary user to run as root' '
	mkdir -p "$top/image/etc" &&
	cp "$root/trace2" "$root/busybox" "$top/image" &&
	echo "nobody:x:65534:65534::/:/trace2" >"$top/image/etc/passwd" &&
	test_expect_code 1 contained $docker --cap-add PERFMON \
		--rootfs "$top/image" /busybox start-stop-daemon -S -c nobody \
		-x /trace2 -- check --record --format=json >json &&
	jq -r ".summary[0].remedy" json >remedy &&
	test_grep "^as the container.s root" remedy
'

test_expect_success 'check --record names the remedy as long as one of the capabilities is missing' '
	for options in "PERFMON --cap-add SYSLOG" "PERFMON --cap-add SYS_ADMIN"
	do
		test_expect_code 1 contained --cap-add $options --rootfs "$root" \
			/trace2 check --record --format=json >json &&
		jq -e ".summary[0].remedy | startswith(\"podman run\")" json || return 1
	done
'

test_expect_success 'Docker filter: two capabilities give causes of waits, tracefs the critical path' '
	added="$docker --cap-add PERFMON --cap-add SYSLOG" &&
	test_expect_code 1 contained $added --rootfs "$root" \
		/trace2 check --record --format=json >json &&
	has "states of threads" &&
	has "causes of waits" &&
	contained $added -v /sys/kernel/tracing:/sys/kernel/tracing:ro \
		--rootfs "$root" /trace2 check --record >out &&
	test_grep "^critical path: each wait leads to the thread that ended it$" out
'

test_expect_success MUSL_GCC 'a program of musl, and applets of busybox, are recorded as on Alpine' '
	mkdir -p "$top/alpine/bin" "$top/alpine/lib" &&
	cp "$root/busybox" "$root/trace2" "$top/alpine/bin" &&
	for applet in sh env true
	do
		ln -s busybox "$top/alpine/bin/$applet" || return 1
	done &&
	cp -L "/lib/ld-musl-$(uname -m).so.1" "$top/alpine/lib" &&
	cat >five.c <<-\EOF &&
	#include <stdlib.h>
	int main(void)
	{
		return system("env true; exit 5") >> 8;
	}
	EOF
	musl-gcc -o "$top/alpine/bin/five" five.c &&
	test_expect_code 5 contained -v "$top/out:/out" --rootfs "$top/alpine" \
		trace2 record -q -o /out/alpine -- five &&
	test_prints rows "$top/out/alpine" <<-\EOF
	0 five: 5
	1 sh -c env true; exit 5: 5
	2 true: 0
	EOF
'

# programs RECORDING: the depth, program and exit code of each process, sorted.
programs () {
	trace2 list --format=json "$1" >json &&
	jq -r '.processes[] | "\(.depth) \((.argv // ["?"])[0] | sub(".*/"; "")): \(.code)"' json |
		sort
}

test_expect_success CC 'a build in a container has the same processes as outside' '
	mkdir -p "$top/host/tmp" "$top/work" &&
	for dir in bin lib lib64 sbin
	do
		test ! -h /$dir || cp -P /$dir "$top/host" || return 1
	done &&
	cat >"$top/work/Makefile" <<-\EOF &&
	all: a.o b.o c.o; cat a.o b.o c.o >all.o
	%.o:; echo "int $*;" | cc -x c -c -o $@ -
	EOF
	(
		PATH=$GIT_BUILD_DIR/build/bin:/usr/bin:/bin &&
		cd "$top/work" &&
		trace2 record -q -o "$top/out/outside" -- make -s &&
		rm *.o
	) &&
	contained -v /usr:/usr:ro -v /etc/alternatives:/etc/alternatives:ro \
		-v "$root:/scratch:ro" -v "$top/out:/out" -v "$top/work:/work" \
		-w /work -e PATH=/usr/bin:/bin --rootfs "$top/host" \
		/scratch/trace2 record -q -o /out/inside -- make -s &&
	jq -e ".task_source == \"ptrace\"" "$top/out/inside/meta.json" &&
	programs "$top/out/outside" >expect &&
	programs "$top/out/inside" >actual &&
	test_line_count -gt 12 actual &&
	test_cmp expect actual
'

test_expect_success ALL_FROM_OUTSIDE 'a recorder outside records podman and the processes of its container' '
	test_expect_code 3 trace2 record -q -o outside -- \
		sh "$TEST_DIRECTORY/t9028/run.sh" "$top" --rootfs "$root" \
		/busybox sh -c "/busybox sleep 0; exit 3" &&
	rows outside >actual &&
	test_grep "^0 podman .* run .*: 3$" actual &&
	sed -n "s/^[0-9]* \(\/busybox .*\)/\1/p" actual >inside &&
	sed "s/^. //" two | test_cmp - inside
'

test_done

#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record --elevate: the records of root, the command of the user

A set-user-ID copy of setpriv, which only one group may run, takes the place of
sudo.
'

. ./test-lib.sh

test_skip_unless JQ,PERL

# as_user COMMAND...: as a user without rights, who may run that sudo.
as_user () {
	PATH="$PWD/bin:$PATH" setpriv --reuid=65534 --regid=65534 \
		--clear-groups -- "$@"
}

make_sudo () {
	test "$(id -u)" = 0 && mkdir bin own && chown 65534:65534 own &&
	chgrp 65534 bin && chmod 710 bin &&
	cp "$(command -v setpriv)" bin/root && chgrp 65534 bin/root &&
	chmod 4710 bin/root &&
	cat >bin/sudo <<-EOF &&
	#!/bin/sh
	shift
	exec "$PWD/bin/root" --reuid=0 --regid=0 --clear-groups -- "\$@"
	EOF
	chmod 755 bin/sudo &&
	as_user sudo -- grep "^Uid:.0.0" /proc/self/status
}

test_atexit 'rm -rf "$TRASH_DIRECTORY/bin"'

if ! make_sudo >out 2>err
then
	skip_all='needs root, a file system with set-user-ID programs, and a path for all'
	test_done
fi

# What a command can tell of itself, but for process ids.
cat >own/self.sh <<\EOF
id
ulimit -a
umask
grep -E "^(Cap|NoNewPrivs|Seccomp|Sig(Blk|Ign|Cgt)|Groups|Uid|Gid)" /proc/self/status
env | grep -Ev "^(GIT_TRACE2|TRACEPARENT|_=)" | sort
(cd /proc/$$/fd && ls)
ps -o sid=,pgid=,tty=,ni=,cls= -p $$
EOF

test_expect_success '--elevate runs the command as record without --elevate does' '
	(
		cd own && umask 027 && FOO="a b" && export FOO &&
		for how in "" --elevate
		do
			PATH="$PWD/../bin:$PATH" setpriv --reuid=65534 --regid=65534 \
				--clear-groups trace2 record -q $how -o same$how -- \
				sh ./self.sh >../seen$how 7>../seven || exit 1
		done
	) &&
	test_grep "^uid=65534" seen--elevate &&
	test_cmp seen seen--elevate
'

test_expect_success '--elevate leaves every file of the recording to the user' '
	find own/same--elevate >files &&
	test_grep meta.json files &&
	find own/same--elevate ! -user 65534 >others &&
	test_must_be_empty others
'

test_expect_success TASKS '--elevate gives an ordinary user exit codes, causes of waits and wakers' '
	test_expect_code 3 as_user trace2 record -o own/all --elevate -- \
		sh -c "sleep 0.05 | cat; exit 3" 2>err &&
	test_grep ! "not recorded" err &&
	jq -e ".task_source == \"perf\" and .exit_codes == \"connector\" and
		(.remedy | not) and .processes == 3" own/all/meta.json &&
	test_path_is_file own/all/kernel.symbols
'

# with SUDO COMMAND...: run the command as that user, with SUDO in place of
# sudo.
with () {
	mkdir -p fake && { echo "#!/bin/sh" && echo "$1"; } >fake/sudo &&
	chmod +x fake/sudo && shift &&
	PATH="$PWD/fake:$PATH" setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

test_expect_success '--elevate without rights does not run the command' '
	test_expect_code 128 with "exit 1" trace2 record --elevate -o own/never -- \
		touch own/ran 2>err &&
	test_grep "CMD was not run" err &&
	test_path_is_missing own/ran &&
	test_path_is_missing own/never
'

# With a terminal of its own (use_pty), sudo has a monitor that outlives the helper.
test_expect_success TASKS '--elevate leaves processes of sudo out of the recording' '
	with ": >own/monitor
		{ sleep 0.1; rm own/monitor; } &
		exec \"$PWD/bin/sudo\" \"\$@\"" \
		trace2 record --elevate -o own/left -- sh -c "while test -e own/monitor
			do sleep 0.01; done; sleep 0.1" &&
	trace2 list own/left >list &&
	test_grep "sh -c" list &&
	test_grep ! "[?]" list
'

test_expect_success '--elevate does not ask for rights if the command is not found' '
	test_expect_code 127 with ">own/asked" trace2 record --elevate \
		-o own/never -- ./missing 2>err &&
	test_path_is_missing own/asked
'

test_expect_success 'options that --elevate excludes are refused' '
	test_expect_code 2 trace2 record --elevate --ptrace -- true 2>err &&
	test_grep "exclude each other" err &&
	test_expect_code 2 trace2 record --elevate -p $$ 2>err &&
	test_grep "needs a command" err
'

test_expect_success 'trace2 elevated is an error if it is started by hand' '
	test_expect_code 2 trace2 elevated </dev/null 2>err &&
	test_grep "is for .trace2 record" err
'

test_done

#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='both sides of a Git transport are one tree

Git sends its session id to the other side if transfer.advertiseSID is set
there. Each side writes a recording of its own.
'

. ./test-lib.sh

test_skip_unless GIT,JQ

# As sshd does, the far end has no variables of the client.
cat >ssh <<'EOF'
#!/bin/sh
test "$1" != -G || exit 1
shift
unset GIT_TRACE2_PARENT_SID GIT_TRACE2_PARENT_NAME GIT_PROTOCOL_FROM_USER
GIT_TRACE2_EVENT=$FAR exec sh -c "$*"
EOF
chmod +x ssh

# names FILE: the tree, without arguments
names () {
	sed -n "s/^[0-9:.]* *[0-9.]* *[0-9?]* *[0-9?]* *?*  *//p" "$1" |
		sed "s/git \([a-z-]*\).*/git \1/; s/\[\([^ ]*\) .*/[\1]/; s|\[.*/ssh\]|[ssh]|"
}

test_expect_success 'setup: a repository whose Git tells its session' '
	git init -q far &&
	test_commit -C far one &&
	git -C far config transfer.advertiseSID true &&
	git init -q --bare push.git &&
	git -C push.git config transfer.advertiseSID true &&
	mkdir client server &&
	GIT_SSH_VARIANT=simple GIT_SSH="$PWD/ssh" FAR="$PWD/server" \
		GIT_TRACE2_EVENT="$PWD/client" \
		git -c transfer.advertiseSID=true clone -q "host:$PWD/far" near &&
	cat client/* server/* >all &&
	test_grep "\"server-sid\"" all &&
	test_grep "\"client-sid\"" all
'

test_expect_success 'the server is below its client in list and JSON' '
	trace2 list server >out &&
	names out >actual &&
	test_grep "^git upload-pack\|^\[git-upload-pack\|^git-upload-pack" actual &&
	trace2 list --format=json client server >json &&
	jq -c "[.processes[] | select(.join == \"transport\") | .depth],
		([.processes[] | select(.depth == 0)] | length)" json >actual &&
	test_write_lines "[1]" 1 | test_cmp - actual &&
	trace2 list -v client server >out &&
	test_grep "by the session ids that Git exchanged" out
'

test_expect_success 'client and server are joined if only one of them recorded the SID of the other' '
	for side in client server
	do
		mkdir mute &&
		cp client/* server/* mute/ &&
		sed -i "/\"$side-sid\"/d" mute/* &&
		trace2 list --format=json mute >$side.json &&
		rm -r mute || return 1
	done &&
	jq -r "\"\(input_filename) \([.processes[] | select(.depth == 0)] | length)\"" \
		client.json server.json >actual &&
	test_write_lines "client.json 1" "server.json 1" | test_cmp - actual
'

test_expect_success 'client and server are two trees if neither recorded the SID of the other' '
	mkdir mute &&
	cp client/* server/* mute/ &&
	sed -i "/-sid\"/d" mute/* &&
	trace2 list --format=json mute >json &&
	jq -r "[.processes[] | select(.depth == 0)] | length" json >actual &&
	echo 2 | test_cmp - actual
'

test_expect_success 'OTLP has client and server in one trace' '
	trace2 export --to otlp client server >otlp &&
	jq -r ".resourceSpans[].scopeSpans[].spans[].traceId" otlp | sort -u >actual &&
	test_line_count = 1 actual
'

test_expect_success 'client and server of git push are joined' '
	rm -r client server &&
	mkdir client server &&
	GIT_SSH_VARIANT=simple GIT_SSH="$PWD/ssh" FAR="$PWD/server" \
		GIT_TRACE2_EVENT="$PWD/client" git -C near -c transfer.advertiseSID=true \
		push -q "host:$PWD/push.git" HEAD:refs/heads/two &&
	trace2 list --format=json client server >json &&
	jq -r "(.processes[] | select(.join == \"transport\") | .name),
		\"topmost: \([.processes[] | select(.depth == 0)] | length)\"" json >actual &&
	test_grep receive-pack actual &&
	test_grep "^topmost: 1\$" actual
'

test_done

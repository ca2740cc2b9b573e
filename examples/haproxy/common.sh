# SPDX-License-Identifier: MIT
#
# `test` and `measure` source this file: start HAProxy as a proxy and
# as the server behind it, and load it.
#
# shellcheck shell=sh

# prepare DIR: DIR is where `build` built.
prepare () {
	into=$(cd "$1" && pwd) || exit 1
	for name in plain traced
	do
		test -x "$into/$name/haproxy" || die "$into/$name: use build"
	done
	tmp=$(mktemp -d "${TMPDIR:-/dev/shm}/haproxy.XXXXXX") || exit 1
	pids=''
	trap 'kill $pids 2>/dev/null; rm -rf "$tmp"' EXIT
	trap 'exit 1' HUP INT TERM
	unset GIT_TRACE2 GIT_TRACE2_PERF GIT_TRACE2_EVENT GIT_TRACE2_RING \
		GIT_TRACE2_SPANS GIT_TRACE2_PARENT_SID TRACEPARENT
	library_path=$(dirname "$(find "$into/programs" -name 'libluajit*.so.2')")
	# Use ten numbers from the process number: several may run at once.
	port=$((10000 + $$ % 2000 * 10))
}

write_config () {
	cat <<-EOF
	global
	    nbthread $1
	    maxconn 1000
	defaults
	    mode http
	    timeout client 10s
	    timeout server 10s
	    timeout connect 1s
	    timeout queue 10s
	EOF
}

# start_server NAME [VARIABLE...]: HAProxy alone, which answers; $port.
start_server () {
	name=$1
	shift
	{
		write_config 1
		cat <<-EOF
		frontend server
		    bind 127.0.0.1:$port
		    http-request return status 404 if { path /missing }
		    http-request return status 200 content-type text/plain \
		string "hello, world\n"
		EOF
	} >"$tmp/server.cfg"
	server_port=$port
	start_haproxy "$name" "$tmp/server.cfg" "$@"
}

# start_proxy NAME THREADS CONNECTIONS [VARIABLE...]: a proxy with so many
# connections to the server at most; $port, $pid.
start_proxy () {
	name=$1
	port=$((port + 1))
	{
		write_config "$2"
		cat <<-EOF
		frontend www
		    bind 127.0.0.1:$port
		    use_backend down if { path /down }
		    default_backend app
		backend app
		    server s1 127.0.0.1:$server_port maxconn $3
		backend down
		    retries 1
		    server s2 127.0.0.1:1
		EOF
	} >"$tmp/proxy.$port.cfg"
	shift 3
	start_haproxy "$name" "$tmp/proxy.$port.cfg" "$@"
}

# start_haproxy NAME CONFIG [VARIABLE...]: $pid; it listens at $port.
start_haproxy () {
	program=$into/$1/haproxy config=$2
	shift 2
	env "$@" "$program" -db -f "$config" >"$config.log" 2>&1 &
	pid=$!
	pids="$pids $pid"
	while kill -0 "$pid" 2>/dev/null
	do
		! curl -s -o "$tmp/ignored" "http://127.0.0.1:$port/first" ||
			return 0
		sleep 0.1
	done
	cat "$config.log" >&2
	die "HAProxy does not start"
}

# load SECONDS CONNECTIONS: prints the number of requests.
load () {
	LD_LIBRARY_PATH=$library_path "$into/programs/usr/bin/wrk" -t1 \
		"-c$2" "-d${1}s" "http://127.0.0.1:$port/bench" >"$tmp/wrk" ||
		die "wrk fails"
	sed -n 's/ requests in .*//p' "$tmp/wrk" | tr -d ' '
}

# Stop softly: HAProxy ends when it has answered.
stop () {
	kill -USR1 "$1"
	wait "$1"
}

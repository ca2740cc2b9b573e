#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='a request from a shell script, by curl and a server, to Git

The script begins a span. The traceparent of the span is in the request, the
span of the server is its child, and the programs that the server runs are
below.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-trace2.sh

test_lazy_prereq CURL 'curl --version'
test_skip_unless PYTHON,JQ,GIT,CURL

export PYTHONPATH="$GIT_BUILD_DIR/lang/python" PYTHON_PATH PYTHONDONTWRITEBYTECODE=1
PATH=$GIT_BUILD_DIR/build/bin:$PATH

# Serve one request; the port goes into a file.
cat >server.py <<'EOF'
import http.server
import sys
import trace2

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with trace2.span("http", "serve", traceparent=self.headers.get("traceparent"),
                         tracestate=self.headers.get("tracestate")) as span:
            span.set("path", self.path)
            body = trace2.run(["git", "version"], capture_output=True).stdout
            trace2.run([sys.executable, "-c", "import trace2; trace2.initialize()"])
            span.set("status", 200)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *args):
        pass

trace2.initialize()
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1], "w") as file:
    print(server.server_port, file=file)
server.handle_request()
EOF

cat >job.sh <<'EOF'
set -eu
. trace2.sh
rm -f port
mkfifo port
if test "$1" = below
then
	"$PYTHON_PATH" server.py port &
else
	env -u GIT_TRACE2_PARENT_SID -u GIT_TRACE2_PARENT_NAME \
		"$PYTHON_PATH" server.py port &
fi
read -r port <port
# The clock of a shell is true to 10 ms: let curl begin visibly later.
for tick in 1 2
do
	read -r before rest </proc/uptime
	now=$before
	while test "$now" = "$before"
	do
		read -r now rest </proc/uptime
	done
done
trace2_span_start job request
trace2_child curl -s --noproxy '*' ${TRACEPARENT:+-H "traceparent: $TRACEPARENT"} \
	"http://127.0.0.1:$port/version"
trace2_span_end
wait
EOF

# run HOW: leave the events of all in the folder events.
run () {
	rm -rf events &&
	mkdir events &&
	GIT_TRACE2_EVENT="$PWD/events" sh job.sh "$1" >out &&
	git version >expect &&
	test_cmp expect out &&
	for stream in events/*
	do
		expect_valid_stream "$stream" || return 1
	done
}

for how in below beside
do
	test_expect_success "a server $how the script: the span of the server is a child of the request span" '
		run $how &&
		jq -s -r "
			[.[] | select(.key == \"span\").value] as \$spans |
			[\$spans[] | select(.name == \"request\")] as \$request |
			[\$spans[] | select(.name == \"serve\")] as \$serve |
			[.[] | select(.key == \"trace\").value] as \$session |
			([\$request, \$serve, \$session] | map(length) == [1, 1, 1] and
				(map(.[0].trace_id) | unique | length == 1)) and
			\$serve[0].parent_id == \$request[0].span_id,
			(\$serve[0] | [.remote, .attributes.path, .attributes.status] | tojson),
			\$session[0].trace_id, \$session[0].parent_id, \$serve[0].span_id" \
			events/* >actual &&
		{
			read -r related &&
			read -r remote &&
			read -r trace &&
			read -r parent &&
			read -r serve
		} <actual &&
		test "$related $remote" = "true [true,\"/version\",200]" &&
		PYTHONPATH="$PYTHONPATH" "$PYTHON_PATH" -c "
import sys
from trace2 import _span
# The number of the child is 1.
print(\"%016x\" % _span._mix((int(sys.argv[1], 16) + 2 * 0x9e3779b97f4a7c15) % 2**64))
" "$serve" >expect &&
		echo "$parent" >actual &&
		test_cmp expect actual
	'

	test_expect_success "a server $how the script: OTLP shows the request as one trace" '
		trace2 export --to otlp events >otlp.json &&
		jq -r "[.resourceSpans[].scopeSpans[].spans[]] as \$all |
			([\$all[] | {key: .spanId, value: .name}] | from_entries) as \$names |
			\$all[] | select(.traceId == \"$trace\") |
			\"\(.name) < \(\$names[.parentSpanId // \"\"])\"" otlp.json |
			sed "s/child python[0-9.]*/child python/" | LC_ALL=C sort >actual &&
		test_cmp - actual <<-\EOF
		-c < child python
		child curl < job/request
		child git version < http/serve
		child python < http/serve
		http/serve < job/request
		job/request < null
		version < child git version
		EOF
	'
done

test_expect_success 'the processes of a request form one tree' '
	run below &&
	trace2 list events | sed -n "s/^[0-9].*  *[0-9][0-9]*  *?*  *//p" |
		sed "s/\[curl.*/[curl]/; s|[^ ]*/python3|python3|" | sort >actual &&
	sort >expect <<-\EOF &&
	job.sh below
	├ server.py port
	│ ├ git version
	│ └ -c
	└ [curl]
	EOF
	test_cmp expect actual &&
	trace2 check events/*
'

test_done

#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='spans: work that is not a thread'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-build.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless JQ

above=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331
trace=0af7651916cd43dd8448eb211c80319c

# spans FILTER: print the fields of each span in e, in the order of their ends.
spans () {
	grep "\"category\":\"trace2\",\"key\":\"span\"" e | jq -c ".value | $1"
}
# spans_and_errors FILTER [FILE]: print the spans, then the errors
spans_and_errors () {
	jq -s -r "(.[] | select(.category == \"trace2\" and .key == \"span\").value |
			$1 | tojson),
		(.[] | select(.event == \"error\").msg)" "${2-e}"
}

test_expect_success 'a span is recorded as one event when it ends, with all attributes' '
	traced --valid test-tool trace2 501span &&
	test_prints spans "[.category, .name, .failed, .attributes]" <<-\EOF &&
	["db","query","no such table",null]
	["http","request",null,{"path":"/a\"\n�","least":-9223372036854776000,"tenth":0.1,"third":0.3333333333333333,"infinite":"Infinity","cached":true,"new":false,"status":200}]
	["x","y","",null]
	EOF
	grep -c "\"least\":-9223372036854775808," e
'

test_expect_success 'each span has a unique id, the id of the parent span, and that of the trace' '
	cp e before &&
	traced --valid test-tool trace2 501span &&
	cat before e >runs &&
	trace2_jq "[.[] | select(.key? == \"span\").value] |
		.[0].parent_id == .[1].span_id and
		.[0].trace_id == .[1].trace_id and
		.[1].trace_id != .[2].trace_id and
		(.[1].parent_id | not) and
		(map(.start <= .end) | all) and
		(map(.span_id | test(\"^[0-9a-f]{16}$\")) | all) and
		(map(.trace_id | test(\"^[0-9a-f]{32}$\")) | all) and
		(map(.span_id) | length == 6 and
			length == (unique | length))" runs
'

test_expect_success 'a ring has the same spans as a file' '
	traced env GIT_TRACE2_RING="$PWD/ring" TRACEPARENT=$above-01 \
		test-tool trace2 501span &&
	trace2 script --git-event ring >r &&
	jq -r "select(.event == \"data_json\") |
		\"\(input_filename) \([.thread, .nesting, .key, .value])\"" e r >told &&
	sed -n "s/^e //p" told >expect &&
	sed -n "s/^r //p" told >actual &&
	test_line_count = 4 expect &&
	test_cmp expect actual &&
	trace2 check ring
'

test_expect_success 'a ring as the only target has the spans' '
	rm -f ring &&
	GIT_TRACE2_RING="$PWD/ring" test-tool trace2 501span &&
	trace2 script --git-event ring >e &&
	test_prints spans "[.category, .name, .failed, .attributes.status]" <<-\EOF &&
	["db","query","no such table",null]
	["http","request",null,200]
	["x","y","",null]
	EOF
	trace2 check ring
'

test_expect_success 'the ring of a killed process has ended spans, and open ones as unfinished' '
	rm -f e &&
	for beside in 0 "$PWD/stream"
	do
		rm -f ring stream &&
		test_expect_code 137 env GIT_TRACE2_RING="$PWD/ring" \
			GIT_TRACE2_EVENT="$beside" \
			sh -c "test-tool trace2 511killed; exit \$?" &&
		trace2 script --git-event ring >>e &&
		printf "%s\n" "[\"ended\",null]" "[\"open\",true]" || return 1
	done >expect &&
	spans "[.name, .unfinished]" >actual &&
	test_cmp expect actual
'

test_expect_success 'long texts of spans are cut between characters, and secrets are hidden' '
	long=$(printf %0300d 0 | tr 0 x) &&
	traced --valid test-tool trace2 502texts "c$long" "é$long" \
		"k$long" "v$long" url https://u:pw@host/ password x \
		header "Authorization: Bearer abc" &&
	spans "[(.category, .name, .failed | length),
		(.attributes | to_entries[] | (.key | length), (.value | length))]" >actual &&
	echo "[100,199,128,64,256,3,26,8,10,6,25]" | test_cmp - actual &&
	test_grep ! -e ":pw@" -e "Bearer abc" e
'

test_expect_success 'secrets of spans are hidden in all targets, also in keys' '
	token=ghp_0123456789abcdefghijABCDEFGHIJ012345 &&
	rm -f ring e &&
	GIT_TRACE2_RING="$PWD/ring" GIT_TRACE2_EVENT="$PWD/e" \
		GIT_TRACE2_PERF="$PWD/p" test-tool trace2 502texts \
		c n k v "--token=a1b2c3" a x "$token" "$token" y \
		mysqlpass u &&
	trace2 script --git-event ring >r &&
	for stream in e r
	do
		sed -n "s/.*\"attributes\":\({[^}]*}\).*/\1/p" $stream || return 1
	done >actual &&
	printf "%s\n" "{\"k\":\"v\",\"--token=<REDACTED>\":\"<REDACTED>\",\"x\":\"ghp_<REDACTED>\",\"ghp_<REDACTED>\":\"y\",\"mysqlpass\":\"<REDACTED>\"}" >expect &&
	cat expect expect >both &&
	test_cmp both actual &&
	for target in e p ring
	do
		test_grep ! -a -e a1b2c3 -e 0123456789abc $target || return 1
	done &&
	rm e &&
	GIT_TRACE2_EVENT="$PWD/e" GIT_TRACE2_REDACT=0 test-tool trace2 502texts \
		c "$token" k v "--token=a1b2c3" a x "$token" &&
	test_grep "\"name\":\"$token\"" e &&
	test_grep "\"--token=a1b2c3\":\"a\",\"x\":\"$token\"" e
'

test_expect_success 'attributes and names of spans that do not fit are left out, and counted' '
	traced --valid test-tool trace2 503much 100 &&
	spans "[(.threads | length) + .lost + (.attributes.key + 1),
		.threads[0][0], (.threads | map(.[1] <= .[2]) | all)]" >actual &&
	echo "[200,\"main\",true]" | test_cmp - actual
'

test_expect_success 'open spans beyond 16384 are counted, and not recorded' '
	traced test-tool trace2 504open 16400 >out &&
	trace2 check e &&
	printf "%s\n" "none: 16" "again: 1" | test_cmp - out &&
	grep "\"event\":\"error\"" e |
		sed "s/.*\"msg\":\"\([^\"]*\)\".*/\1/" >actual &&
	echo "trace2: spans without room: too many were open: 16" | test_cmp - actual &&
	grep -o "\"span_id\":\"[0-9a-f]*\"" e | sort -u >ids &&
	test_line_count = 16385 ids
'

test_expect_success 'calls with ended or forged spans are counted, and do nothing else' '
	traced --valid test-tool trace2 505misuse >out &&
	echo "context: '\'\''" | test_cmp - out &&
	test_prints spans_and_errors "[.name, .attributes, .parent_id]" <<-\EOF
	["ended",null,null]
	["child of ended",null,null]
	trace2: calls with a span that is not open: 164
	trace2: span_enter or span_leave without the other: 1
	EOF
'

# both VERB ARG...: run it with a stream and with a ring, and look at `e` each time.
both () {
	for target in EVENT RING
	do
		rm -rf traces e &&
		env GIT_TRACE2_RING_SIZE=4m GIT_TRACE2_$target="$PWD/traces" \
			test-tool trace2 "$@" &&
		trace2 script --git-event traces >e &&
		check || return 1
	done
}

test_expect_success 'threads can pass on a span, and share one' '
	cat >expect <<-\EOF &&
	16 ["first",true,null]
	2000 ["passed",true,null]
	1 ["shared",false,null]
	EOF
	check () {
		spans_and_errors "[.name, .parent_id != null, .unfinished]" >told &&
		sed "/^[^[].*span that was being changed/d" told |
			sort | uniq -c | sed "s/^ *//" >actual &&
		test_cmp expect actual
	} &&
	both 506pool 4 500
'

test_expect_success 'exit() in a thread without events: main reports open spans as unfinished' '
	check () {
		trace2 check traces >out &&
		test_grep ": no problems\$" out &&
		spans "[.name, .unfinished, .attributes.i]" | sort >actual &&
		printf "%s\n" "[\"ended\",true,null]" "[\"open\",true,1]" >expect &&
		test_cmp expect actual
	} &&
	both 512exiting 0
'

test_expect_success 'a ring that lost the end of a span reports the span as unfinished before atexit' '
	rm -f ring &&
	GIT_TRACE2_RING="$PWD/ring" GIT_TRACE2_RING_SIZE=16k \
		test-tool trace2 512exiting 2000 &&
	test_expect_code 1 trace2 check ring >out &&
	test_grep "^1 session, " out &&
	trace2 script --git-event ring |
		jq -c "select(.key == \"span\").value | [.name, .unfinished]" |
		sort >actual &&
	printf "%s\n" "[\"ended\",true]" "[\"open\",true]" | test_cmp - actual
'

test_expect_success 'a signal handler may use spans inside span calls: no span of main is lost' '
	test_seq 0 4999 | sed "s/.*/[null,&]/" >expect &&
	check () {
		spans "select(.category == \"main\") |
			[.unfinished, .attributes.i]" >actual &&
		test_cmp expect actual
	} &&
	both 507handler 5000
'

test_expect_success 'a forked child may use a span of its parent only as a parent span' '
	traced --valid test-tool trace2 508fork &&
	test_prints spans_and_errors "[.name, .parent_id != null, .attributes]" <<-\EOF
	["child",true,null]
	["parent",false,null]
	trace2: calls with a span that is not open: 2
	EOF
'

test_expect_success 'a session reports the TRACEPARENT it inherits, and gives children one of its own' '
	traced env TRACEPARENT=$above-01 \
		test-tool trace2 005exec test-tool trace2 501span &&
	trace2_jq "
		[.[] | select(.key == \"trace\").value] as \$sessions |
		[.[] | select(.key == \"span\").value | [.trace_id, .parent_id]] as \$spans |
		(\$sessions | map([.trace_id, .parent_id, .sampled])) == [
			[\"$trace\", \"b7ad6b7169203331\", true],
			[\"$trace\", \$sessions[0].span_id, true]
		] and
		(\$spans | map(select(. == [\"$trace\", \$sessions[1].span_id])) |
			length == 2)" e
'

test_expect_success 'an invalid TRACEPARENT is ignored' '
	for value in "" x 00-$trace-b7ad6b7169203331 $above-0 ${above}-011 \
		ff-${above#00-}-01 00-$(printf %032d 0)-b7ad6b7169203331-01 \
		00-$trace-$(printf %016d 0)-01 00-$(echo $trace | tr a-f A-F)-b7ad6b7169203331-01
	do
		traced env TRACEPARENT=$value test-tool trace2 501span &&
		test_grep ! "\"key\":\"trace\"" e || return 1
	done
'

test_expect_success 'a later version of TRACEPARENT may have more fields after a hyphen' '
	for value in $above-01-x 01-${above#00-}-01x
	do
		traced env TRACEPARENT=$value test-tool trace2 501span &&
		test_grep ! "\"key\":\"trace\"" e || return 1
	done &&
	for value in 01-${above#00-}-01 01-${above#00-}-01-x
	do
		traced env TRACEPARENT=$value test-tool trace2 501span &&
		test_grep "\"key\":\"trace\"" e || return 1
	done
'

test_expect_success 'a child process gets the trace of the span that started it, else of the session' '
	test-tool trace2 509children $above-01 >actual &&
	printf "%s\n" "span: " "before: (null)" "within: (null)" \
		"after: (null)" >expect &&
	test_cmp expect actual &&
	traced --valid test-tool trace2 509children $above-00 >out &&
	test_prints sed "s/-[0-9a-f]\{16\}-/-ID-/" out <<-EOF &&
	span: 00-$trace-ID-00
	before: 
	within: 00-$trace-ID-00
	after: 
	EOF
	other=00-11111111111111111111111111111111-2222222222222222 &&
	traced env TRACEPARENT=$other-01 \
		test-tool trace2 509children $above-00 >out &&
	test_prints sed "s/-[0-9a-f]\{16\}-/-ID-/" out <<-EOF &&
	span: 00-$trace-ID-00
	before: ${other%-*}-ID-01
	within: 00-$trace-ID-00
	after: ${other%-*}-ID-01
	EOF
	cut -d- -f3 out | sort | uniq -d >twice &&
	test_must_be_empty twice
'

test_expect_success 'GIT_TRACE2_SPANS keeps one trace in N, and all slow or failed ones' '
	for told in "none 0" "all 1" "slow slower:1us" "failed slower:900s" \
		"few 1/999999999,slower:900000ms" "both slower:900s,1"
	do
		GIT_TRACE2_SPANS=${told#* } GIT_TRACE2_EVENT="$PWD/${told% *}.took" \
			test-tool trace2 510took 1 1 !2 || return 1
	done &&
	test_prints jq -r "select(.key == \"span\") |
		\"\(input_filename) \(.value | [.name, .one_in])\"" *.took <<-\EOF
	all.took ["1",null]
	all.took ["1",null]
	all.took ["2",null]
	both.took ["1",null]
	both.took ["1",null]
	both.took ["2",null]
	failed.took ["2",null]
	few.took ["2",null]
	slow.took ["1",null]
	slow.took ["1",null]
	slow.took ["2",null]
	EOF
'

test_expect_success 'GIT_TRACE2_SPANS=1/2 records half of the traces' '
	traced env GIT_TRACE2_SPANS=1/2 \
		test-tool trace2 504open 2000 >/dev/null &&
	spans .one_in >actual &&
	nr=$(sort actual | uniq -c | sed -n "s/ *\([0-9]*\) 2$/\1/p") &&
	test "$nr" -gt 700 &&
	test "$nr" -lt 1300
'

test_expect_success 'the sampled flag of a traceparent overrides GIT_TRACE2_SPANS' '
	count () {
		traced env GIT_TRACE2_SPANS=$1 \
			test-tool trace2 509children $above-$2 >/dev/null &&
		spans .name >actual &&
		test_line_count = $3 actual
	} &&
	count 0 01 1 &&
	count 1 00 0
'

test_expect_success 'an invalid GIT_TRACE2_SPANS is reported' '
	for value in x 1/0 2/3 1/ slower: slower:5 slower:5h 1/2,x
	do
		traced env GIT_TRACE2_SPANS=$value test-tool trace2 501span &&
		cat e >>all || return 1
	done &&
	trace2_jq "group_by(.sid) | length == 8 and all(
		any(.[] | select(.event == \"error\").msg;
			contains(\"GIT_TRACE2_SPANS: want 1/N\")) and
		(map(select(.key == \"span\")) | length == 3))" all
'

cat >ended.c <<'EOT'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include "trace2.h"

static trace2_span_t span; /* the one that all of them use */
static volatile sig_atomic_t is_over, is_ended = 1;
static int in_threads;

static void *set(void *number)
{
	while (!is_over)
		trace2_span_set_string(span, "key", number);
	return NULL;
}

static void end(int signo)
{
	(void)signo;
	if (is_ended)
		return;
	trace2_span_end(span);
	is_ended = 1;
}

/* ended NUMBER [h]: end NUMBER spans while two threads set an attribute, or in
 * a handler that interrupts such a call. */
int main(int argc, char **argv)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } };
	int i, nr = atoi(argv[1]);
	char numbers[] = { '1', 0, '2', 0 };
	pthread_t threads[2];

	trace2_initialize();
	in_threads = argc < 3;
	span = trace2_span_start("s", "s", TRACE2_SPAN_NONE);
	if (in_threads) {
		for (i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, set, numbers + 2 * i);
	} else {
		signal(SIGALRM, end);
		setitimer(ITIMER_REAL, &often, NULL);
	}
	for (i = 0; i < nr; i++) {
		is_ended = 0;
		if (in_threads)
			trace2_span_end(span);
		else
			while (!is_ended)
				trace2_span_set_string(span, "key", "a value");
		span = trace2_span_start("s", "s", TRACE2_SPAN_NONE);
	}
	is_over = 1;
	often.it_value.tv_usec = 0;
	setitimer(ITIMER_REAL, &often, NULL);
	if (in_threads)
		for (i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
	trace2_span_end(span);
	return 0;
}
EOT

threaded=5000 handled=200
test_have_prereq !EXPENSIVE || threaded=30000 handled=1000
for how in "$threaded" "$handled h"
do
	test_expect_success JQ,CC,!INSTRUMENTED "a span that ends during calls that set its attributes is recorded as ended: $how" '
		build "$CC" ended.c -std=gnu11 &&
		for target in EVENT RING
		do
			rm -rf ended &&
			env GIT_TRACE2_RING_SIZE=64m \
				GIT_TRACE2_$target="$PWD/ended" ./program $how &&
			trace2 script --git-event ended >events &&
			awk "/\"key\":\"span\"/ {
				nr[/\"unfinished\":/ ? \"unfinished\" : \"ended\"]++
			} END { for (how in nr) print nr[how], how }" events >actual &&
			echo "$((${how%% *} + 1)) ended" >expect &&
			test_cmp expect actual || return 1
		done
	'
done

cat >handed.c <<'EOT'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trace2.h"

static void *end(void *span)
{
	trace2_span_end(*(trace2_span_t *)span);
	return NULL;
}

static trace2_span_t enter(const char *name)
{
	trace2_span_t span = trace2_span_start("s", name, TRACE2_SPAN_NONE);

	trace2_span_enter(span);
	return span;
}

int main(void)
{
	trace2_span_t span;
	pthread_t thread;
	int i, nr = 0;

	trace2_initialize();
	for (i = 0; i < 20; i++) {
		span = enter("handed");
		pthread_create(&thread, NULL, end, &span);
		pthread_join(thread, NULL);
	}
	span = enter("behind");
	trace2_span_leave(span);
	trace2_span_end(span);
	for (i = 0; i < 20000; i++)
		trace2_span_start("s", "open", TRACE2_SPAN_NONE);
	if (!fork()) {
		for (i = 0; i < 2000; i++) {
			span = trace2_span_start("s", "child", TRACE2_SPAN_NONE);
			nr += span.id != 0;
			trace2_span_end(span);
		}
		_exit(nr > 1000 ? 0 : 1);
	}
	wait(&i);
	_exit(WEXITSTATUS(i));
}
EOT

test_expect_success JQ,CC,!INSTRUMENTED 'spans ended by other threads, or left open by the parent, make room for new ones' '
	build "$CC" handed.c -std=gnu11 &&
	GIT_TRACE2_EVENT="$PWD/handed" ./program &&
	jq -c "select(.value.name? == \"behind\").value.threads | length" \
		handed >actual &&
	echo 1 | test_cmp - actual
'

cat >told.c <<'EOT'
#include <stdio.h>
#include "trace2.h"

int main(void)
{
	static const char text[] = "abcdef";
	trace2_span_t span;

	trace2_initialize();
	span = trace2_span_start("c", "n", TRACE2_SPAN_NONE);
	printf("%d %d\n", trace2_span_is_recorded(span),
	       trace2_span_is_recorded(TRACE2_SPAN_NONE));
	trace2_span_set_string_n(span, "part", text, 3);
	trace2_span_set_string_n(span, "nothing", text, 0);
	trace2_span_set_string_n(span, "nul", "a\0b", 3);
	trace2_span_set_string_n(span, "absent", NULL, 3);
	trace2_span_set_string_n(span, "url", "https://u:p@h/x", 14);
	trace2_span_set_string_n(span, "password", "secret", 6);
	trace2_span_end(span);
	return 0;
}
EOT

test_expect_success JQ,CC,!INSTRUMENTED 'span strings may have a length; span_is_recorded is true for recorded spans only' '
	build "$CC" told.c -std=gnu11 &&
	rm -f actual told unrecorded &&
	told () {
		"$@" ./program >>actual
	} &&
	told env GIT_TRACE2_EVENT="$PWD/told" &&
	told env GIT_TRACE2_EVENT="$PWD/unrecorded" GIT_TRACE2_SPANS=1/1000000 &&
	told env &&
	test_write_lines "1 0" "0 0" "0 0" | test_cmp - actual &&
	test_prints jq -c "select(.key == \"span\").value.attributes" told <<-\EOF &&
	{"part":"abc","nothing":"","nul":"a","absent":"","url":"https://u:<REDACTED>@h/","password":"<REDACTED>"}
	EOF
	test_grep ! "\"key\":\"span\"" unrecorded
'

cat >below.c <<'EOT'
#include "trace2.h"

#define TRACE "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-"

/* The unrecorded span ends below one that is recorded, and another one is left alone. */
int main(void)
{
	trace2_span_t told, unrecorded;

	trace2_initialize();
	told = trace2_span_start("c", "told", TRACE2_SPAN_NONE);
	unrecorded = trace2_span_start_remote("c", "unrecorded", TRACE "00", NULL);
	trace2_span_enter(unrecorded);
	trace2_span_enter(told);
	trace2_span_end(unrecorded);
	trace2_span_leave(told);
	trace2_span_enter(unrecorded);
	trace2_span_end(told);
	trace2_span_set_intmax(unrecorded, "x", 1);

	told = trace2_span_start("c", "around", TRACE2_SPAN_NONE);
	unrecorded = trace2_span_start_remote("c", "unrecorded", TRACE "00", NULL);
	trace2_span_enter(told);
	trace2_span_enter(unrecorded);
	trace2_span_leave(unrecorded);
	trace2_span_leave(told);
	trace2_span_enter(told);
	trace2_span_enter(unrecorded);
	trace2_span_end(unrecorded);
	trace2_span_end(told);
	return 0;
}
EOT

test_expect_success JQ,CC,!INSTRUMENTED 'span_end and span_leave of an unrecorded span do not disturb recorded spans' '
	build "$CC" below.c -std=gnu11 &&
	GIT_TRACE2_EVENT="$PWD/below" ./program &&
	test_prints spans_and_errors "[.name, (.threads[] | .[2] >= .[1])]" below <<-\EOF
	["told",true]
	["around",true,true]
	trace2: span_enter or span_leave without the other: 1
	EOF
'

cat >judged.c <<'EOT'
#include <stdio.h>
#include <string.h>
#include "trace2.h"

/* As for a constant. */
static void set(trace2_span_t span, const char *key)
{
	trace2_span_set_string_(span, trace2_text_of_(key, strlen(key)),
				trace2_text_of_("value", 5));
}

/* Names of one length: those that are secret end otherwise, or begin so. */
int main(void)
{
	static const char *const forms[] = {
		"x%02d.tokex", "x%02d.token", "key_%02d_tokex", "key_%02d_token",
		"t%02dx", "a%02dapikez", "a%02dapikey", "%02dtoken", "%02dtokex",
	};
	trace2_span_t span;
	unsigned int i, nr;
	char key[32];

	trace2_initialize();
	for (nr = 0; nr < 100; nr++) {
		span = trace2_span_start("c", "n", TRACE2_SPAN_NONE);
		for (i = 0; i < 3 * sizeof(forms) / sizeof(*forms); i++) {
			snprintf(key, sizeof(key),
				 forms[i % (sizeof(forms) / sizeof(*forms))], nr);
			set(span, key);
		}
		trace2_span_end(span);
	}
	return 0;
}
EOT

test_expect_success JQ,CC,!INSTRUMENTED 'span attributes with similar names: only those with secret names are redacted' '
	build "$CC" judged.c -std=gnu11 &&
	GIT_TRACE2_EVENT="$PWD/judged" ./program &&
	jq -r "select(.key == \"span\").value.attributes | to_entries[] |
		\"\(.key | sub(\"[0-9]+\"; \"N\")) \(.value)\"" judged |
		sort | uniq -c | awk "{print \$1, \$2, \$3}" >actual &&
	test_cmp - actual <<-\EOF
	100 Ntoken <REDACTED>
	100 Ntokex value
	100 aNapikey <REDACTED>
	100 aNapikez value
	100 key_N_token <REDACTED>
	100 key_N_tokex value
	100 tNx value
	100 xN.token <REDACTED>
	100 xN.tokex value
	EOF
'

cat >words.c <<'EOT'
#include <stdio.h>
#include <string.h>
#include "trace2.h"

/* A byte at each place of texts of each length. */
int main(void)
{
	char text[40];
	size_t len, at;
	trace2_span_t span;

	trace2_initialize();
	for (len = 1; len < 20; len++) {
		for (at = 0; at < len; at++) {
			memset(text, 'a', sizeof(text));
			text[at] = '\0';
			span = trace2_span_start("c", "n", TRACE2_SPAN_NONE);
			trace2_span_set_string_n(span, "nul", text, len);
			trace2_span_set_intmax(span, "is", (intmax_t)at);
			memset(text, 'a', sizeof(text));
			memcpy(text + at, "password=b", 10);
			trace2_span_set_string_n(span, "mark", text, at + 10);
			memcpy(text + at, " -passw\"b c", 11);
			trace2_span_set_string_n(span, "plain", text, at + 11);
			trace2_span_set_string(span, "option", "--token b1c2");
			trace2_span_end(span);
		}
	}
	return 0;
}
EOT

test_expect_success JQ,CC,!INSTRUMENTED 'span strings end at a NUL, and a secret at any place in them is hidden' '
	# Optimized: the names are constants then.
	build "$CC" words.c -std=gnu11 -O2 &&
	GIT_TRACE2_EVENT="$PWD/words" ./program &&
	trace2_jq "[.[] | select(.key == \"span\").value.attributes] |
		length == 190 and
		map(select((.nul | length) != .is or
			(.mark, .option | contains(\"b\")) or
			(.plain | length) != .is + 11)) == []" words
'

test_done

#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 report --html: the page, as a file

t3601 tests the page in a browser.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-page.sh
. "$TEST_DIRECTORY"/lib-stream.sh

test_expect_success 'setup: make the page of a known stream' '
	known_stream >known.event &&
	trace2 report --html known.html known.event &&
	page_own known.html >known.own
'

test_expect_success JQ 'the page contains the data of the recording' '
	trace2 report --html page.html known.event >out 2>err &&
	test_must_be_empty out &&
	test_must_be_empty err &&
	page_data page.html >data &&
	test_prints jq -r "$ROWS .strings as \$s |
		(.processes[] | \"process \(.[0]) \(\$s[.[1]]) \(.[3:7]) \(.[9]) \(\$s[.[12]])\"),
		(.threads[] | \"thread of \(.[0]) \(\$s[.[1]]) \(.[2:5])\",
			(.[5] | rows(9) | \"span \(.[0:3]) \(\$s[.[3]]) \(.[4:6]) \(\$s[.[6]]) \(\$s[.[7]]) \(.[8])\")),
		(.points[] | \"point \(.[0:3]) \(\$s[.[3]]) \(\$s[.[4]]) \(\$s[.[5]]) \(.[6])\")" data <<-\EOF
	process 0 top [-1,0,10000000000,8500000000] 0 P
	process 1 kid [42,6500000000,1500000000,1500000000] 3 P/C-P0000002a
	thread of 1 main [1,0,10000000000]
	span [1000000000,4000000000,1000000000] c/outer [0,0] all of it a.c:11 0
	span [1000000000,1000000000,0] d/inner [1,0]  a.c:12 0
	span [4000000000,2000000000,0] child kid [0,1] kid -v a.c:18 2
	thread of 1 th01:work [0,5000000000,500000000]
	thread of 2 main [1,6500000000,1500000000]
	point [1,0,2500000000] d/size 17 a.c:12 2
	point [1,2,4000000000]  no luck a.c:14 1
	EOF
'

test_expect_success 'scripts of the page use only fields that its data has' '
	"$PERL_PATH" -0777 -ne "
		while (/^const ([A-Z]+) = places\((.*)\);\$/gm) {
			my (\$row, \$names) = (\$1, \$2);
			\$has{\$row} = { map { \$_ => 1 } \$names =~ /\w+/g };
		}
		while (/\b([A-Z]+)\.(\w+)/g) {
			print qq(\$1.\$2\n) if \$has{\$1} && !\$has{\$1}{\$2};
		}
		print join(q( ), sort keys %has), qq(\n)" known.html >actual &&
	echo FRAME OBJECT POINT PROCESS SAMPLE SPAN STACK STATE STEP TASK THREAD >expect &&
	test_cmp expect actual
'

# A string cannot refer to itself: the second has the same text twice, before
# and after the text of the first.
test_expect_success JQ 'the page stores common parts of strings once' '
	same="-I/usr/include/a/rather/long/directory -DAND_A_DEFINITION_OF=\\\"something\\\"" &&
	other="-I/usr/share/another/directory/to/look/into" &&
	first=/home/of/one/who/likes/long/names/for/directories &&
	second=/srv/builds/of/the/last/month/and/of/this/one/too &&
	{
		begin P 0 make &&
		for line in "cc $same x $same" "cc $other $same $other" "cc $same é -c é.c" \
			"cc é -c a.c $same -o a.o" "cc é -c a.c $same -o a.o -g" \
			"cc -zzzzz$first" "cc -yyyzz$first" "cc -yyyzz$second" "cc -zzzzz$second"
		do
			i=$((${i-0} + 1)) &&
			event P $i child_start "\"child_id\":$i,\"child_class\":\"?\",\"use_shell\":true,\"argv\":[\"$line\"]" ||
			return 1
		done &&
		event P 9 atexit
	} >same.event &&
	trace2 report --html page.html same.event &&
	grep -o "a/rather/long/directory" page.html >found &&
	test_line_count = 2 found &&
	page_data page.html >data &&
	jq -r ".strings as \$s | .threads[0][5] | [range(6; length; 9) as \$i | \$s[.[\$i]]][]" data >actual &&
	jq -r "select(.event == \"child_start\").argv[0] | \"\\(@sh)\"" same.event >expect &&
	test_cmp expect actual
'

# Times of the day are times since the start in the page, and it has columns of
# its own: compare the columns from..to that both have in this order.
# Tables, and from and to which of their columns the report has the same.
parts='[["processes",0,4],["critical_path",0,3],["regions",0,13],
	["threads",0,7],["timers",0,12],["counters",0,5],["data",1,5],
	["errors",1,4]]'

test_expect_success JQ 'the page has the same tables as report' '
	for f in known.event "$TRACES"/*.event
	do
		trace2 report --html page.html "$f" &&
		page_data page.html >>pages &&
		trace2 export --to folded "$f" >>folded &&
		echo >>folded &&
		trace2 report --format=json "$f" >>reports &&
		trace2 report --regions --threads --timers --counters \
			--data --errors --format=json "$f" >>reports ||
		return 1
	done &&
	jq -c --argjson parts "$parts" ".strings as \$s
		| \$parts[] as [\$n, \$from, \$to]
		| \$n, (.tables[] | select(.name == \$n)
			| .columns as \$c | .rows[]
			| [range(\$from; \$to) as \$i
			| (.[\$i] | if type == \"object\" then .value else . end) as \$v
			| if \$v != null and \$c[\$i].kind == \"str\"
				then \$s[\$v] else \$v end])" pages >actual &&
	jq -sc --argjson parts "$parts" "$ROWS rows(2) as \$both
		| \$parts[] as [\$n, \$from, \$to]
		| \$n, (\$both[] | .[\$n] // empty | .[]
			| del(.depth) | [.[]][\$from:\$to])" reports >expect &&
	test_line_count -gt 100 expect &&
	test_cmp expect actual
'

test_expect_success JQ 'the page has counters and timers also by thread' '
	trace2 report --html page.html "$TRACES/counters.event" &&
	page_data page.html >data &&
	jq -c ".strings as \$s | .tables[] | select(.name == \"counters_by_thread\")
		| .rows[] | [.[0], .[1], \$s[.[3]], \$s[.[4]]]" data |
		sort >actual &&
	test_cmp - actual <<-\EOF
	[20,1,"th01:ut_201","test/test2"]
	[20,1,"th02:ut_201","test/test2"]
	[20,1,"th03:ut_201","test/test2"]
	EOF
'

test_expect_success JQ 'report --html: names in tables link to items of the timeline' '
	trace2 report --html page.html --no-redact known.event &&
	page_data page.html >data &&
	# Items: two processes, three threads, three spans, two points.
	test_prints jq -r ".strings as \$s | .tables[] | .name as \$n | .rows[][]
		| select(type == \"object\" and has(\"item\"))
		| \"\(\$n) \(\$s[.value]): \(.item)\"" data <<-\EOF
	processes top https://joe:hunter2@example.com/: 0
	processes kid -v: 1
	critical_path top https://joe:hunter2@example.com/: 0
	critical_path c/outer: 5
	critical_path d/inner: 6
	critical_path kid -v: 1
	regions (in no region): 0
	regions c/outer: 5
	regions d/inner: 6
	threads main: 0
	threads th01:work: 3
	threads main: 1
	data d/size: 8
	errors no luck: 9
	EOF
'

test_expect_success JQ 'the page has the flame graph of export --to folded' '
	# An empty line ends those of a page.
	awk "BEGIN { nr = 1 } /^\$/ { nr++; next } { print nr, \$0 }" folded | sort >expect &&
	test_line_count -gt 50 expect &&
	jq -s -r "$ROWS to_entries[] | (.key + 1) as \$nr | .value |
		[.frames | rows(3)] as \$f | .strings as \$s |
		def path(\$i): if \$i == 0 then [] else
			path(\$f[\$i - 1][0]) + [\$s[\$f[\$i - 1][1]]] end;
		range(\$f | length) | \$f[.][2] as \$ns
		| ((\$ns + 500) / 1000 | floor) as \$us
		| select(\$us > 0)
		| \"\(\$nr) \(path(. + 1) | join(\";\")) \(\$us)\"" pages | sort >actual &&
	test_cmp expect actual
'

# Times are in microseconds; a state is its name, then its length, then the
# thread that ended it.
test_expect_success JQ 'the page has states of threads and the critical path' '
	waiting_recording &&
	trace2 report --html page.html r &&
	page_data page.html >data &&
	cat >words.jq <<-\EOF &&
	. as $d | .strings as $s |
	def code: . as $c | ["run", "ready"][$c] //
		"wait \($d.causes[$c - 2][0])";
	def us: . / 1000;
	(.tasks[] | "thread \(.[0]) \($s[.[2]]) \(.[3]) \(.[4]) from \(.[5] | us)",
		(.[6] | rows(3) | "\(.[1] % 32 | code) \(.[0] | us) \(.[2])")),
	(.path | rows(7) |
		"path \($s[$d.processes[.[2] - 1][1]]) \(.[4] % 32 | code) \(.[0:2] | map(us)) \(.[3]) by \($s[.[5]]).")
	EOF
	test_prints jq -r "$ROWS $(cat words.jq)" data <<-\EOF
	thread 1 top 10 1 from 0
	run 7 0
	wait child 73 3
	ready 1 0
	run 9 0
	thread 2 writer 11 1 from 5
	ready 3 0
	run 52 0
	thread 3 reader 12 1 from 6
	ready 4 1
	run 12 0
	wait pipe 30 2
	ready 1 0
	run 29 0
	thread 3 reader 13 0 from 12
	ready 1 2
	run 1 0
	path top run [0,5] 0 by .
	path writer ready [0,3] 0 by .
	path writer run [0,44] 0 by .
	path reader ready [0,1] 0 by .
	path reader run [0,27] 0 by .
	path top ready [0,1] 0 by .
	path top run [0,9] 0 by .
	EOF
'

test_expect_success JQ 'the page has no states of a thread that ends when it begins' '
	cat >records <<-\EOF &&
	begin
	5 0 fork 20 20 10 10
	5 1 exit 20 20
	9 0 exit 10 10
	EOF
	made r <records &&
	trace2 report --html page.html r &&
	page_data page.html | jq -c ".tasks[] | [.[3], .[6]]" >actual &&
	test_cmp - actual <<-\EOF
	[10,[9000,0,0]]
	[20,[]]
	EOF
'

# One thread that runs and waits in turn, 320,001 times, each for some
# microseconds.
test_expect_success EXPENSIVE,JQ 'the page merges states if there are too many, and keeps their sums' '
	"$PERL_PATH" -e "
		print qq(0 0 fork 10 10 1 1\n0 0 in 10 10\n1 0 comm 10 10 top exec\n);
		for my \$k (0 .. 159_999) {
			my \$at = 10 + 10 * \$k;
			print qq(\$at 0 out 10 10\n), \$at + 1 + \$k % 7, qq( 0 in 10 10\n);
		}
		print qq(2000000 0 exit 10 10\n);
	" >records &&
	made r <records &&
	trace2 report --html page.html r &&
	page_data page.html >data &&
	jq -c "$ROWS [.tasks[0][6] | rows(3)] as \$s | [.grain > 0, .recordedStates,
		(\$s | length <= 300000),
		([\$s[] | select(.[1] == 0)[0]] | add),
		([\$s[] | select(.[1] > 1)[0]] | add)]" data >actual &&
	"$GIT_BUILD_DIR"/build/unit/tool-states r |
		jq -s -c "map(select(.type == \"thread\"))[0] |
			[true, 320001, true, .run_ns, .wait_ns]" >expect &&
	test_cmp expect actual
'

# Two processes run in turn, 16,000 times each: of 10 us, one 1 to 7, the other
# the rest.
test_expect_success JQ 'the page merges steps of the critical path if too many, and keeps their sums' '
	"$PERL_PATH" -e "
		print qq(0 0 fork 10 10 1 1\n0 0 in 10 10\n1 0 comm 10 10 top exec\n),
			qq(1 0 fork 20 20 10 10\n2 0 comm 20 20 kid exec\n);
		for my \$k (0 .. 15_999) {
			my (\$at, \$run) = (10 + 10 * \$k, 1 + \$k % 7);
			print map { qq(@\$_\n) } [\$at, q(0 out 10 10)],
				[\$at, q(1 in 20 20)], [\$at + \$run, q(1 out 20 20)],
				[\$at + \$run, q(0 in 10 10)];
		}
		print qq(160002 1 exit 20 20\n160003 0 exit 10 10\n);
	" >records &&
	made r <records &&
	{
		event_us A-P0000000a 1 version "\"evt\":\"4\",\"exe\":\"1\"" &&
		event_us A-P0000000a 1 start "\"t_abs\":0.0,\"argv\":[\"top\"]" &&
		event_us A-P0000000a 3 region_enter \
			"\"nesting\":1,\"category\":\"c\",\"label\":\"first\"" &&
		event_us A-P0000000a 9 region_leave \
			"\"nesting\":1,\"category\":\"c\",\"label\":\"first\"" &&
		event_us A-P0000000a 160003 atexit "\"code\":0"
	} >r/events/A-P0000000a &&
	trace2 report --html page.html r &&
	page_data page.html >data &&
	jq -c "$ROWS [.path | rows(7)] as \$p | [.pathGrain > 0,
		(\$p | length > 1000 and length <= 30000),
		any(\$p[]; .[0] != 0), any(.strings[]; . == \"c/first\"),
		([\$p[] | select(.[3] != 0)] | length <= 1),
		([\$p[] | select(.[4] % 32 == 0)[1]] | add),
		([\$p[][1]] | add)]" data >actual &&
	trace2 report --path --format=json r |
		jq -c "[true, true, false, true, true,
			([.critical_path[] | select(.state == \"run\").time_ns] | add),
			([.critical_path[] | .time_ns + .no_cpu_ns] | add)]" >expect &&
	test_cmp expect actual
'

# The steps of 50 kinds of processes do not fit.
test_expect_success JQ 'the page: the row that sums up further kinds has no start time' '
	"$PERL_PATH" -e "
		print qq(0 0 fork 10 10 1 1\n0 0 in 10 10\n1 0 comm 10 10 top exec\n);
		for (1 .. 50) {
			my (\$t, \$p) = (100 * \$_, 20 + \$_);
			print qq(\$t 0 fork \$p \$p 10 10\n), \$t + 1,
				qq( 0 sleep 10 10 0 swapper schedule,do_wait\n),
				\$t + 2, qq( 0 in \$p \$p\n), \$t + 3,
				qq( 0 comm \$p \$p kid\$_ exec\n), \$t + 90,
				qq( 0 exit \$p \$p\n), \$t + 92, qq( 0 in 10 10\n);
		}
		print qq(90000 0 exit 10 10\n);
	" >records &&
	made r <records &&
	trace2 report --html page.html r &&
	page_data page.html >data &&
	test_prints jq -c ".tables[] | select(.name == \"critical_path_by_kind\") |
		(.columns | map(.title) | index(\"FROM\")) as \$from |
		.rows[0][\$from], .rows[-1][\$from]" data <<-\EOF
	0
	null
	EOF
'

test_expect_success 'the page loads nothing, and runs only its own script' '
	trace2 report --html page.html known.event &&
	echo same | test_prints "$PERL_PATH" -MDigest::SHA=sha256_base64 -0777 -ne "
		my (\$policy) = /http-equiv=\"Content-Security-Policy\" content=\"([^\"]*)\"/;
		my (\$style) = m{<style>(.*?)</style>}s;
		my (\$script) = m{<script>(.*?)</script>}s;
		print \$policy eq \"default-src '\''none'\''; script-src '\''sha256-\"
			. sha256_base64(\$script) . \"='\''; style-src '\''sha256-\"
			. sha256_base64(\$style) . \"='\''; base-uri '\''none'\''; \"
			. \"form-action '\''none'\''\" ? \"same\n\" : \"other: \$policy\n\"
	" page.html &&
	# It contains a URL only as the name of a namespace.
	page_own page.html >own &&
	test_grep ! -i -E "(src|href|action) *= *\"[^#]|@import|url\(|fetch\(|import\(" own &&
	grep -o -E "[a-z]+://[^ \"'\'']*" own | sort -u >actual &&
	echo "http://www.w3.org/2000/svg" | test_cmp - actual
'

# Those after /usual/ are for make check.
prereq=JQ
for name in '</script><script>alert(1)</script>' '--></title>' '@DATA@ @SCRIPT@' \
	'\"};alert(1);//' /usual/ '<!--<script>' '&lt;b&gt;&amp;' '\u2028\u2029x' \
	'a\u0000b' '<img src=x onerror=alert(1)>' '\\u003c/script>'
do
	case "$name" in
	/usual/) prereq=EXPENSIVE,JQ && continue ;;
	esac
	test_expect_success $prereq "the page keeps a name as text: $name" '
		hostile_stream "$name" >hostile.event &&
		trace2 report --html page.html hostile.event &&
		trace2 list --format=json hostile.event >list &&
		page_data page.html >data &&
		# All except the names is the same as in the page of any other
		# recording.
		page_own page.html >own &&
		test_cmp known.own own &&
		test_grep ! "[<>&]" data &&
		jq -s -e ".[0].processes[0].argv[0] as \$listed |
			.[1] | .strings[.threads[0][5][6]] == \$listed" list data
	'
done

test_expect_success 'the page hides secrets, unless --no-redact is given' '
	trace2 report --html open.html --no-redact known.event &&
	trace2 report --html hidden.html known.event &&
	test_expect_code 2 trace2 report --redact --no-redact known.event &&
	test_grep hunter2 open.html &&
	test_grep ! hunter2 hidden.html
'

test_expect_success JQ 'filters select the contents of the page' '
	trace2 report --html page.html --cmd kid known.event &&
	page_data page.html >data &&
	trace2 report --html page.html -N d/inner known.event &&
	page_data page.html >>data &&
	jq -s -c "$ROWS (.[0] | [.filtered, (.processes | length), (.threads | length)]),
		(.[1] | .strings as \$s | [.threads[0][5] | rows(9) | \$s[.[3]], .[4]])" \
		data >actual &&
	printf "%s\n" "[true,1,1]" "[\"d/inner\",0]" | test_cmp - actual
'

test_expect_success JQ 'the page of an empty recording can be made' '
	: >empty.event &&
	test_might_fail trace2 report --html empty.html empty.event 2>err &&
	if test -e empty.html
	then
		page_data empty.html | jq . >/dev/null
	fi
'

# The calls of a sample, the outermost first. Whether the innermost is a part of
# its caller depends on the compiler.
test_expect_success JQ,TREESUM,LIBDW 'the page has the call paths of samples' '
	mkdir rings tree &&
	for i in 1 2 3 4 5 6 7 8
	do
		echo "$i" >tree/$i.txt || return 1
	done &&
	GIT_TRACE2_SAMPLE=app/treesum/files/:4 GIT_TRACE2_RING="$PWD/rings" \
		"$GIT_BUILD_DIR"/build/examples/treesum -j 1 tree >/dev/null &&
	trace2 report --html page.html rings &&
	page_data page.html >data &&
	jq -r "$ROWS .strings as \$s | [.stacks | rows(2)] as \$stacks |
		def path(\$i): if \$i == 0 then [] else path(\$stacks[\$i - 1][0])
			+ [\$s[\$stacks[\$i - 1][1]]] end;
		.samples[] | \"\(\$s[.[0]]) \(.[1]) \(path(.[6]) | join(\";\"))\"" data |
		sed -e "s/[^ ;]*;.*;run_thread;/...;run_thread;/" -e "s/;sum_file\$//" >actual &&
	test_write_lines "app/treesum/files/:4 4 ...;run_thread;sum_files" \
		"app/treesum/files/:4 4 ...;run_thread;sum_files" >expect &&
	test_cmp expect actual &&
	# Without samples there is no message about them.
	trace2 report --html page.html known.event 2>err &&
	test_must_be_empty err &&
	page_data page.html | jq -c .samples >actual &&
	echo "[]" | test_cmp - actual
'

test_expect_success 'report --html refuses options that exclude each other' '
	while IFS="|" read -r options message
	do
		test_expect_code 2 trace2 report $options known.event >out 2>err &&
		test_must_be_empty out &&
		test_grep -e "$message" err || return 1
	done <<-\EOF &&
	--html x.html --regions|--html includes every view
	--html x.html --samples|--html includes every view
	--html x.html -s max|-s, -n, -g and --per-thread cannot be used with --html
	--html x.html --format=json|give either --html or --format
	EOF
	test_path_is_missing x.html
'

test_expect_success 'report --html that fails leaves the earlier file' '
	echo before >page.html &&
	test_expect_code 128 trace2 report --html no/such/page.html known.event 2>err &&
	test_grep "no/such/page.html" err &&
	test_expect_code 128 trace2 report --html page.html no.event 2>err &&
	echo before | test_cmp - page.html
'

test_done

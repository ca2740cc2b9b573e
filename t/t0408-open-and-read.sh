#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='metrics that are defined at run time, and reading them back'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_expect_success JQ 'values of threads that ended, and of the running one' '
	traced test-tool trace2 240read &&
	jq -r "select(.event == \"printf\").msg" e >actual &&
	test_prints sed "s/sum:[0-9]* min:300/sum:1700 min:300/" actual <<-\EOF
	unset: 0 count:0 sum:0 min:0 max:0 last:0 unfinished:0
	timer: 1 count:3 sum:1700 min:300 max:700 last:0 unfinished:1
	counter: 1 count:10 sum:0 min:0 max:0 last:0 unfinished:0
	sizes: 1 count:2 sum:6 min:3 max:3 last:0 unfinished:0
	gauge: 1 count:0 sum:0 min:-8 max:-4 last:-8 unfinished:0
	EOF
'

test_expect_success JQ 'labels are sorted, and quoted; the same ones are the same metric' '
	traced test-tool trace2 241open &&
	jq -c "(select(.event | test(\"timer|counter\")) |
			[.event, .category, .name, .count // .intervals]),
		(select(.event == \"data_json\") | [.key, .value.category, .value.name,
			.value.unit, .value.sum // .value.last]),
		select(.event == \"printf\").msg" e >actual &&
	test_prints sort actual <<-\EOF &&
	"same: 1 count:42 sum:0 min:0 max:0 last:0 unfinished:0"
	["counter","","{=\"\"}",6]
	["counter","http","requests{code=\"\\\"2\\\\\\\"\",method=\"GET\"}",42]
	["counter","test","test1",3]
	["distribution","a","b/c{method=\"GET\"}","bytes",7]
	["gauge","a","b/c{method=\"GET\"}",null,-7]
	["timer","","plain",1]
	EOF
	test_grep ! "\"event\":\"error\"" e
'

test_expect_success JQ 'opens in vain are counted, for each cause' '
	traced test-tool trace2 242open_many 1100 &&
	expect_valid_stream e &&
	trace2_jq "([.[] | select(.event == \"error\").msg] |
		(.[0] | test(\"^trace2: [0-9]+ metrics do not count: \")) and
		.[1:] == [
			\"trace2: 1 opened metrics do not count: there is no such kind\",
			\"trace2: 1 opened metrics do not count: more than 8 labels\",
			\"trace2: 1 opened metrics do not count: a category, or a name with its labels, has more than 255 bytes\"
		]) and
		(([.[] | select(.event == \"counter\" and .category == \"many\")] | length) +
		([.[] | select(.event == \"error\").msg][0] | split(\" \")[1] | tonumber)
		== 1100)" e
'

test_expect_success JQ 'metrics are opened and read with a ring that is open already' '
	rm -f ring &&
	GIT_TRACE2_RING="$PWD/ring" test-tool trace2 241open &&
	trace2 report --counters --gauges --distributions --format=json ring >actual &&
	jq -e "[.counters[] | select(.counter | test(\"http\")).value] == [42] and
		[.gauges[].last] == [-7] and [.distributions[].sum] == [7]" actual
'

test_expect_success JQ 'an opened metric is sampled like any other' '
	rm -f ring &&
	GIT_TRACE2_RING="$PWD/ring" GIT_TRACE2_SAMPLE=app/test/test1/:1 \
		test-tool trace2 241open &&
	trace2 report --samples --format=json ring >actual &&
	jq -e ".callers[0] | .samples == 2 and .count == 3" actual
'

test_expect_success 'tracing off: nothing happens' '
	test-tool trace2 240read >out 2>&1 &&
	test-tool trace2 241open >>out 2>&1 &&
	test_must_be_empty out
'

test_done

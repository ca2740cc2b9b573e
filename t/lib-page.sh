# SPDX-License-Identifier: MIT
#
# What the tests of the HTML page share; to be read after test-lib.sh.
#
#	page_data FILE		the JSON that the page holds
#	page_own FILE		the page without what its recording brought in
#	$ROWS			for jq: rows(N) cuts an array into so many each
#
# shellcheck shell=sh

if ! test_have_prereq READS_STREAMS
then
	skip_all='the command was built without reading JSON streams'
	test_done
fi

# shellcheck disable=SC2034 # for the scripts
TRACES="$TEST_DIRECTORY/traces"

# shellcheck disable=SC2016,SC2034 # the dollars are for jq
ROWS='def rows($n): . as $a | range(0; length; $n) as $i | $a[$i:$i + $n];'

page_data () {
	"$PERL_PATH" -0777 -ne 'print $1
		if m{<script type="application/json" id="data">(.*?)</script>}s' "$1"
}

page_own () {
	"$PERL_PATH" -0777 -pe '
		s{(<script type="application/json" id="data">).*?(?=</script>)}{$1}s;
		s{(<title>trace2: )[^<>]*(?=</title>)}{$1};
		s{(<h1 id="title">)[^<>]*(?=</h1>)}{$1}
	' "$1"
}

# hostile_stream NAME: a process, a region, an argument, a timer and an error
# that are called so; NAME is the inside of a JSON string.
hostile_stream () {
	local at='"sid":"P","thread":"main","time":"2026-11-21T07:20:0' file
	file='"file":"'$1'","line":1'
	cat <<-EOF
	{"event":"version",${at}0.000000Z",$file,"evt":"4","exe":"$1"}
	{"event":"start",${at}0.000000Z",$file,"t_abs":0.0,"argv":["$1","$1"]}
	{"event":"cmd_name",${at}0.000000Z",$file,"name":"$1","hierarchy":"$1"}
	{"event":"region_enter",${at}1.000000Z",$file,"nesting":1,"category":"$1","label":"$1","msg":"$1"}
	{"event":"error",${at}1.100000Z",$file,"msg":"$1","fmt":"$1"}
	{"event":"region_leave",${at}2.000000Z",$file,"nesting":1,"category":"$1","label":"$1","t_rel":1.0}
	{"event":"exit",${at}3.000000Z",$file,"t_abs":3.0,"code":0}
	{"event":"timer",${at}3.000000Z",$file,"category":"$1","name":"$1","intervals":2,"t_total":0.1,"t_min":0.01,"t_max":0.09,"histogram":[[0.01,1],[0.1,1]]}
	{"event":"counter",${at}3.000000Z",$file,"category":"$1","name":"$1","count":7}
	{"event":"atexit",${at}3.000000Z",$file,"t_abs":3.0,"code":0}
	EOF
}

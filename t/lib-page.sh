# SPDX-License-Identifier: MIT
#
# Functions for the tests of the HTML page; read this after test-lib.sh.
#
#	page_data FILE		the JSON in the page
#	known_stream		a stream whose content the scripts know
#	page_own FILE		the page without the data of its recording
#	$ROWS			for jq: rows(N) splits an array into parts of N
#
# shellcheck shell=sh

# shellcheck disable=SC2034 # for the scripts
TRACES="$TEST_DIRECTORY/traces"

# shellcheck disable=SC2016,SC2034 # the dollars are for jq
ROWS='def rows($n): . as $a | range(0; length; $n) as $i | $a[$i:$i + $n];'

# Join the parts of strings as tool/export/page/data.js does.
page_data () {
	"$PERL_PATH" -MJSON::PP -0777 -ne '
		my ($data, $strings) = m{<script type="application/json" id="data">(.*?\n"strings":)(.*?)\}</script>}s or exit;
		my $json = JSON::PP->new->allow_nonref->utf8;
		my (@all, $list);
		$list = $json->decode($strings);
		if (!grep { ref } @$list) {
			print "$data$strings}";
			exit;
		}
		push @all, join "", map { ref ? substr $all[$_->[0]], $_->[1], $_->[2] : $_ }
			ref ? @$_ : $_ for @$list;
		$list = $json->encode(\@all);
		$list =~ s/([<>&])/sprintf "\\u%04x", ord $1/ge;
		print "$data$list}";' "$1"
}

page_own () {
	"$PERL_PATH" -0777 -pe '
		s{(<script type="application/json" id="data">).*?(?=</script>)}{$1}s;
		s{(<title>trace2: )[^<>]*(?=</title>)}{$1};
		s{(<h1 id="title">)[^<>]*(?=</h1>)}{$1}
	' "$1"
}

# hostile_stream NAME: a process, a region, an argument, a timer and an error
# with this name; NAME is the inside of a JSON string.
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

# A session of 10 s: a region of 4 s with one of 1 s in it, a data point, an error,
# a thread, a child of 2 s that is a process and failed, a timer and two counters.
known_stream () {
	cat <<-\EOF
	{"event":"version","sid":"P","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"evt":"4","exe":"1"}
	{"event":"start","sid":"P","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"t_abs":0.0,"argv":["/usr/bin/top","https://joe:hunter2@example.com/"]}
	{"event":"region_enter","sid":"P","thread":"main","time":"2026-11-21T07:20:01.000000Z","file":"a.c","line":11,"nesting":1,"category":"c","label":"outer","msg":"all of it"}
	{"event":"region_enter","sid":"P","thread":"main","time":"2026-11-21T07:20:02.000000Z","file":"a.c","line":12,"nesting":2,"category":"d","label":"inner"}
	{"event":"data","sid":"P","thread":"main","time":"2026-11-21T07:20:02.500000Z","file":"a.c","line":12,"t_abs":2.5,"t_rel":0.5,"nesting":3,"category":"d","key":"size","value":"17"}
	{"event":"region_leave","sid":"P","thread":"main","time":"2026-11-21T07:20:03.000000Z","file":"a.c","line":13,"nesting":2,"category":"d","label":"inner","t_rel":1.0}
	{"event":"error","sid":"P","thread":"main","time":"2026-11-21T07:20:04.000000Z","file":"a.c","line":14,"msg":"no luck","fmt":"no %s"}
	{"event":"region_leave","sid":"P","thread":"main","time":"2026-11-21T07:20:05.000000Z","file":"a.c","line":15,"nesting":1,"category":"c","label":"outer","t_rel":4.0}
	{"event":"thread_start","sid":"P","thread":"th01:work","time":"2026-11-21T07:20:05.000000Z","file":"a.c","line":16}
	{"event":"thread_exit","sid":"P","thread":"th01:work","time":"2026-11-21T07:20:05.500000Z","file":"a.c","line":17,"t_rel":0.5}
	{"event":"child_start","sid":"P","thread":"main","time":"2026-11-21T07:20:06.000000Z","file":"a.c","line":18,"child_id":0,"child_class":"?","use_shell":false,"argv":["kid","-v"]}
	{"event":"version","sid":"P/C-P0000002a","thread":"main","time":"2026-11-21T07:20:06.500000Z","file":"b.c","line":1,"evt":"4","exe":"1"}
	{"event":"start","sid":"P/C-P0000002a","thread":"main","time":"2026-11-21T07:20:06.500000Z","file":"b.c","line":1,"t_abs":0.0,"argv":["kid","-v"]}
	{"event":"exit","sid":"P/C-P0000002a","thread":"main","time":"2026-11-21T07:20:08.000000Z","file":"b.c","line":1,"t_abs":1.5,"code":3}
	{"event":"atexit","sid":"P/C-P0000002a","thread":"main","time":"2026-11-21T07:20:08.000000Z","file":"b.c","line":1,"t_abs":1.5,"code":3}
	{"event":"child_exit","sid":"P","thread":"main","time":"2026-11-21T07:20:08.000000Z","file":"a.c","line":19,"child_id":0,"pid":42,"code":3,"t_rel":2.0}
	{"event":"exit","sid":"P","thread":"main","time":"2026-11-21T07:20:10.000000Z","file":"a.c","line":20,"t_abs":10.0,"code":0}
	{"event":"timer","sid":"P","thread":"main","time":"2026-11-21T07:20:10.000000Z","file":"a.c","line":20,"category":"t","name":"parse","intervals":3,"t_total":0.6,"t_min":0.1,"t_max":0.3,"histogram":[[0.1,1],[0.25,2]]}
	{"event":"counter","sid":"P","thread":"main","time":"2026-11-21T07:20:10.000000Z","file":"a.c","line":20,"category":"k","name":"files","count":12}
	{"event":"counter","sid":"P","thread":"main","time":"2026-11-21T07:20:10.000000Z","file":"a.c","line":20,"category":"k","name":"bytes","count":12345}
	{"event":"atexit","sid":"P","thread":"main","time":"2026-11-21T07:20:10.000000Z","file":"a.c","line":20,"t_abs":10.0,"code":0}
	EOF
}

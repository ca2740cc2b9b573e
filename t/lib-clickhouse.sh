# SPDX-License-Identifier: MIT
#
# ClickHouse servers started by a test, on loopback; read this after
# lib-export.sh.
#
# shellcheck shell=sh

test_lazy_prereq CLICKHOUSE 'command -v clickhouse-server && test_have_prereq LIBCURL'

# Print four free ports.
free_ports () {
	"$PERL_PATH" -MIO::Socket::INET -e '
		my @s = map { IO::Socket::INET->new(Listen => 1,
			LocalAddr => "127.0.0.1") or die } 1 .. 4;
		print join(" ", map { $_->sockport } @s), "\n"'
}

# prepare_servers: prepare two shards of the cluster "two", in $PWD/s1 and s2.
prepare_servers () {
	# shellcheck disable=SC2046 # four words
	set -- $(free_ports) &&
	url1=http://127.0.0.1:$1 url2=http://127.0.0.1:$2 &&
	write_config s1 "$1" "$3" "$3" "$4" &&
	write_config s2 "$2" "$4" "$3" "$4"
}

# write_config DIR HTTP TCP TCP-OF-1 TCP-OF-2
write_config () {
	mkdir -p "$1" &&
	cat >"$1"/config.xml <<-EOF &&
	<yandex>
	<logger><level>warning</level><log>$PWD/$1/log</log>
	<errorlog>$PWD/$1/errors</errorlog></logger>
	<http_port>$2</http_port><tcp_port>$3</tcp_port>
	<listen_host>127.0.0.1</listen_host>
	<path>$PWD/$1/data/</path><tmp_path>$PWD/$1/tmp/</tmp_path>
	<users_config>$PWD/$1/users.xml</users_config>
	<default_profile>default</default_profile>
	<default_database>default</default_database>
	<mark_cache_size>10000000</mark_cache_size><timezone>UTC</timezone>
	<remote_servers><two>
	<shard><replica><host>127.0.0.1</host><port>$4</port></replica></shard>
	<shard><replica><host>127.0.0.1</host><port>$5</port></replica></shard>
	</two></remote_servers>
	</yandex>
	EOF
	cat >"$1"/users.xml <<-\EOF
	<yandex>
	<profiles><default></default></profiles>
	<users><default><password></password>
	<networks><ip>127.0.0.1</ip></networks>
	<profile>default</profile><quota>default</quota></default></users>
	<quotas><default></default></quotas>
	</yandex>
	EOF
}

# start_server DIR URL: start a server; its pid is in $started.
start_server () {
	{ clickhouse-server --config-file="$PWD/$1/config.xml" \
		>"$1"/out 2>&1 & } &&
	started=$! &&
	wait_until answers "$2"
}

answers () {
	ask "$1" "SELECT 1" >/dev/null 2>&1
}

# ask URL QUERY
ask () {
	"$PERL_PATH" -MHTTP::Tiny -e '
		my ($url, $query) = @ARGV;
		my $r = HTTP::Tiny->new(timeout => 60)->post("$url/",
			{ content => $query });
		print $r->{content};
		exit !$r->{success}' "$1" "$2"
}

# counts URL DATABASE: print the number of rows of each table that is not empty.
counts () {
	for name in ${TABLES#recordings }
	do
		ask "$1" "SELECT '$name', count() FROM $2.$name" || return 1
	done
}

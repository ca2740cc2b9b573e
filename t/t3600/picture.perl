# SPDX-License-Identifier: MIT
#
# picture.perl TRACE2 RECORDING.tar.gz FILE.png: make a picture of the page of
# `trace2 report --html`, for README.md. The archive has build.data, a recording of
# `make -j2` in a build directory that CMake made for googletest.
#
# BROWSER in the environment is the address of a browser that runs already.
use strict;
use warnings;

use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use WebDriver;

my ($trace2, $recording, $file) = @ARGV;
die "usage: picture.perl TRACE2 RECORDING.tar.gz FILE.png\n" if !$file;
my $dir = tempdir('trace2-picture-XXXXXX', TMPDIR => 1, CLEANUP => 1);

system('tar', 'x', '-z', '-f', $recording, '-C', $dir) == 0
	or die "$recording: tar failed\n";
system($trace2, 'report', '--html', "$dir/page.html", "$dir/build.data") == 0
	or die "$trace2 report failed\n";
my $owner = $ENV{BROWSER} ? undef : WebDriver->new;
my $b = WebDriver->attach($owner ? $owner->url : $ENV{BROWSER},
	width => 1280, height => 600);
$b->open("$dir/page.html");
# Select the compiler that runs longest.
$b->mouse('#canvas', 1, [500, 206]);
$b->js('document.querySelector("#canvas").dispatchEvent(
	new PointerEvent("pointerleave"))');
$b->size(1280, $b->js('return Math.ceil(document.querySelector("#details")
	.getBoundingClientRect().bottom) + 8'));
$b->idle while $b->text('#legend-of') =~ /^(?:|All threads:)$/;
$b->screenshot($file);

# SPDX-License-Identifier: MIT
#
# Run a command, and print how it ended, `signal N` or `code N`. The caller of
# the suite may have ignored signals, as a shell does in the background.
#
#	ends-by.perl COMMAND...
use strict;
BEGIN { $^W = 1 }

$SIG{$_} = 'DEFAULT' for qw(HUP INT QUIT PIPE ALRM TERM USR1 USR2);
system { $ARGV[0] } @ARGV;
print $? & 127 ? 'signal ' . ($? & 127) : 'code ' . ($? >> 8), "\n";

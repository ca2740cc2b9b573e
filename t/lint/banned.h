/* SPDX-License-Identifier: MIT */
/*
 * Functions that must not be used: a developer's build includes this before
 * each file, and a call of one is an error with its name and the reason. The
 * library may use fewer functions than the command, and tests may use more.
 * banned.perl checks calls whose permission depends on the place.
 *
 * The headers that declare the functions are included first. A name in
 * parentheses is not expanded: (signal)(…) is a call on purpose.
 */
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#undef strcpy
#undef strcat
#undef stpcpy
#undef sprintf
#undef vsprintf
#undef strtok
#undef alloca
#undef signal

#define strcpy(...) banned_strcpy_knows_no_end_of_its_buffer
#define strcat(...) banned_strcat_knows_no_end_of_its_buffer
#define stpcpy(...) banned_stpcpy_knows_no_end_of_its_buffer
#define sprintf(...) banned_sprintf_knows_no_end_of_its_buffer
#define vsprintf(...) banned_vsprintf_knows_no_end_of_its_buffer
#define gets(...) banned_gets_knows_no_end_of_its_buffer
#define strtok(...) banned_strtok_is_shared_between_threads
#define asctime(...) banned_asctime_is_shared_between_threads
#define ctime(...) banned_ctime_is_shared_between_threads
#define alloca(...) banned_alloca_runs_off_the_stack
#define tmpnam(...) banned_tmpnam_lets_others_make_the_file_first
#define mktemp(...) banned_mktemp_lets_others_make_the_file_first
#define tempnam(...) banned_tempnam_lets_others_make_the_file_first
#define system(...) banned_system_asks_a_shell
#define sleep(...) banned_sleep_waits_for_time_and_not_for_what_happens
#define usleep(...) banned_usleep_waits_for_time_and_not_for_what_happens

#ifndef TR2_IN_TESTS
#define signal(...) banned_signal_differs_between_libcs_use_sigaction
#define vfork(...) banned_vfork_shares_the_stack_use_posix_spawn
#endif

#ifdef TR2_IN_LIBRARY
#include <grp.h>
#include <locale.h>
#include <pwd.h>
#include <sys/stat.h>

#define localtime(...) banned_localtime_is_shared_between_threads
#define gmtime(...) banned_gmtime_is_shared_between_threads
#define strerror(...) banned_strerror_is_shared_between_threads
#define getpwuid(...) banned_getpwuid_is_shared_between_threads
#define getpwnam(...) banned_getpwnam_is_shared_between_threads
#define setlocale(...) banned_setlocale_is_the_host_s_own
#define popen(...) banned_popen_asks_a_shell
#define chdir(...) banned_chdir_is_the_host_s_own
#define umask(...) banned_umask_is_the_host_s_own
#define alarm(...) banned_alarm_is_the_host_s_own
#endif

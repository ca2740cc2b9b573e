/* SPDX-License-Identifier: MIT */
/*
 * check - the parts of `trace2 check`. All return an exit code.
 */
#ifndef TR2_CMD_CHECK_H
#define TR2_CMD_CHECK_H

int tr2_check_env(void);
int tr2_check_send(void);

#endif

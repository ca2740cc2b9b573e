/* SPDX-License-Identifier: MIT */
/*
 * params - the config keys and variables that the settings ask to be told, as
 * def_param events.
 */
#ifndef TR2_SESSION_PARAMS_H
#define TR2_SESSION_PARAMS_H

#include "thread/emit.h"

/* Each once a session. */
void tr2_params_list_config(struct tr2_call *call);
void tr2_params_list_env(struct tr2_call *call);

/* A key that the program sets, if it was asked for. */
void tr2_params_set_config(struct tr2_call *call, const char *key,
			   const char *value);

/* value NULL: left out. Hidden where the name says that it is a secret. */
void tr2_params_emit(struct tr2_call *call, const char *param,
		     const char *value, const char *scope);

#endif

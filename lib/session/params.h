/* SPDX-License-Identifier: MIT */
/*
 * params - emit the config keys and variables that the settings ask for, as
 * def_param events, and the system's data about this process.
 */
#pragma once

#include "thread/emit.h"

/* Each function works once a session. */
void tr2_params_list_config(struct tr2_call *call);
void tr2_params_list_env(struct tr2_call *call);

/* Return whether the settings ask for a key of the configuration; NULL: for any
 * key. */
bool tr2_params_wants_config(const char *key);

/* Emit a key that the program sets, if the settings ask for it. */
void tr2_params_set_config(struct tr2_call *call, const char *key,
			   const char *value);

/* Emit def_param. value NULL: the event has no value. The value is redacted if
 * the name is a name of secrets. */
void tr2_params_emit(struct tr2_call *call, const char *param,
		     const char *value, const char *scope);

/* Emit cmd_ancestry from /proc, or nothing if /proc cannot be read. */
void tr2_process_emit_ancestry(struct tr2_call *call);

/* Emit data of category process: peak memory and CPU times so far. */
void tr2_process_emit_usage(struct tr2_call *call);

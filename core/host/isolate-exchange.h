/* One call of the process of a stage, with its return: what it asks meanwhile is answered. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_ISOLATE_EXCHANGE_H
#define HOST_ISOLATE_EXCHANGE_H

#include "host/remote.h"

/* What each message of the program begins with. */
void exchange_begin(Instance *i, int64_t what, Summary *out);
/* Sends the message and hears the return, which is the caller's to clear. */
Error *exchange_send(Instance *i, uint32_t phase, const char *doing, Summary *message,
                     Summary *out);
/* Only hears it: nobody calls a process that has just begun. */
Error *exchange_hear(Instance *i, uint32_t phase, Summary *out);
/* What each return begins with: the error of the call, or NULL. */
Error *exchange_take(Instance *i, Summary *message);
/* A return that is none: the process is ended. */
Error *exchange_garbled(Instance *i);

#endif

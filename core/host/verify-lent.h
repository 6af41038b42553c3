/* What the program lends to a module to read, for --verify: its options, texts that calls gave. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_VERIFY_LENT_H
#define HOST_VERIFY_LENT_H

#include "host/state.h"

void lent_options(Instance *i, const void *options);
/* A text that a call of the host gives away; NULL is fine. */
void lent_text(Instance *i, const char *text);
/* After a call: the instance has failed when it wrote into any of it. */
void lent_check(Instance *i);
void lent_free(Instance *i);

#endif

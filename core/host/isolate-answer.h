/* What the process of a stage asks the program, answered as the host does. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_ISOLATE_ANSWER_H
#define HOST_ISOLATE_ANSWER_H

#include "host/instance.h"

/* `asked` is broken where it is no question.  Names and tracks that the answer makes are news for the process. */
void isolate_answer(Instance *i, Summary *asked, Summary *out);

#endif

/* A case that was read, given to the harness item by item. */
/* SPDX-License-Identifier: MIT */
#ifndef HARNESS_CASE_PLAY_H
#define HARNESS_CASE_PLAY_H

#include "case-file.h"

/* What does not hold is complained of, with its place. */
void case_play_item(const CaseFile *f, const CaseItem *item);

#endif

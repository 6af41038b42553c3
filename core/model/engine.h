/* What the engine itself reports. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ENGINE_H
#define MODEL_ENGINE_H

#include "model/notice.h"

/* Oddities that the engine itself counts. */
enum {
  ENGINE_DUPLICATE_RANK = 20,
  ENGINE_SKIPPED = 21,
  ENGINE_DEPRECATED = 22,
  ENGINE_UNKNOWN_TAG = 23,
  ENGINE_UNKNOWN_BASE = 24,
  ENGINE_CLIPPED = 25,
  ENGINE_UNSEEN = 26,
  ENGINE_LEFT_OUT = 27,
  ENGINE_HELPER_MISSING = 28,
  ENGINE_EMPTY = 29,
  ENGINE_NO_LABEL = 35,
  ENGINE_RULE = 36,
  ENGINE_COPY = 37,
  ENGINE_BESIDE = 38
};
const Descriptor *engine_stage(void);
/* Counts one of them.  Pairs of a name and its text follow, and NULL. */
void engine_note(Notices *notices, uint32_t number, uint32_t lane, ...) G_GNUC_NULL_TERMINATED;

#endif

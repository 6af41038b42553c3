/* The two sides of a comparison, by the labels of its inputs: base=A.json new=B.json. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_SIDES_H
#define TORCH_LIB_SIDES_H

#include <stagemill/stage.h>

enum { BASE, NEW, N_SIDES };
extern const char *const side_names[N_SIDES];

/* That of the lane at hand; negative: it has none, and the stage has failed with the notice. */
int sides_find(const MillHost *common, uint32_t notice);
/* Fails with the notice where a side has no lane; 0: both have. */
int sides_check(const MillHost *common, uint32_t notice, const bool any[N_SIDES]);
int sides_wrong(const MillHost *common, uint32_t notice, const char *what);

#define SIDES_NOTICE(number, more)                                                                \
  MILL_ERROR(number, "the traces need one side labelled base and one labelled new",               \
             "name both runs: base=A.json new=B.json",                                            \
             "The stage compares two runs. Write a label before each input, as in base=A.json "   \
             "new=B.json; if the input is a folder, all its ranks have the label. " more)

#endif

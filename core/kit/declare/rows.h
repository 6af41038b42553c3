/* What the descriptor of a stage declares, where the arrays of rows have the names of its fields. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_DECLARE_ROWS_H
#define KIT_DECLARE_ROWS_H

#include <stagemill/stage.h>

/* OWN_ROWS(options, notices, tables) is .options = MILL_ROWS(options), .notices = MILL_ROWS(notices), ... */
#define OWN_ROWS_1(a) .a = MILL_ROWS(a)
#define OWN_ROWS_2(a, ...) OWN_ROWS_1(a), OWN_ROWS_1(__VA_ARGS__)
#define OWN_ROWS_3(a, ...) OWN_ROWS_1(a), OWN_ROWS_2(__VA_ARGS__)
#define OWN_ROWS_4(a, ...) OWN_ROWS_1(a), OWN_ROWS_3(__VA_ARGS__)
#define OWN_ROWS_5(a, ...) OWN_ROWS_1(a), OWN_ROWS_4(__VA_ARGS__)
#define OWN_ROWS_6(a, ...) OWN_ROWS_1(a), OWN_ROWS_5(__VA_ARGS__)
#define OWN_ROWS_OF(a, b, c, d, e, f, macro, ...) macro
#define OWN_ROWS(...)                                                                              \
  OWN_ROWS_OF(__VA_ARGS__, OWN_ROWS_6, OWN_ROWS_5, OWN_ROWS_4, OWN_ROWS_3, OWN_ROWS_2, OWN_ROWS_1, ) \
  (__VA_ARGS__)

/* Attributes of records, for `reads`. */
#define RECORD_TEXT(name) { (name), MILL_AS_TEXT, MILL_KIND(MILL_RECORD) }
#define RECORD_INT(name) { (name), MILL_AS_INT, MILL_KIND(MILL_RECORD) }
#define RECORD_REAL(name) { (name), MILL_AS_REAL, MILL_KIND(MILL_RECORD) }

#endif

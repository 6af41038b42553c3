/* A stage's mergeable state as bytes: integers, reals and texts, each with a type mark. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SUMMARY_H
#define MODEL_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/budget.h"

typedef struct Summary {
  uint8_t *bytes;
  size_t len, max;
  Budget *budget; /* NULL: what is put in is not charged */
  size_t charged;
  size_t pos;  /* of reading */
  bool broken; /* read past its end or as another type */
} Summary;

void summary_clear(Summary *s); /* frees */
void summary_put_int(Summary *s, int64_t v);
void summary_put_real(Summary *s, double v);
void summary_put_text(Summary *s, const char *text, size_t len);
void summary_put_string(Summary *s, const char *text); /* may be NULL */
void summary_set_bytes(Summary *s, const void *bytes, size_t len, Budget *budget); /* of another one; copied */
void summary_rewind(Summary *s);
/* 0, 0.0 or "" when broken. */
int64_t summary_get_int(Summary *s);
double summary_get_real(Summary *s);
const char *summary_get_text(Summary *s, size_t *out_len);
char *summary_get_string(Summary *s); /* for the caller to free; NULL: it was */
/* An int that many items of at least min_bytes each can follow; else 0, and broken. */
uint64_t summary_get_count(Summary *s, size_t min_bytes);
bool summary_more(const Summary *s);

#endif

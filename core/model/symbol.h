/* Interned strings: one table for the whole run, read without locks, shared by all threads. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SYMBOL_H
#define MODEL_SYMBOL_H

#include <stagemill/types.h>

#include "model/budget.h"

typedef struct Symbols Symbols;

Symbols *symbols_new(void); /* symbol 0 is the empty string */
/* Charges whatever comes. */
void symbols_charge_to(Symbols *s, Budget *budget);
void symbols_free(Symbols *s);
MillSym symbols_intern(Symbols *s, const char *text, size_t len);
bool symbols_find(const Symbols *s, const char *text, size_t len, MillSym *out); /* adds nothing */
/* Around a fork: nobody adds any meanwhile, and the child has all that there are. */
void symbols_hold(Symbols *s);
void symbols_release(Symbols *s);
const char *symbols_text(const Symbols *s, MillSym sym, size_t *out_len); /* ends in NUL */
uint32_t symbols_count(const Symbols *s);
size_t symbols_bytes(const Symbols *s); /* memory held */

#endif

/* Interned strings: one table for the whole run, read without locks, shared by all threads. */
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
const char *symbols_text(const Symbols *s, MillSym sym, size_t *out_len); /* ends in NUL */
uint32_t symbols_count(const Symbols *s);
size_t symbols_bytes(const Symbols *s); /* memory held */

#endif

/* Rows of metadata of several ranks: names and orders of processes that viewers show, by rank. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_CHROME_ROWS_H
#define KIT_CHROME_ROWS_H

#include "kit/chrome/event.h"

/* Names of what says where a thing was before ranks were merged begin so. */
#define ORIGINAL "original "

void rows_init(EventWriter *w);
/* True: the row about a process was understood, and is written with the others of its lane. */
bool rows_take(EventWriter *w, const MillEvent *e);
/* The same of a row that a stage made, which wins over what the input says. */
bool rows_take_made(EventWriter *w, const MillBatch *b, const MillEvent *e);
/* The name of a thread, with its rank. */
void rows_put_thread(EventWriter *w, const Member *name);
/* Rows that name and order the processes of all lanes that were seen, each after `join` but the
 * first when nothing was written before it. */
void rows_write(const Ranks *r, Text *text, const char *join, bool any);

#endif

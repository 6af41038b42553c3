/* What a stage sees of a batch under --verify: copies of its events and attributes that end at guarded pages, without
 * the attributes that it did not ask for. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_VERIFY_VIEW_H
#define HOST_VERIFY_VIEW_H

#include "host/state.h"

typedef struct View {
  MillEvent *events, *own_events; /* the copy, and the batch's own */
  MillAttr *attrs, *own_attrs;    /* the copy is NULL once the batch has its own again */
  uint32_t n_events, n_attrs;
  GArray *hidden; /* MillAttr: of each row that is hidden now, what is in it; others are not valid */
} View;

void view_begin(View *v, const Instance *i, Batch *b);
/* Everything of it is in the batch's own rows. */
void view_end(View *v, Batch *b);
/* The program is about to add attributes: the batch has its own rows from here on. */
void view_leave_attrs(View *v, Batch *b);
/* Around what the program itself does with the attributes of one event. */
void view_reveal(const View *v, Batch *b, const MillEvent *e);
void view_hide(View *v, const Instance *i, Batch *b, const MillEvent *e);
void view_reveal_all(const View *v, Batch *b);

#endif

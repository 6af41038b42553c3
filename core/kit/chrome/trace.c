/* Events into a document; see trace.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/chrome/trace.h"

#define PIECE_BYTES (128u << 10)
#define KEPT_BYTES (1u << 20) /* a huge event must not hold its memory for the rest of the run */

bool trace_compose(EventWriter *w, const MillBatch *b, uint32_t index)
{
  EventFate fate = event_write(w, b, &b->events[index]);
  if (fate == EVENT_UNFIT) w->common->note(w->common, TRACE_UNFIT, b, index, NULL, 0);
  if (fate == EVENT_REPAIRED) w->common->note(w->common, TRACE_MENDED, b, index, NULL, 0);
  return fate != EVENT_UNFIT && fate != EVENT_WAITS;
}

int trace_flush(const Frame *f, Document *d, EventWriter *w)
{
  int status = document_flush(f, d);
  if (w->old.capacity > KEPT_BYTES) text_free(&w->old);
  return status;
}

int trace_write(const Frame *f, Document *d, EventWriter *w, const MillBatch *b, uint32_t index)
{
  size_t mark = d->text.len;
  bool any = d->any;
  if (!f->bare) document_join(d);
  if (!trace_compose(w, b, index)) {
    d->text.len = mark;
    d->any = any;
  } else if (f->bare) {
    text_literal(&d->text, ",\n");
  }
  return d->text.len < PIECE_BYTES ? 0 : trace_flush(f, d, w);
}

/* Asynchronous events in place of slices; see overlap-async.h. */
/* SPDX-License-Identifier: MIT */
#include "overlap-async.h"

#include <string.h>

#include "base/num-digits.h"
#include "kit/numbers/interval.h"
#include "kit/text/symbol.h"
#include "kit/text/words.h"

#define MOST_ID (UINT64_C(1) << 62) /* larger ones are hashes; the next is then beside them */

void async_open(Async *a, const MillHost *common)
{
  *a = (Async){ .common = common };
  a->request_key = symbol_of(common, "reqID");
}

void async_see(Async *a, const MillEvent *e)
{
  bool is_async = e->kind >= MILL_ASYNC_BEGIN && e->kind <= MILL_ASYNC_END;
  if (is_async && e->id < MOST_ID && e->id >= a->next_id) a->next_id = e->id + 1;
}

bool async_make(Async *a, const MillStageHost *host, MillBatch *b, uint32_t i)
{
  MillEvent *e = &mill_events(b)[i];
  MillEvent end = { .kind = MILL_ASYNC_END, .name = e->name, .cat = e->cat, .track = e->track };
  end.ts_ns = interval_end(e->ts_ns, e->dur_ns);
  end.dur_ns = -1;
  end.id_kind = MILL_ID_INT;
  end.id = a->next_id++;
  mill_set_kind(e, MILL_ASYNC_BEGIN);
  mill_set_id(e, MILL_ID_INT, end.id);
  mill_set_dur(e, -1);
  return host->emit(host, b, i, &end) != MILL_FAILED;
}

/* ---- names */

/* The length of "_12_", "_12 " or "_12-" at the beginning of the text, or 0. */
static size_t request_at(const char *text, size_t len)
{
  size_t n = 1;
  if (len < 3 || text[0] != '_') return 0;
  while (n < len && is_digit(text[n])) n++;
  if (n == 1 || n == len) return 0;
  return text[n] == '_' || text[n] == ' ' || text[n] == '-' ? n + 1 : 0;
}

/* The new name; *out_request is that of the first number, or 0. */
static MillSym strip(const Async *a, MillSym name, MillSym *out_request)
{
  size_t len, n = 0;
  const char *text = a->common->symbol_text(a->common, name, &len);
  *out_request = 0;
  char *out = words_have(text, len, "Recv_") ? NULL : a->common->scratch(a->common, len + 1);
  if (!out) return name;
  for (size_t at = 0, match; at < len; at += match ? match : 1) {
    match = request_at(text + at, len - at);
    out[n++] = match ? ' ' : text[at];
    if (match && *out_request == 0)
      *out_request = a->common->intern(a->common, text + at + 1, match - 2);
  }
  return *out_request ? a->common->intern(a->common, out, n) : name;
}

int async_strip_name(Async *a, const MillStageHost *host, MillBatch *b, uint32_t i)
{
  MillSym from = b->events[i].name, to, request;
  if (!symmap_get(&a->names, from, &to) || !symmap_get(&a->requests, from, &request)) {
    to = strip(a, from, &request);
    symmap_put(a->common, &a->names, from, to);
    symmap_put(a->common, &a->requests, from, request);
  }
  if (request == 0) return 0;
  mill_set_name(&mill_events(b)[i], to);
  return host->set(host, b, i, a->request_key, mill_sym(request));
}

/* What is not a result of a benchmark, but lies where results do: checked and skipped. */
/* SPDX-License-Identifier: MIT */
#include "notices.h"
#include "source.h"

/* An object or a list may be longer than memory. */
static bool pass_value(Window *w)
{
  bool first = true;
  if (window_peek(w) != '{') return window_pass(w);
  w->p++;
  while (window_key(w, &first))
    if (!window_pass(w)) return false;
  return w->status == 0;
}

static bool is_result(const Window *w)
{
  return kind_of(w->p, (size_t)(w->end - w->p)).format != FORMAT_NONE;
}

/* To the end of the input, or to a result.  False: failed. */
static bool pass_all(Window *w, bool *out_result)
{
  *out_result = false;
  while (!*out_result && window_peek(w) >= 0) {
    if (!window_ensure(w, KIND_BYTES)) return false;
    *out_result = is_result(w);
    if (!*out_result && !pass_value(w)) return false;
  }
  return w->status == 0;
}

/* A file of something else is a companion; something else among results is a fault. */
bool read_foreign(Source *s)
{
  Window *w = &s->window;
  WindowPlace here = window_place(w, w->p);
  bool object = *w->p == '{', mixed = s->has_runs;
  if (!pass_value(w)) return false;
  if (!mixed && !pass_all(w, &mixed)) return false;
  if (mixed)
    return window_fail_at(w, BENCH_NO_RESULT, here, "there is no result of a known benchmark here",
                          object ? "none of its keys is known" : "a result is a JSON object");
  s->is_foreign = true;
  s->common->note(s->common, BENCH_FOREIGN, NULL, MILL_NO_EVENT, NULL, 0);
  return true;
}

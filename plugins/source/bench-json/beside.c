/* What AIPerf says of a whole run, in a file beside its requests: tags, totals and rates. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/folder.h"
#include "notices.h"
#include "source.h"

#define OF_REQUESTS ".jsonl"
#define OF_TOTALS "_aiperf.json"

/* X_aiperf.json of X.jsonl, each perhaps compressed; NULL: there is none. */
static char *path_beside(const Source *s)
{
  static const char *const packed[] = { "", ".gz", ".zst" };
  MillLane lane = { .size = sizeof lane };
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  size_t len = lane.path ? name_plain_len(lane.path) : 0, ending = strlen(OF_REQUESTS);
  if (len <= ending || memcmp(lane.path + len - ending, OF_REQUESTS, ending) != 0) return NULL;
  for (size_t i = 0; i < G_N_ELEMENTS(packed); i++) {
    g_autofree char *path =
        g_strdup_printf("%.*s" OF_TOTALS "%s", (int)(len - ending), lane.path, packed[i]);
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR)) return g_steal_pointer(&path);
  }
  return NULL;
}

static bool unreadable(Source *s, const char *why)
{
  return window_fail_at(&s->window, BENCH_BESIDE, (WindowPlace){ 1, 1 }, NULL, why);
}

/* The one object of the file, which is entered. */
static bool read_file(Source *s)
{
  Window *w = &s->window;
  if (window_peek(w) < 0) return w->status ? false : unreadable(s, "it is empty");
  if (!window_ensure(w, KIND_BYTES)) return false;
  if (kind_of(w->p, (size_t)(w->end - w->p)).format != FORMAT_METRICS)
    return unreadable(s, "it has no metrics of AIPerf");
  if (!read_totals(s)) return false;
  if (window_peek(w) >= 0)
    return window_fail(w, BENCH_NOT_JSON, w->p, NULL, "expected the end of the file");
  return w->status == 0;
}

static const char *wrong_total(const Run *r, int64_t duration_ns)
{
  int64_t told = r->totals[TOTAL_DURATION];
  bool both = told != ABSENT && duration_ns != ABSENT;
  if (both && fabs((double)told - (double)duration_ns) > (double)duration_ns / 100)
    return "duration";
  return run_wrong_total(r);
}

/* The requests say the same in detail, or are right where it is not the same. */
static void take_over(Source *s, const int64_t *of_requests, double user_rate)
{
  Run *r = &s->run;
  const char *wrong = wrong_total(r, of_requests[TOTAL_DURATION]);
  g_array_set_size(r->stats, 0);
  g_array_set_size(r->error_kinds, 0);
  if (wrong) {
    const MillNamed named[] = { { "total", mill_text(wrong, strlen(wrong)) } };
    s->common->note(s->common, BENCH_DIFFERS, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
  }
  for (int i = 0; i < N_TOTALS; i++)
    if (wrong || r->totals[i] == ABSENT) r->totals[i] = of_requests[i];
  for (int i = 0; i < N_RATES && wrong; i++) r->rates[i] = -1;
  if (user_rate >= 0) r->rates[RATE_USER] = user_rate;
}

bool read_beside(Source *s)
{
  Run *r = &s->run;
  const char *why = NULL;
  int64_t of_requests[N_TOTALS];
  double user_rate = r->rates[RATE_USER];
  g_free(s->beside);
  s->beside = path_beside(s);
  if (!s->beside) return true;
  int status = s->host->enter(s->host, s->beside, &why);
  window_enter(&s->window, s->beside);
  if (status) return unreadable(s, why);
  memcpy(of_requests, r->totals, sizeof of_requests);
  for (int i = 0; i < N_TOTALS; i++) r->totals[i] = ABSENT;
  if (!read_file(s)) return false;
  take_over(s, of_requests, user_rate);
  return true;
}

/* Raw times in ns of every request and its responses, in experiments: each is a run. */
/* SPDX-License-Identifier: MIT */
#include "notices.h"
#include "source.h"

enum { PART_START, PART_TIMES, PART_OUTPUTS, N_PARTS };

/* The message that ends a stream brings no token, and neither does an empty one. */
static bool brings_output(Source *s, const JsonToken *output)
{
  JsonCursor c;
  JsonToken key, value;
  if (output->kind != JSON_OBJECT) return true;
  members_of(&c, output);
  while (member_next(&c, &key, &value)) {
    if (!json_is(&key, "response") || value.kind != JSON_STRING) continue;
    g_string_truncate(s->scratch, 0);
    json_value_text(&value, s->scratch);
    return s->scratch->len > 0 && !strstr(s->scratch->str, "[DONE]");
  }
  return true;
}

static bool add_response(Source *s, const JsonToken *time, Row *row, int64_t *io_last_ns)
{
  Window *w = &s->window;
  int64_t ns, start = row->values[COL_START];
  if (!value_scaled(w, "response_timestamps", time, 0, &ns)) return false;
  if (ns < start || ns < *io_last_ns)
    return window_fault(w, "response_timestamps", time->start,
                        "responses are not in the order of time",
                        "one is earlier than the one before it");
  if (*io_last_ns == ABSENT)
    row->values[COL_TTFT] = ns - start;
  else
    gaps_push(&s->run.gaps, ns - *io_last_ns);
  row->values[COL_E2E] = ns - start;
  *io_last_ns = ns;
  return true;
}

static bool add_responses(Source *s, const JsonToken *parts, Row *row)
{
  JsonCursor times, outputs;
  JsonToken time, output;
  int64_t last_ns = ABSENT;
  bool has_outputs = parts[PART_OUTPUTS].kind == JSON_ARRAY;
  if (parts[PART_TIMES].kind != JSON_ARRAY) return true;
  members_of(&times, &parts[PART_TIMES]);
  if (has_outputs) members_of(&outputs, &parts[PART_OUTPUTS]);
  while (element_next(&times, &time)) {
    has_outputs = has_outputs && element_next(&outputs, &output);
    if (has_outputs && !brings_output(s, &output)) continue;
    if (!add_response(s, &time, row, &last_ns)) return false;
  }
  return true;
}

static bool read_request(Source *s, int64_t *io_first_ns, int64_t *io_last_ns)
{
  static const char *const names[N_PARTS] = { "timestamp", "response_timestamps",
                                              "response_outputs" };
  JsonToken object, parts[N_PARTS];
  Row row = run_row();
  int64_t *start = &row.values[COL_START];
  if (!window_value(&s->window, &object)) return false;
  if (object.kind != JSON_OBJECT)
    return window_fail(&s->window, BENCH_NOT_JSON, object.start, "the result is not valid JSON",
                       "expected a request's object");
  last_members(s, &object, names, N_PARTS, parts);
  if (!value_scaled(&s->window, "timestamp", &parts[PART_START], 0, start)) return false;
  if (!add_responses(s, parts, &row)) return false;
  if (row.values[COL_E2E] == ABSENT)
    run_error(&s->run, s->run.n_requests, "no response", 11);
  else
    *io_last_ns = MAX(*io_last_ns, *start + row.values[COL_E2E]);
  if (*io_first_ns == ABSENT || *start < *io_first_ns) *io_first_ns = *start;
  run_add(&s->run, &row);
  return true;
}

static bool read_requests(Source *s)
{
  Window *w = &s->window;
  bool first = true;
  int64_t first_ns = ABSENT, last_ns = ABSENT;
  if (!window_open(w, '[')) return false;
  while (window_element(w, &first))
    if (!read_request(s, &first_ns, &last_ns)) return false;
  if (last_ns != ABSENT) s->run.totals[TOTAL_DURATION] = last_ns - first_ns;
  return w->status == 0;
}

/* {"mode": "concurrency", "value": 8} */
static bool read_mode(Source *s)
{
  static const char *const names[] = { "mode", "value" };
  JsonToken object, found[2];
  if (!window_value(&s->window, &object)) return false;
  if (object.kind != JSON_OBJECT) return true;
  last_members(s, &object, names, 2, found);
  if (found[1].len == 0) return true;
  if (json_is(&found[0], "concurrency")) tag_value(s, "max_concurrency", &found[1], true);
  if (json_is(&found[0], "request_rate")) tag_value(s, "request_rate", &found[1], true);
  return true;
}

/* The list may be there twice: the last one counts. */
static void drop_requests(Source *s)
{
  bench_duplicate(s);
  run_drop_requests(&s->run);
  window_forget_all(&s->window);
}

static bool read_experiment(Source *s)
{
  Window *w = &s->window;
  bool first = true, any = false;
  if (!window_open(w, '{')) return false;
  while (window_key(w, &first)) {
    bool ok;
    if (strcmp(w->key->str, "requests") == 0) {
      if (any) drop_requests(s);
      any = true;
      ok = read_requests(s);
    } else if (strcmp(w->key->str, "experiment") == 0) {
      ok = read_mode(s);
    } else {
      ok = window_skip(w);
    }
    if (!ok) return false;
  }
  s->run.detailed = true;
  return window_faultless(w) && run_finish(&s->run, w);
}

/* At the first experiment. */
static bool find_experiments(Source *s)
{
  Window *w = &s->window;
  const char *why = "the object has no experiments";
  s->first_member = s->first_element = true;
  if (!window_open(w, '{')) return false;
  while (window_key(w, &s->first_member)) {
    if (strcmp(w->key->str, "experiments") != 0) {
      if (!window_skip(w)) return false;
      continue;
    }
    if (!window_open(w, '[')) return false;
    if (window_element(w, &s->first_element)) return true;
    why = "the list of experiments is empty";
    break;
  }
  return window_fail(w, BENCH_NO_RESULT, w->p, "there is no result of a known benchmark here", why);
}

bool read_responses(Source *s)
{
  if (!s->in_list && !find_experiments(s)) return false;
  s->in_list = true;
  return read_experiment(s);
}

bool more_responses(Source *s)
{
  Window *w = &s->window;
  if (window_element(w, &s->first_element)) return true;
  s->in_list = false;
  while (window_key(w, &s->first_member)) {
    if (strcmp(w->key->str, "experiments") == 0)
      return window_fail(w, BENCH_BAD_VALUE, w->p, "\"experiments\" is duplicated",
                         "the runs of the first one are read already");
    if (!window_skip(w)) return false;
  }
  return false;
}

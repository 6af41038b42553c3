/* Events that are not plain: validated, repaired and counted, or the reason why they cannot be. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/num.h"
#include "parser.h"

const char *jsn_input_name(const Source *s)
{
  MillLane lane = { .size = sizeof lane };
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  return lane.name && *lane.name ? lane.name : "the input";
}

char *jsn_where(const Source *s, const MillBlock *block, const char *at)
{
  char count[NUM_BUF], byte[NUM_BUF];
  uint64_t offset = block->offset + (uint64_t)(at - block->bytes);
  num_format_count(byte, (int64_t)offset);
  num_format_count(count, (int64_t)(s->n_before + s->n_events));
  return g_strdup_printf("after %s complete events, at byte %s of the uncompressed text", count,
                         byte);
}

int jsn_fail(Source *s, uint32_t number, const char *what, const char *where, const char *why,
             const char *help)
{
  MillFailure f = { .size = sizeof f,
                    .status = number == JSN_ATTR_LIMIT ? MILL_LIMIT : MILL_BAD_INPUT,
                    .number = number,
                    .line = __LINE__,
                    .file = __FILE__,
                    .what = what,
                    .where = where,
                    .why = why,
                    .help = help };
  return s->common->fail(s->common, &f);
}

static int fail_at(Source *s, uint32_t number, const MillBlock *block, const char *at,
                   const char *what, const char *why, const char *help)
{
  g_autofree char *where = jsn_where(s, block, at);
  g_autofree char *text = g_strdup_printf("%s: %s", jsn_input_name(s), what);
  return jsn_fail(s, number, text, where, why, help);
}

bool jsn_repair(Source *s, const MillBlock *block, const char *at, uint32_t number,
                const char *what)
{
  if (!s->strict && s->part) return true; /* the first part has counted it */
  if (!s->strict) {
    s->common->note(s->common, number, NULL, MILL_NO_EVENT, NULL, 0);
    return true;
  }
  if (!s->is_fork)
    fail_at(s, JSN_STRICT, block, at, what, NULL, "leave out --strict to have it repaired");
  return false;
}

/* A fork may have begun at a wrong place, so that what it meets is not a verdict on the input. */
static EventStatus refuse(Source *s, uint32_t number, const MillBlock *block, const char *at,
                          const char *why)
{
  if (!s->is_fork)
    fail_at(s, number, block, at, "an event is not valid JSON", why,
            number == JSN_STRICT ? "leave out --strict to have what is unambiguous repaired"
                                 : NULL);
  return EVENT_FAILED;
}

bool jsn_check_strict(Source *s, const MillBlock *block, const char *p, const char *end)
{
  const char *at = p, *why = NULL;
  if (json_check(p, (size_t)(end - p), &at, &why)) return true;
  refuse(s, JSN_STRICT, block, at, why);
  return false;
}

static EventStatus parse_repaired(Source *s, const MillBlock *block, const char *p,
                                  MillBatch *batch, unsigned fixes)
{
  size_t len = s->repaired->len;
  const char *ignored;
  uint32_t off = s->host->own_text(s->host, batch, s->repaired->str, len);
  for (size_t i = 0; i < SCAN_PAD; i++) g_string_append_c(s->repaired, (char)0xff);
  Text text = { s->repaired->str, off, MILL_ATTR_OWN, true };
  uint32_t notes = fixes & (NOTE_BIT(JSN_DUPLICATE_KEY) - 1); /* the first bits are JSON_FIX_* */
  EventStatus status = s->event(s, &text, text.base, text.base + len, batch, &ignored, notes);
  if (status == EVENT_ODD) return refuse(s, JSN_BAD_EVENT, block, p, "an object was expected");
  return status;
}

EventStatus jsn_event_slow(Source *s, const MillBlock *block, const char *p, MillBatch *batch,
                           const char **out_end)
{
  bool odd = false;
  const char *why = NULL, *at = p;
  unsigned fixes = 0;
  const char *end = s->container(p, block->bytes + block->len, &odd);
  if (!end) return EVENT_MORE;
  *out_end = end;
  if (json_check(p, (size_t)(end - p), &at, &why)) {
    Text text = { block->bytes, 0, 0, true };
    EventStatus status = s->event(s, &text, p, end, batch, out_end, 0);
    return status == EVENT_ODD ? refuse(s, JSN_BAD_EVENT, block, p, "an object was expected")
                               : status;
  }
  if (s->strict) return refuse(s, JSN_STRICT, block, at, why);
  g_string_truncate(s->repaired, 0);
  if (!json_repair(p, (size_t)(end - p), s->repaired, &fixes)) {
    JsonCursor r;
    JsonToken token;
    json_open(&r, p, (size_t)(end - p), false);
    while (json_next(&r, &token) > JSON_ERROR) continue;
    return refuse(s, JSN_BAD_EVENT, block, r.error_at ? r.error_at : at, r.error ? r.error : why);
  }
  return parse_repaired(s, block, p, batch, fixes);
}

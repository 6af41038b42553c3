/* What annotations of inference engines say; see serve-steps.h.
 *
 * vLLM:   execute_context_1(512)_generation_3(3), also with the number of tokens before context, and with sums over
 *         requests in the brackets: sq of query lengths, sk of key lengths, sqsq and sqsk of their products
 * SGLang: step[DECODE bs=32], with toks and these sums where they are known */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/serve-steps.h"

#include <string.h>

#include "base/num-digits.h"
#include "kit/numbers/interval.h"
#include "kit/state/grow.h"
#include "kit/state/search.h"

const char *const serve_phase_names[N_SERVE_PHASES] = { "prefill", "decode", "mixed" };

typedef struct Cursor {
  const char *at, *end;
} Cursor;

static bool skip(Cursor *c, const char *word)
{
  const size_t n = strlen(word);
  if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0) return false;
  c->at += n;
  return true;
}

/* At most so much that products and sums of them stay within an int64. */
static bool number(Cursor *c, int64_t *out)
{
  uint64_t n;
  const char *after = digits_scan(c->at, c->end, 10, INT64_MAX / 4, &n);
  if (!after || after == c->at) return false;
  c->at = after;
  *out = (int64_t)n;
  return true;
}

/* ---- sums by name */

typedef enum Sum { SUM_TOKENS, SUM_SQ, SUM_SK, SUM_SQSQ, SUM_SQSK, SUM_LONGEST_K, N_SUMS } Sum;
typedef struct Sums {
  int64_t of[N_SUMS];
} Sums;

static Sums no_sums(void)
{
  Sums s;
  for (int i = 0; i < N_SUMS; i++) s.of[i] = SERVE_UNKNOWN;
  return s;
}

static const struct {
  const char *word; /* of two that begin alike the longer one is first */
  Sum sum;
} words[] = {
  { "sqsq", SUM_SQSQ },
  { "sqsk", SUM_SQSK },
  { "sq", SUM_SQ },
  { "sk", SUM_SK },
  { "toks", SUM_TOKENS },
  { "tokens", SUM_TOKENS },
  { "num_tokens", SUM_TOKENS },
  { "max_sk", SUM_LONGEST_K },
  { "max_seq_len", SUM_LONGEST_K },
};

/* "sq32", or with = between. */
static bool named(Cursor *c, const char *between, Sums *io)
{
  for (uint32_t i = 0; i < MILL_COUNT(words); i++) {
    Cursor at = *c;
    int64_t value;
    if (!skip(&at, words[i].word) || !skip(&at, between) || !number(&at, &value)) continue;
    io->of[words[i].sum] = value;
    *c = at;
    return true;
  }
  return false;
}

static int64_t product(int64_t a, int64_t b)
{
  int64_t p;
  if (a == SERVE_UNKNOWN || b == SERVE_UNKNOWN) return SERVE_UNKNOWN;
  return __builtin_mul_overflow(a, b, &p) ? SERVE_UNKNOWN : p;
}

static void take_sums(ServeStep *s, const Sums *sums)
{
  const int64_t *of = sums->of;
  s->tokens = of[SUM_SQ] != SERVE_UNKNOWN ? of[SUM_SQ] : of[SUM_TOKENS];
  s->keys = of[SUM_SK];
  s->pairs = of[SUM_SQSK];
  if (s->pairs != SERVE_UNKNOWN) return;
  if (s->keys != SERVE_UNKNOWN && s->tokens == s->requests) { /* a token for each */
    s->pairs = s->keys;
    return;
  }
  const int64_t by_longest = product(s->tokens, of[SUM_LONGEST_K]);
  const int64_t by_sums = product(s->tokens, s->keys);
  s->pairs = by_longest != SERVE_UNKNOWN && (by_sums == SERVE_UNKNOWN || by_longest < by_sums)
                 ? by_longest
                 : by_sums;
  s->pairs_are_upper = s->pairs != SERVE_UNKNOWN && s->requests != 1;
}

/* ---- vLLM */

/* "2(512)", or sums in the brackets. */
static bool part(Cursor *c, ServeStep *out)
{
  Sums sums = no_sums();
  *out = (ServeStep){ .phase = SERVE_PREFILL };
  if (!number(c, &out->requests) || !skip(c, "(")) return false;
  if (!number(c, &sums.of[SUM_TOKENS]))
    while (named(c, "", &sums)) (void)0;
  take_sums(out, &sums);
  return skip(c, ")") && out->tokens != SERVE_UNKNOWN;
}

static int64_t add(int64_t a, int64_t b)
{
  int64_t sum;
  if (a == SERVE_UNKNOWN || b == SERVE_UNKNOWN) return SERVE_UNKNOWN;
  return __builtin_add_overflow(a, b, &sum) ? SERVE_UNKNOWN : sum;
}

static bool read_execute(Cursor c, ServeStep *out)
{
  ServeStep context, generation;
  int64_t tokens;
  if (!skip(&c, "execute_")) return false;
  if (number(&c, &tokens) && !skip(&c, "_")) return false;
  if (!skip(&c, "context_") || !part(&c, &context)) return false;
  if (!skip(&c, "_generation_") || !part(&c, &generation)) return false;
  if (context.requests == 0 && generation.requests == 0) return false;
  if (context.requests == 0 || generation.requests == 0) {
    *out = context.requests ? context : generation;
    out->phase = context.requests ? SERVE_PREFILL : SERVE_DECODE;
    return true;
  }
  *out = (ServeStep){ SERVE_MIXED,
                      add(context.requests, generation.requests),
                      add(context.tokens, generation.tokens),
                      add(context.keys, generation.keys),
                      add(context.pairs, generation.pairs),
                      context.pairs_are_upper || generation.pairs_are_upper };
  return true;
}

/* ---- SGLang */

static const struct {
  const char *mode;
  ServePhase phase;
} modes[] = {
  { "DECODE", SERVE_DECODE },        { "TARGET_VERIFY", SERVE_DECODE }, { "EXTEND", SERVE_PREFILL },
  { "DRAFT_EXTEND", SERVE_PREFILL }, { "PREFILL", SERVE_PREFILL },      { "MIXED", SERVE_MIXED },
};

static bool read_mode(Cursor *c, ServePhase *out)
{
  for (uint32_t i = 0; i < MILL_COUNT(modes); i++) {
    Cursor at = *c;
    if (!skip(&at, modes[i].mode) || at.at == at.end || (*at.at != ' ' && *at.at != ']')) continue;
    *out = modes[i].phase;
    *c = at;
    return true;
  }
  return false;
}

static void skip_word(Cursor *c)
{
  while (c->at < c->end && *c->at != ' ' && *c->at != ']') c->at++;
}

/* A decode gives each request a token. */
static bool read_step(Cursor c, ServeStep *out)
{
  Sums sums = no_sums();
  *out = (ServeStep){ .requests = SERVE_UNKNOWN };
  if (!skip(&c, "step[") || !read_mode(&c, &out->phase)) return false;
  while (skip(&c, " "))
    if (!(skip(&c, "bs=") && number(&c, &out->requests)) && !named(&c, "=", &sums)) skip_word(&c);
  if (!skip(&c, "]") || out->requests == 0) return false;
  if (out->phase == SERVE_DECODE && sums.of[SUM_TOKENS] == SERVE_UNKNOWN)
    sums.of[SUM_TOKENS] = out->requests;
  take_sums(out, &sums);
  return true;
}

bool serve_step_read(const char *text, size_t len, ServeStep *out)
{
  const Cursor c = { text, text + len };
  return read_execute(c, out) || read_step(c, out);
}

/* ---- steps of a trace */

bool serve_steps_see(ServeSteps *s, const MillEvent *e)
{
  enum { NO_STEP = 1 };
  size_t len;
  ServeSpan span = { e->ts_ns, interval_end(e->ts_ns, e->dur_ns > 0 ? e->dur_ns : 0), { 0 } };
  if (symclass_get(&s->names, e->name) == NO_STEP) return true;
  const char *text = s->common->symbol_text(s->common, e->name, &len);
  if (!serve_step_read(text, len, &span.step)) {
    symclass_put(s->common, &s->names, e->name, NO_STEP);
    return true;
  }
  if (!array_reserve_at(s->common, &s->tracks, &s->n_tracks, e->track, sizeof *s->tracks))
    return false;
  ServeTrack *t = &s->tracks[e->track];
  if (t->n && t->spans[t->n - 1].end_ns > span.start_ns) return true;
  if (!array_reserve(s->common, &t->spans, &t->capacity, t->n + 1, sizeof *t->spans)) return false;
  t->spans[t->n++] = span;
  return true;
}

const ServeSpan *serve_steps_at(const ServeSteps *s, uint32_t track, int64_t ts_ns)
{
  const ServeTrack *t = track < s->n_tracks ? &s->tracks[track] : NULL;
  if (!t) return NULL;
  const size_t after = FIRST_NOT(t->n, i, t->spans[i].start_ns <= ts_ns);
  const ServeSpan *span = after ? &t->spans[after - 1] : NULL;
  return span && ts_ns < span->end_ns ? span : NULL;
}

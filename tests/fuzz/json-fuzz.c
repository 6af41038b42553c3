/* Fuzz target: the JSON reader, its mending, and the numbers: what they promise holds. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/num.h"
#include "promise.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_text_token(const JsonToken *t)
{
  return t->kind == JSON_KEY || t->kind == JSON_STRING;
}

/* What was decoded can be quoted, is valid then, and decodes to the same. */
static void check_text(const JsonToken *t)
{
  g_autoptr(GString) plain = g_string_new(NULL);
  g_autoptr(GString) quoted = g_string_new(NULL);
  g_autoptr(GString) again = g_string_new(NULL);
  unsigned fixes = json_decode(t, plain);
  json_quote(quoted, plain->str, plain->len);
  PROMISE(json_check(quoted->str, quoted->len, NULL, NULL));
  JsonToken made = { JSON_STRING, quoted->str, quoted->len };
  PROMISE(json_decode(&made, again) == 0);
  PROMISE(g_string_equal(plain, again));
  bool escaped = memchr(t->start, '\\', t->len) != NULL;
  if (!escaped && !fixes) PROMISE(plain->len == t->len - 2);
}

static void check_number(const JsonToken *t)
{
  const char *end = t->start + t->len;
  int64_t ns;
  double real;
  unsigned flags;
  char buf[NUM_BUF];
  PROMISE(num_scan_scaled(t->start, end, 3, &ns, &flags) == end);
  PROMISE(num_format_us(buf, ns) < NUM_BUF);
  if (!num_real(t->start, t->len, &real)) return;
  double again;
  size_t len = num_format_real(buf, real);
  PROMISE(len < NUM_BUF && num_real(buf, len, &again) && again == real);
}

/* All tokens lie in the text in order; true when the text was read to its end. */
static bool walk(const char *text, size_t len, bool strict, unsigned *out_fixes)
{
  JsonCursor r;
  JsonToken t;
  const char *last = text;
  json_open(&r, text, len, strict);
  for (;;) {
    JsonKind kind = json_next(&r, &t);
    PROMISE(t.kind == kind && t.start >= last && t.start + t.len <= text + len);
    *out_fixes = r.fixes;
    if (kind == JSON_END) return true;
    if (kind == JSON_ERROR) {
      PROMISE(r.error && r.error_at >= text && r.error_at <= text + len);
      return false;
    }
    PROMISE(t.len > 0 && r.depth <= JSON_MAX_DEPTH);
    if (is_text_token(&t)) check_text(&t);
    if (strict && kind == JSON_NUMBER) check_number(&t);
    last = t.start + t.len;
  }
}

static void check_skip(const char *text, size_t len, bool valid)
{
  JsonCursor r;
  JsonToken t;
  json_open(&r, text, len, true);
  JsonKind kind = json_skip(&r, &t);
  if (!valid) return;
  PROMISE(kind != JSON_ERROR && t.start + t.len == r.pos);
  PROMISE(json_check(t.start, t.len, NULL, NULL));
  PROMISE(json_next(&r, &t) == JSON_END);
}

static void check_mend(const char *text, size_t len, bool readable, unsigned fixes)
{
  g_autoptr(GString) mended = g_string_new("x");
  g_autoptr(GString) again = g_string_new(NULL);
  unsigned repair_fixes = 0, no_fixes = 1;
  bool done = json_repair(text, len, mended, &repair_fixes);
  PROMISE(done == readable);
  if (!done) {
    PROMISE(mended->len == 1);
    return;
  }
  PROMISE(repair_fixes == fixes);
  g_string_erase(mended, 0, 1);
  PROMISE(json_check(mended->str, mended->len, NULL, NULL));
  PROMISE(json_repair(mended->str, mended->len, again, &no_fixes) && no_fixes == 0);
  PROMISE(g_string_equal(mended, again));
}

static void check_doc(const char *text, size_t len, bool valid)
{
  JsonPlace place = { 0, 0 };
  g_autofree char *why = NULL;
  JsonDoc *doc = json_doc_parse(text, len, &place, &why);
  if (!doc) {
    PROMISE(why && place.line && place.column);
    return;
  }
  PROMISE(valid && json_doc_root(doc));
  PROMISE(json_doc_place(doc, "").line && json_doc_place(doc, "/a/0#key").line);
  json_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *text = size ? (const char *)data : "";
  unsigned fixes;
  bool valid = walk(text, size, true, &fixes);
  PROMISE(valid == json_check(text, size, NULL, NULL));
  bool readable = walk(text, size, false, &fixes);
  if (valid) PROMISE(readable && (fixes & ~(unsigned)JSON_FIX_SURROGATE) == 0);
  check_skip(text, size, valid);
  check_mend(text, size, readable, fixes);
  check_doc(text, size, valid);
  return 0;
}

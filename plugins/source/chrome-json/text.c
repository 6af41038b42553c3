/* Names, keys and tracks to the host's numbers, through small caches of our own. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "kit/text/symbol.h"
#include "names.h"
#include "parser.h"

#define KEPT_BYTES (1u << 20) /* of long texts with escapes */

/* all: the text where it stays. */
static void remember(Source *s, const char *p, size_t len, const char *all, MillSym sym)
{
  NameSlot *slot = name_slot(s, p, len);
  *name_other(s, slot) = *slot;
  *slot = (NameSlot){ .all = all, .len = (uint32_t)len, .sym = sym };
  memcpy(slot->text, p, MIN(len, NAME_BYTES));
}

MillSym jsn_intern(Source *s, const char *p, size_t len)
{
  size_t ignored;
  const NameSlot *slot = name_find(s, p, len, scan_same);
  if (slot) return slot->sym;
  MillSym sym = s->common->intern(s->common, p, len);
  remember(s, p, len, s->common->symbol_text(s->common, sym, &ignored), sym);
  return sym;
}

const GString *jsn_unescape(Source *s, const char *p, size_t len)
{
  JsonToken token = { JSON_STRING, p - 1, len + 2 };
  g_string_truncate(s->scratch, 0);
  s->fixes = json_decode(&token, s->scratch);
  size_t text_len = s->scratch->len;
  g_string_append_len(s->scratch, "\0\0\0\0\0\0\0\0",
                      8); /* readable after the text, see jsn_head */
  g_string_truncate(s->scratch, text_len);
  return s->scratch;
}

/* Texts with escapes are remembered as they were read: no other text has backslashes. */
MillSym jsn_intern_string(Source *s, const char *p, size_t len, unsigned flags)
{
  if (!(flags & SCAN_ESCAPED)) return jsn_intern(s, p, len);
  const NameSlot *slot = name_find(s, p, len, scan_same);
  s->fixes = 0;
  if (slot) return slot->sym;
  const GString *text = jsn_unescape(s, p, len);
  MillSym sym = s->common->intern(s->common, text->str, text->len);
  if (!s->fixes && s->n_kept + len <= KEPT_BYTES) {
    remember(s, p, len, g_string_chunk_insert_len(s->kept, p, (gssize)len), sym);
    s->n_kept += len;
  }
  return sym;
}

MillSym jsn_known_category(Source *s, const char *p, size_t len)
{
  static const char *const known[] = { "kernel",
                                       "Kernel",
                                       "gpu_memcpy",
                                       "Memcpy",
                                       "gpu_memset",
                                       "Memset",
                                       "cpu_op",
                                       "Operator",
                                       "mtia_ccp_events",
                                       "cuda_runtime",
                                       "Runtime",
                                       "cuda_driver",
                                       "mtia_runtime",
                                       "ac2g",
                                       "python_function",
                                       "user_annotation",
                                       "gpu_user_annotation" };
  const char *end = p + len;
  for (const char *next; p < end; p = next + 1) {
    next = memchr(p, ',', (size_t)(end - p));
    if (!next) next = end;
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
      if (jsn_is(p, (size_t)(next - p), known[i])) return symbol_of(s->common, known[i]);
  }
  return 0;
}

static int64_t track_number(const MillValue *v)
{
  if (v->type == MILL_INT) return v->u.i;
  return v->type == MILL_SYM ? (int64_t)v->u.sym : 0;
}

uint32_t jsn_track(Source *s, MillValue process, MillValue thread)
{
  int64_t p = track_number(&process), t = track_number(&thread);
  uint32_t types = 1u << 16 | process.type << 8 | thread.type;
  uint64_t hash = jsn_mix(jsn_mix(types, (uint64_t)p), (uint64_t)t);
  TrackSlot *slot = &s->tracks[hash % TRACK_SLOTS];
  if (slot->types == types && slot->process == p && slot->thread == t) return slot->track;
  slot->track =
      s->is_part ? jsn_part_track(s, process, thread) : s->host->track(s->host, process, thread);
  slot->types = types;
  slot->process = p;
  slot->thread = t;
  return slot->track;
}

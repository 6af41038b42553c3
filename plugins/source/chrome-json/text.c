/* Names, keys and tracks to the host's numbers, through small caches of our own. */
#include "base/json.h"
#include "parser.h"

static inline __attribute__((always_inline)) bool is_slot_of(const NameSlot *slot, const char *p,
                                                             size_t len, uint64_t head)
{
  return slot->text && slot->head == head && slot->len == len && jsn_same_tail(slot->text, p, len);
}

/* The pair of slots for a text: the one that holds it, or NULL after making room in *out_free. */
static inline const NameSlot *find_slot(Source *s, const char *p, size_t len, NameSlot **out_free)
{
  uint64_t head = jsn_head(p, len);
  size_t at = jsn_hash(p, len) % NAME_SLOTS;
  NameSlot *slot = &s->names[at], *other = &s->names[at ^ 1];
  if (is_slot_of(slot, p, len, head)) return slot;
  if (is_slot_of(other, p, len, head)) return other;
  *other = *slot;
  *slot = (NameSlot){ .head = head, .len = (uint32_t)len };
  *out_free = slot;
  return NULL;
}

MillSym jsn_intern(Source *s, const char *p, size_t len)
{
  NameSlot *slot = NULL;
  size_t text_len;
  const NameSlot *found = find_slot(s, p, len, &slot);
  if (found) return found->sym;
  slot->sym = s->host->intern(s->host, p, len);
  slot->text = s->host->symbol_text(s->host, slot->sym, &text_len);
  return slot->sym;
}

const GString *jsn_unescape(Source *s, const char *p, size_t len)
{
  JsonToken token = { JSON_STRING, p - 1, len + 2 };
  g_string_truncate(s->scratch, 0);
  s->fixes = json_decode(&token, s->scratch);
  size_t text_len = s->scratch->len;
  g_string_append_len(s->scratch, "\0\0\0\0\0\0\0\0",
                      8); /* readable behind the text, see jsn_hash */
  g_string_truncate(s->scratch, text_len);
  return s->scratch;
}

/* Texts with escapes are not cached: decoded, they could be taken for others as they were read. */
MillSym jsn_intern_string(Source *s, const char *p, size_t len, unsigned flags)
{
  if (!(flags & SCAN_ESCAPED)) return jsn_intern(s, p, len);
  const GString *text = jsn_unescape(s, p, len);
  return s->host->intern(s->host, text->str, text->len);
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
  slot->track = s->host->track(s->host, process, thread);
  slot->types = types;
  slot->process = p;
  slot->thread = t;
  return slot->track;
}

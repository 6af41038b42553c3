/* Names, keys and tracks to the host's numbers, through small caches of our own. */
#include "base/json.h"
#include "parser.h"

static inline uint64_t mix(uint64_t h, uint64_t word)
{
  h = (h ^ word) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

uint64_t jsn_hash(const char *p, size_t len)
{
  uint64_t a = len, b = 0x8ebc6af09c88c6e3u;
  for (; len > 16; len -= 16, p += 16) {
    a = mix(a, scan_load64(p));
    b = mix(b, scan_load64(p + 8));
  }
  if (len > 8) {
    a = mix(a, scan_load64(p));
    p += 8;
    len -= 8;
  }
  uint64_t last = len ? scan_load64(p) << (64 - 8 * len) : 0;
  a = mix(mix(a, last), b);
  return a ^ a >> 32;
}

MillSym jsn_intern(Source *s, const char *p, size_t len)
{
  uint32_t hash = (uint32_t)jsn_hash(p, len);
  NameSlot *slot = &s->names[hash % NAME_SLOTS];
  if (slot->hash == hash && slot->len == len && slot->text && memcmp(slot->text, p, len) == 0)
    return slot->sym;
  size_t text_len;
  MillSym sym = s->host->intern(s->host, p, len);
  slot->text = s->host->symbol_text(s->host, sym, &text_len);
  slot->hash = hash;
  slot->len = (uint32_t)text_len;
  slot->sym = sym;
  return sym;
}

const GString *jsn_unescape(Source *s, const char *p, size_t len)
{
  JsonToken token = { JSON_STRING, p - 1, len + 2 };
  g_string_truncate(s->scratch, 0);
  s->fixes = json_decode(&token, s->scratch);
  size_t text_len = s->scratch->len;
  g_string_append_len(s->scratch, "\0\0\0\0\0\0\0\0", 8); /* readable behind the text, see jsn_hash */
  g_string_truncate(s->scratch, text_len);
  return s->scratch;
}

MillSym jsn_intern_string(Source *s, const char *p, size_t len, unsigned flags)
{
  if (!(flags & SCAN_ESCAPED)) return jsn_intern(s, p, len);
  const GString *text = jsn_unescape(s, p, len);
  return jsn_intern(s, text->str, text->len);
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
  uint64_t hash = mix(mix(types, (uint64_t)p), (uint64_t)t);
  TrackSlot *slot = &s->tracks[(hash ^ hash >> 32) % TRACK_SLOTS];
  if (slot->types == types && slot->process == p && slot->thread == t) return slot->track;
  slot->track = s->host->track(s->host, process, thread);
  slot->types = types;
  slot->process = p;
  slot->thread = t;
  return slot->track;
}

/* Streams as texts; see stream-name.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/stream-name.h"

#include <string.h>

static Field number_text(StreamRoom *room, int64_t number)
{
  return (Field){ room->digits, digits_write(room->digits, number) };
}

/* Older traces call the thread "stream 7" where others say 7. */
static Field without_word(Field f)
{
  static const char word[] = "stream ";
  const size_t n = sizeof word - 1;
  if (f.len <= n || memcmp(f.text, word, n) != 0) return f;
  return (Field){ f.text + n, f.len - n };
}

static Field value_text(const MillHost *common, const MillValue *v, StreamRoom *room)
{
  Field f = { "", 0 };
  if (v->type == MILL_INT) return number_text(room, v->u.i);
  if (v->type == MILL_SYM) f.text = common->symbol_text(common, v->u.sym, &f.len);
  return without_word(f);
}

Field stream_name(const MillHost *common, const MillBatch *b, const MillEvent *e, MillSym key,
                  StreamRoom *room)
{
  Field f = { "", 0 };
  const MillAttr *a = mill_attr(b, e, key);
  const char *text = a ? mill_attr_text(b, a, &f.len) : NULL;
  if (text) return without_word((Field){ text, f.len });
  if (a && (a->type & MILL_ATTR_TYPE) == MILL_INT) return number_text(room, a->u.i);
  MillTrack track = { .size = sizeof track };
  common->track_info(common, e->track, &track);
  return value_text(common, &track.thread, room);
}

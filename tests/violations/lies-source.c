/* A source that tells one lie of a table; see lies.h. */
/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stagemill/source.h>

#include "lies.h"

typedef struct Liar {
  const MillSourceHost *host;
  uint32_t n_calls;
} Liar;

/* In describe, in start, or where events are given. */
typedef struct Lie {
  const char *name;
  int (*tell)(Liar *s, MillBatch *b);
} Lie;
#define LIE(name) static int name(Liar *s, MillBatch *b)
#define UNUSED (void)s, (void)b

static int describe(const Liar *s, const char *key, MillValue v)
{
  s->host->describe(s->host, key, v);
  return 0;
}
LIE(absurd_base) { UNUSED; return describe(s, "base_ns", mill_int(INT64_MAX)); }
LIE(tag_without_a_value) { UNUSED; return describe(s, "tag", mill_text("rogue", 5)); }
LIE(tag_without_a_name) { UNUSED; return describe(s, "tag", mill_text("=x", 2)); }
LIE(tag_of_nothing) { UNUSED; return describe(s, "tag", mill_text(NULL, 5)); }
LIE(key_of_nothing) { UNUSED; return describe(s, NULL, mill_int(1)); }
LIE(absurdly_many_parts) { UNUSED; s->host->divide(s->host, UINT32_MAX); return 0; }
LIE(tags_for_ever)
{
  (void)b;
  for (int64_t k = 0; k < 1000000; k++) {
    char tag[32] = "t00000000=1";
    for (int at = 8, left = (int)k; at > 0; at--, left /= 10) tag[at] = (char)('0' + left % 10);
    describe(s, "tag", mill_text(tag, 11));
  }
  return 0;
}
LIE(reads_into_nothing) { (void)b; return s->host->read(s->host, NULL, 10) < 0 ? 0 : 0; }
LIE(reads_what_is_not_there)
{
  const char *bytes;
  (void)b;
  return s->host->read_file(s->host, "/nowhere/at/all", 10, &bytes) < 0 ? 0 : -1;
}
LIE(enters_nothing)
{
  const char *why;
  (void)b;
  return s->host->enter(s->host, "/nowhere/at/all", &why) ? 0 : -1;
}

static MillEvent event(Liar *s)
{
  MillEvent e = { .kind = MILL_INSTANT, .dur_ns = -1 };
  e.track = s->host->track(s->host, mill_int(1), mill_none());
  return e;
}
static int give(MillBatch *b, MillEvent e)
{
  mill_events(b)[b->n_events++] = e;
  return MILL_NEXT_END;
}
LIE(more_for_ever) { UNUSED; return MILL_NEXT_MORE; }
LIE(lanes_for_ever) { UNUSED; return MILL_NEXT_LANE; }
LIE(more_than_fits)
{
  for (uint32_t k = 0; k < b->max_events; k++) give(b, event(s));
  b->n_events += 1000;
  return MILL_NEXT_END;
}
LIE(fewer_than_none) { UNUSED; b->n_events = UINT32_MAX; return MILL_NEXT_END; }
LIE(moves_its_events) { UNUSED; b->events++; return MILL_NEXT_END; }
LIE(another_lane) { b->lane = 77; return give(b, event(s)); }
LIE(far_raw_bytes)
{
  MillEvent e = event(s);
  e.raw_off = 1u << 30;
  e.raw_len = 1u << 20;
  return give(b, e);
}
LIE(own_raw_of_nothing)
{
  MillEvent e = event(s);
  e.flags = MILL_FLAG_OWN_RAW;
  e.raw_off = 1u << 30;
  e.raw_len = 1u << 20;
  return give(b, e);
}
LIE(dropped_event) { MillEvent e = event(s); e.flags = MILL_FLAG_DROPPED; return give(b, e); }
LIE(odd_flags) { MillEvent e = event(s); e.flags = 0xc0; return give(b, e); }
LIE(category_of_no_symbol) { MillEvent e = event(s); e.cat = 1u << 30; return give(b, e); }
LIE(attribute_of_no_key)
{
  give(b, event(s));
  return s->host->add_attr(s->host, b, 1u << 30, mill_int(1));
}
LIE(attribute_of_no_text)
{
  give(b, event(s));
  return s->host->add_attr(s->host, b, 1, mill_text(NULL, 5));
}
LIE(attributes_for_ever)
{
  give(b, event(s));
  for (;;) {
    int status = s->host->add_attr(s->host, b, 1, mill_int(1));
    if (status) return status;
  }
}
LIE(attribute_by_hand_of_no_text)
{
  MillSym key = s->host->common->intern(s->host->common, "key", 3);
  give(b, event(s));
  s->host->add_attr(s->host, b, key, mill_int(1));
  mill_attrs(b)[0] = (MillAttr){ .key = key, .type = MILL_TEXT | MILL_ATTR_OWN, .u.text = { 1u << 30, 1u << 20 } };
  return MILL_NEXT_END;
}
LIE(member_that_is_not_json) { s->host->member(s->host, false, "m", 1, "}{", 2); return give(b, event(s)); }
LIE(member_of_odd_key) { s->host->member(s->host, false, NOT_UTF8, 2, "1", 1); return give(b, event(s)); }
LIE(member_of_nothing) { s->host->member(s->host, false, NULL, 2, "1", 1); return give(b, event(s)); }
LIE(own_text_of_nothing) { s->host->own_text(s->host, b, NULL, 10); return give(b, event(s)); }
LIE(own_text_without_end)
{
  static const char text[1 << 20];
  for (int k = 0; k < 5000; k++) s->host->own_text(s->host, b, text, sizeof text);
  return give(b, event(s));
}
LIE(other_batch)
{
  MillBatch copy = *b;
  give(b, event(s));
  return s->host->add_attr(s->host, &copy, 1, mill_int(1));
}
LIE(crashes_while_reading) { UNUSED; return raise(SIGSEGV); }

#define AT(name) { #name, name }
static const Lie in_describe[] = {
  AT(absurd_base), AT(tag_without_a_value), AT(tag_without_a_name),
  AT(tag_of_nothing), AT(key_of_nothing), AT(absurdly_many_parts),
  AT(tags_for_ever), AT(reads_into_nothing), AT(reads_what_is_not_there), AT(enters_nothing),
};
static const Lie in_next[] = {
  AT(more_for_ever), AT(lanes_for_ever), AT(more_than_fits), AT(fewer_than_none), AT(moves_its_events),
  AT(another_lane), AT(far_raw_bytes), AT(own_raw_of_nothing), AT(dropped_event), AT(odd_flags),
  AT(category_of_no_symbol), AT(attribute_of_no_key),
  AT(attribute_of_no_text), AT(attributes_for_ever), AT(attribute_by_hand_of_no_text), AT(member_that_is_not_json),
  AT(member_of_odd_key), AT(member_of_nothing), AT(own_text_of_nothing),
  AT(own_text_without_end), AT(other_batch), AT(crashes_while_reading),
};

static bool tell(const Lie *lies, uint32_t n, Liar *s, MillBatch *b, int *out)
{
  for (uint32_t k = 0; k < n; k++)
    if (is_lie(lies[k].name)) {
      *out = lies[k].tell(s, b);
      return true;
    }
  return false;
}

static int liar_open(const MillSource *self, const MillSourceHost *host, const void *options,
                     void **out_instance)
{
  (void)self, (void)options;
  if (is_lie("opens_nothing")) return 0;
  Liar *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  *out_instance = s;
  return 0;
}

static int liar_describe(void *instance)
{
  int status = 0;
  if (instance) tell(in_describe, MILL_COUNT(in_describe), instance, NULL, &status);
  return status;
}

static int liar_next(void *instance, MillBatch *b)
{
  int status = 0;
  Liar *s = instance;
  if (!s) return MILL_NEXT_END;
  return tell(in_next, MILL_COUNT(in_next), s, b, &status) ? status : give(b, event(s));
}

static const MillSourceOps ops = {
  .size = sizeof ops,
  .open = liar_open,
  .describe = liar_describe,
  .next = liar_next,
};
static const MillSource source = {
  .size = sizeof source,
  .name = "rogue.lies-source",
  .version = "1.0.0",
  .tag = "LIESR",
  .title = "Tell a lie",
  .help = "Breaks one promise.",
  .ops = &ops,
};
MILL_SOURCE_MODULE(source, "rogue", "MIT");

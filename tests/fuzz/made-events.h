/* Events of any kind with any names, attributes and flags, and raw text that fits them or not, as a sink may get. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_MADE_EVENTS_H
#define FUZZ_MADE_EVENTS_H

#include "../unit/fake-host.h"
#include "bytes.h"

enum { MADE_EVENTS = 8, MADE_ATTRS = 32 };

typedef struct MadeEvents {
  MillBatch batch;
  MillEvent events[MADE_EVENTS];
  MillAttr attrs[MADE_ATTRS];
  GString *raw, *own;
} MadeEvents;

static const char *const made_json[] = { "null",
                                         "{}",
                                         "[]",
                                         "[1,2.5e3,\"x\"]",
                                         "{\"a\":{\"b\":[]}}",
                                         "-0",
                                         "\"\\u00e9\\ud83d\\ude00\"",
                                         "[[],{\"\":1}]" };

static inline MillValue made_track(FakeHost *f, Bytes *b)
{
  uint32_t kind = bytes_pick(b, 3);
  if (kind == 0) return (MillValue){ .type = MILL_NONE };
  if (kind == 1) return (MillValue){ .type = MILL_INT, .u.i = bytes_int(b) };
  g_autoptr(GString) text = bytes_text(b, 12, true);
  return (MillValue){ .type = MILL_SYM,
                      .u.sym = f->common.intern(&f->common, text->str, text->len) };
}

static inline MillSym made_symbol(FakeHost *f, Bytes *b)
{
  static const char *const known[] = { "",     "args",        "ph", "ts", "process_name",
                                       "name", "correlation", "a" };
  if (bytes_pick(b, 2)) return fake_symbol(f, known[bytes_pick(b, G_N_ELEMENTS(known))]);
  g_autoptr(GString) text = bytes_text(b, 40, true);
  return f->common.intern(&f->common, text->str, text->len);
}

static inline void made_text(MadeEvents *m, MillAttr *a, const char *text, size_t len)
{
  a->type |= MILL_ATTR_OWN;
  a->u.text.off = (uint32_t)m->own->len;
  a->u.text.len = (uint32_t)len;
  g_string_append_len(m->own, text, (gssize)len);
}

static inline void made_attr(MadeEvents *m, FakeHost *f, Bytes *b)
{
  MillAttr *a = &m->attrs[m->batch.n_attrs++];
  *a = (MillAttr){ .key = made_symbol(f, b), .type = 1 + bytes_pick(b, 6) };
  if (a->type == MILL_INT) a->u.i = bytes_int(b);
  if (a->type == MILL_BOOL) a->u.i = bytes_pick(b, 2);
  if (a->type == MILL_REAL) a->u.r = bytes_real(b);
  if (a->type == MILL_SYM) a->u.sym = made_symbol(f, b);
  if (a->type == MILL_TEXT) {
    g_autoptr(GString) text = bytes_text(b, 60, true);
    made_text(m, a, text->str, text->len);
  } else if (a->type == MILL_JSON) {
    const char *json = made_json[bytes_pick(b, G_N_ELEMENTS(made_json))];
    made_text(m, a, json, strlen(json));
  }
  if (bytes_pick(b, 2)) a->type |= MILL_ATTR_SET;
}

static inline void made_string(GString *out, Bytes *b)
{
  g_autoptr(GString) text = bytes_text(b, 30, false);
  g_string_append_c(out, '"');
  for (const char *c = text->str; *c; c++) {
    bool escaped = (unsigned char)*c < 0x20 || *c == '"' || *c == '\\';
    g_string_append_printf(out, escaped ? "\\u%04x" : "%c", (unsigned char)*c);
  }
  g_string_append_c(out, '"');
}

static inline void made_value(GString *out, Bytes *b)
{
  static const char *const numbers[] = { "1",     "-0",  "1.5", "0.001", "123456789012345678901",
                                         "1e400", "1E-5" };
  uint32_t kind = bytes_pick(b, 3);
  if (kind == 0) made_string(out, b);
  if (kind == 1) g_string_append(out, numbers[bytes_pick(b, G_N_ELEMENTS(numbers))]);
  if (kind == 2) g_string_append(out, made_json[bytes_pick(b, G_N_ELEMENTS(made_json))]);
}

/* An object as some writer might print it: valid JSON, but with any members, blanks, and keys twice. */
static inline void made_raw(GString *out, Bytes *b)
{
  static const char *const keys[] = { "ph", "name", "cat", "ts",   "dur",     "pid", "tid",
                                      "id", "id2",  "bp",  "args", "bind_id", "tts", "n\\u0061me" };
  static const char *const blanks[] = { "", " ", "\n\t", "  " };
  const char *blank = blanks[bytes_pick(b, G_N_ELEMENTS(blanks))];
  uint32_t n = bytes_pick(b, 9);
  g_string_append_c(out, '{');
  for (uint32_t i = 0; i < n; i++) {
    const char *key = keys[bytes_pick(b, G_N_ELEMENTS(keys))];
    g_string_append_printf(out, "%s%s\"%s\"%s:%s", i ? "," : "", blank, key, blank, blank);
    if (strcmp(key, "args") || bytes_pick(b, 4) == 0) {
      made_value(out, b);
      continue;
    }
    g_string_append(out, "{\"correlation\":");
    made_value(out, b);
    g_string_append(out, ",\"a\":");
    made_value(out, b);
    g_string_append_c(out, '}');
  }
  g_string_append_printf(out, "%s}", blank);
}

static inline void made_event(MadeEvents *m, FakeHost *f, Bytes *b)
{
  MillEvent *e = &m->events[m->batch.n_events++];
  *e = (MillEvent){ .ts_ns = bytes_int(b),
                    .dur_ns = bytes_pick(b, 2) ? -1 : bytes_int(b) & INT64_MAX,
                    .id = (uint64_t)bytes_int(b),
                    .id_kind = (uint8_t)bytes_pick(b, MILL_ID_PAIR + 1),
                    .kind = (uint8_t)bytes_pick(b, MILL_N_KINDS),
                    .name = made_symbol(f, b),
                    .cat = made_symbol(f, b),
                    .attrs = m->batch.n_attrs };
  e->flags = (uint8_t)(bytes_pick(b, 32) & ~(uint32_t)(MILL_FLAG_DROPPED | MILL_FLAG_OWN_RAW));
  MillValue process = made_track(f, b), thread = made_track(f, b);
  e->track = fake_track(f, process, thread);
  for (uint32_t n = bytes_pick(b, 5); n && m->batch.n_attrs < MADE_ATTRS; n--) made_attr(m, f, b);
  e->n_attrs = (uint16_t)(m->batch.n_attrs - e->attrs);
  if (bytes_pick(b, 3) == 0) return;
  e->raw_off = (uint32_t)m->raw->len;
  made_raw(m->raw, b);
  e->raw_len = (uint32_t)m->raw->len - e->raw_off;
  e->dirty = (uint8_t)bytes_pick(b, 256);
}

static inline void made_events_init(MadeEvents *m, FakeHost *f, Bytes *b)
{
  m->raw = g_string_new(NULL);
  m->own = g_string_new(NULL);
  m->batch = (MillBatch){ .size = sizeof m->batch,
                          .events = m->events,
                          .max_events = MADE_EVENTS,
                          .attrs = m->attrs,
                          .max_attrs = MADE_ATTRS };
  for (uint32_t n = bytes_pick(b, MADE_EVENTS + 1); n && bytes_left(b); n--) made_event(m, f, b);
  m->batch.raw_ = m->raw->str;
  m->batch.own_ = m->own->str;
}

static inline void made_events_clear(MadeEvents *m)
{
  g_string_free(m->raw, TRUE);
  g_string_free(m->own, TRUE);
}

#endif

/* Bytes of the input in a window that slides, its places, and containers walked piece by piece. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/json-window.h"

#include "kit/read/input.h"

#define READ_BYTES (256u * 1024)
#define MAX_BYTES (64u * 1024 * 1024)
#define PLAIN_BYTES 64 /* looked at together */

void window_init(Window *w, const MillSourceHost *host, const WindowNotices *notices)
{
  *w = (Window){ .host = host, .notices = notices, .common = host->common, .max = READ_BYTES };
  w->bytes = g_malloc(w->max + SCAN_PAD);
  w->p = w->end = w->bytes;
  memset(w->bytes, 0xff, SCAN_PAD);
  w->key = g_string_new(NULL);
}

void window_clear(Window *w)
{
  g_free(w->bytes);
  g_string_free(w->key, TRUE);
  window_faults_clear(w);
}

void window_enter(Window *w, const char *file)
{
  w->file = file;
  w->p = w->end = w->bytes;
  memset(w->bytes, 0xff, SCAN_PAD);
  w->at_end = w->begun = false;
  w->n_read = w->n_lines = w->n_columns = 0;
}

/* ------------------------------------------------------------------ places */
static size_t count_lines(const char *p, size_t len)
{
  size_t n = 0;
  for (const char *end = p + len; (p = memchr(p, '\n', (size_t)(end - p))); p++) n++;
  return n;
}

/* Bytes that continue a character, of eight: one bit in each of theirs. */
static inline uint64_t continuing(const char *p)
{
  uint64_t v = scan_load64(p);
  return v >> 7 & ~v >> 6 & 0x0101010101010101u;
}

/* Of PLAIN_BYTES bytes; nearly all texts are. */
static inline bool is_ascii(const char *p)
{
  uint64_t any = 0;
  for (unsigned i = 0; i < PLAIN_BYTES; i += 8) any |= scan_load64(p + i);
  return (any & 0x8080808080808080u) == 0;
}

static size_t count_characters(const char *p, size_t len)
{
  const char *end = p + len;
  size_t n = len;
  while (end - p >= 8) {
    if (end - p >= PLAIN_BYTES && is_ascii(p)) {
      p += PLAIN_BYTES;
      continue;
    }
    uint64_t sums = 0; /* a byte holds no more than 255 */
    for (unsigned i = 0; i < 255 && end - p >= 8; i++, p += 8) sums += continuing(p);
    sums = (sums & 0x00ff00ff00ff00ffu) + (sums >> 8 & 0x00ff00ff00ff00ffu);
    n -= sums * 0x0001000100010001u >> 48;
  }
  for (; p < end; p++) n -= ((unsigned char)*p & 0xc0) == 0x80;
  return n;
}

static void count_place(const char *p, size_t len, uint64_t *lines, uint64_t *columns)
{
  size_t n = count_lines(p, len);
  const char *from = p;
  if (n) {
    *lines += n;
    *columns = 0;
    from = (const char *)memrchr(p, '\n', len) + 1;
  }
  *columns += count_characters(from, (size_t)(p + len - from));
}

WindowPlace window_place(const Window *w, const char *at)
{
  uint64_t lines = w->n_lines, columns = w->n_columns;
  count_place(w->bytes, (size_t)(at - w->bytes), &lines, &columns);
  return (WindowPlace){ lines + 1, columns + 1 };
}

bool window_fail_at(Window *w, uint32_t number, WindowPlace place, const char *what,
                    const char *why)
{
  if (w->status) return false;
  if (w->is_quiet) return w->status = WINDOW_CUT, false;
  MillLane lane = { .size = sizeof lane };
  w->common->lane(w->common, MILL_NO_LANE, &lane);
  const char *file = w->file ? w->file : lane.path ? lane.path : lane.name;
  g_autofree char *where = input_place(file, place.line, place.column);
  w->status = input_fail(w->common, w->notices->rows, number, MILL_BAD_INPUT, what, where, why);
  return false;
}

bool window_fail(Window *w, uint32_t number, const char *at, const char *what, const char *why)
{
  return window_fail_at(w, number, window_place(w, at), what, why);
}

bool window_fail_end(Window *w)
{
  if (w->status) return false;
  if (!w->recovers)
    return window_fail(w, w->notices->truncated, w->end, NULL,
                       "the text stops inside a value or before the last bracket");
  w->status = WINDOW_CUT;
  return false;
}

/* ----------------------------------------------------------------- sliding */
static bool reserve(Window *w, size_t left)
{
  size_t used = (size_t)(w->p - w->bytes);
  if (used) {
    count_place(w->bytes, used, &w->n_lines, &w->n_columns);
    memmove(w->bytes, w->p, left);
  }
  w->p = w->bytes;
  w->end = w->bytes + left;
  if (left <= w->max / 2) return true;
  if (w->max < MAX_BYTES) {
    w->max *= 2;
    w->bytes = g_realloc(w->bytes, w->max + SCAN_PAD);
    w->p = w->bytes;
    w->end = w->bytes + left;
  } else if (left == w->max) {
    return window_fail(w, w->notices->huge, w->p, NULL, NULL);
  }
  return true;
}

static void skip_mark(Window *w)
{
  if (w->begun || w->end - w->p < 3) return;
  w->begun = true;
  if (memcmp(w->p, "\xef\xbb\xbf", 3) == 0) w->p += 3;
}

bool window_more(Window *w)
{
  if (w->at_end || w->status) return false;
  if (w->refused && *w->refused) return w->status = -MILL_LIMIT, false;
  size_t left = (size_t)(w->end - w->p);
  if (!reserve(w, left)) return false;
  int64_t n = w->host->read(w->host, w->bytes + left, w->max - left);
  if (n < 0) {
    w->status = (int)n;
    return false;
  }
  w->at_end = n == 0;
  w->n_read += (uint64_t)n;
  w->end += n;
  memset(w->bytes + left + (size_t)n, 0xff, SCAN_PAD);
  skip_mark(w);
  return n > 0;
}

bool window_ensure(Window *w, size_t n)
{
  while ((size_t)(w->end - w->p) < n && window_more(w)) {}
  return w->status == 0;
}

int window_peek(Window *w)
{
  for (;;) {
    if (!w->begun && !window_ensure(w, 3)) return -1;
    w->p = scan_space(w->p);
    if (w->p < w->end) return (unsigned char)*w->p;
    if (!window_more(w)) return -1;
  }
}

/* -------------------------------------------------------------- containers */
const char *window_container(Window *w, bool *odd)
{
  if (!w->container) w->container = scan_container_best(); /* asking the processor takes long */
  return w->container(w->p, w->end, odd);
}

static bool fail_at_peek(Window *w, int c, const char *why)
{
  if (w->status) return false;
  if (c < 0) return window_fail_end(w);
  return window_fail(w, w->notices->not_json, w->p, NULL, why);
}

bool window_open(Window *w, char bracket)
{
  int c = window_peek(w);
  if (c != bracket)
    return fail_at_peek(w, c, bracket == '{' ? "expected an object" : "expected a list");
  w->p++;
  return true;
}

/* At the next member or element, with the separator after p; false at the closing bracket. */
static bool advance(Window *w, bool *first, char closing)
{
  int c = window_peek(w);
  if (c == closing) {
    w->p++;
    return false;
  }
  if (!*first) {
    if (c != ',')
      return fail_at_peek(w, c, closing == '}' ? "expected a comma or }" : "expected a comma or ]");
    w->p++;
    c = window_peek(w);
  }
  *first = false;
  if (c < 0) return fail_at_peek(w, c, NULL);
  if (c == closing) return fail_at_peek(w, c, "a comma before the end");
  return true;
}

bool window_element(Window *w, bool *first) { return advance(w, first, ']'); }

bool window_key(Window *w, bool *first)
{
  JsonToken t;
  if (!advance(w, first, '}')) return false;
  if (*w->p != '"') return fail_at_peek(w, '"', "expected a key in double quotes");
  if (!window_value(w, &t)) return false;
  g_string_truncate(w->key, 0);
  json_value_text(&t, w->key);
  int c = window_peek(w);
  if (c != ':') return fail_at_peek(w, c, "expected a colon after the key");
  w->p++;
  c = window_peek(w);
  return c < 0 ? fail_at_peek(w, c, NULL) : true;
}

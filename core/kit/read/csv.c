/* Rows of comma-separated text; see csv.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/csv.h"

#include <glib.h>
#include <string.h>

#include "base/scan.h"

#define FIRST_CAPACITY ((size_t)128 << 10)
#define PIECE_BYTES ((size_t)1 << 10)

struct Csv {
  CsvRead read;
  void *user;
  char separator;
  char *text;
  size_t pos, len, capacity; /* without the padding: CSV_PAD line feeds, which stop every scan */
  bool at_end;
  int64_t read_status;

  size_t row, row_len; /* the last row or peeked line, with its line break */
  size_t line_len;     /* of a peeked line, without it */
  uint64_t line;       /* where the last row begins */
  uint64_t next_line;

  CsvCell *cells;
  uint32_t n_cells, max_cells;
  bool any_break, any_doubled; /* inside the quotes of that row */
  GString *undoubled;
  const char *error;
  CsvPlace error_place;
};

Csv *csv_new_small(CsvRead read, void *user, size_t capacity)
{
  Csv *c = g_new0(Csv, 1);
  c->read = read;
  c->user = user;
  c->separator = ',';
  c->capacity = capacity;
  c->text = g_malloc(c->capacity + CSV_PAD);
  memset(c->text, '\n', CSV_PAD);
  c->max_cells = 64;
  c->cells = g_new(CsvCell, c->max_cells);
  c->undoubled = g_string_new(NULL);
  c->line = c->next_line = 1;
  return c;
}

Csv *csv_new(CsvRead read, void *user) { return csv_new_small(read, user, FIRST_CAPACITY); }

void csv_free(Csv *c)
{
  if (!c) return;
  g_free(c->text);
  g_free(c->cells);
  g_string_free(c->undoubled, TRUE);
  g_free(c);
}

void csv_set_separator(Csv *c, char separator) { c->separator = separator; }

char csv_separator(const Csv *c) { return c->separator; }

const char *csv_error(const Csv *c) { return c->error; }
CsvPlace csv_error_place(const Csv *c) { return c->error_place; }
int64_t csv_read_status(const Csv *c) { return c->read_status; }

/* ----------------------------------------------------------------- places */
static CsvPlace place_in(const char *text, size_t at, uint64_t line)
{
  CsvPlace place = { line, 1 };
  for (size_t i = 0; i < at; i++) {
    bool crlf = text[i] == '\n' && i > 0 && text[i - 1] == '\r';
    if (text[i] == '\n' || text[i] == '\r') {
      place.line += !crlf;
      place.column = 1;
    } else if ((text[i] & 0xc0) != 0x80) {
      place.column++;
    }
  }
  return place;
}

CsvPlace csv_place(const Csv *c, size_t at) { return place_in(c->text + c->row, at, c->line); }

static CsvStatus fail(Csv *c, const char *row, const char *at, const char *error)
{
  c->error = error;
  c->error_place = place_in(row, (size_t)(at - row), c->next_line);
  return CSV_BAD;
}

/* ---------------------------------------------------------------- reading */
static bool grow(Csv *c)
{
  if (c->capacity >= CSV_MAX_ROW + FIRST_CAPACITY) return false;
  c->capacity *= 2;
  c->text = g_realloc(c->text, c->capacity + CSV_PAD);
  return true;
}

typedef enum { MORE_READ, MORE_NONE, MORE_TOO_LONG, MORE_FAILED } More;

/* Moves the unfinished row to the front and reads after it. */
static More read_more(Csv *c)
{
  if (c->at_end) return MORE_NONE;
  c->len -= c->pos;
  memmove(c->text, c->text + c->pos, c->len);
  c->pos = 0;
  if (c->capacity - c->len < c->capacity / 2 && !grow(c)) return MORE_TOO_LONG;
  int64_t n = c->read(c->user, c->text + c->len, c->capacity - c->len);
  if (n < 0) {
    c->read_status = n;
    return MORE_FAILED;
  }
  c->at_end = n == 0;
  c->len += (size_t)n;
  memset(c->text + c->len, '\n', CSV_PAD);
  return MORE_READ;
}

/* --------------------------------------------------------------- scanning */
/* Bit i: a separator or line break is at p[i], of 64 bytes. */
#if defined(SCAN_SSE2)
static inline uint64_t stops_at(const char *p, char separator)
{
  const __m128i separators = _mm_set1_epi8(separator);
  const __m128i lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
  uint64_t bits = 0;
  for (unsigned i = 0; i < 64; i += 16) {
    __m128i x = _mm_loadu_si128((const __m128i *)(p + i));
    __m128i breaks = _mm_or_si128(_mm_cmpeq_epi8(x, lf), _mm_cmpeq_epi8(x, cr));
    __m128i stops = _mm_or_si128(_mm_cmpeq_epi8(x, separators), breaks);
    bits |= (uint64_t)(unsigned)_mm_movemask_epi8(stops) << i;
  }
  return bits;
}
#else
#define LOW_SEVEN UINT64_C(0x7f7f7f7f7f7f7f7f)

/* The highest bit of each byte that is zero. */
static inline uint64_t zero_bytes(uint64_t x)
{
  return ~(((x & LOW_SEVEN) + LOW_SEVEN) | x | LOW_SEVEN);
}

static inline uint64_t stops_at(const char *p, char separator)
{
  const uint64_t ones = UINT64_C(0x0101010101010101);
  uint64_t bits = 0;
  for (unsigned i = 0; i < 64; i += 8) {
    uint64_t x = scan_load64(p + i);
    uint64_t stops = zero_bytes(x ^ ones * (unsigned char)separator) | zero_bytes(x ^ ones * '\n') |
                     zero_bytes(x ^ ones * '\r');
    bits |= ((stops >> 7) * UINT64_C(0x0102040810204080) >> 56) << i;
  }
  return bits;
}
#endif

typedef struct Stops {
  uint64_t bits;     /* bit 0: at the place that is asked for next */
  const char *after; /* that is known until here */
  char separator;
} Stops;

static inline Stops stops_from(const char *p, char separator)
{
  return (Stops){ stops_at(p, separator), p + 64, separator };
}

/* The first separator or line break at or after p, where stops_from was asked, or which is after
 * the stop found last.  There is one in the padding. */
static inline const char *next_stop(Stops *s, const char *p)
{
  if (!s->bits) {
    for (p = s->after; !(s->bits = stops_at(p, s->separator));) p += 64;
    s->after = p + 64;
  }
  unsigned n = (unsigned)__builtin_ctzll(s->bits);
  s->bits = s->bits >> n >> 1;
  return p + n;
}

typedef enum { SCAN_DONE, SCAN_MORE, SCAN_BAD } Scan;

/* p after the opening quote: the closing one, or NULL. */
static const char *quoted_end(Csv *c, const char *p, const char *end, bool at_end)
{
  Stops stops = stops_from(p, '"');
  while ((p = next_stop(&stops, p)) < end) {
    bool quote = *p == '"';
    if (quote && p + 1 == end) return at_end ? p : NULL;
    if (quote && p[1] != '"') return p;
    c->any_break |= !quote;
    c->any_doubled |= quote;
    if (quote) p = next_stop(&stops, p + 1);
    p++;
  }
  return NULL;
}

static Scan scan_quoted(Csv *c, CsvCell *cell, const char *row, const char *p, const char *end,
                        bool at_end, const char **out_after)
{
  const char *close = quoted_end(c, p + 1, end, at_end);
  size_t len = (size_t)((close ? close : end) - p - 1);
  if (len > CSV_MAX_CELL) {
    fail(c, row, p, close ? "a cell is longer than 1 MiB" : "a quote is not closed within 1 MiB");
    return SCAN_BAD;
  }
  if (!close && !at_end) return SCAN_MORE;
  if (!close) {
    fail(c, row, p, "a quote is not closed");
    return SCAN_BAD;
  }
  *cell = (CsvCell){ p + 1, (uint32_t)len, (uint32_t)(p - row) };
  p = close + 1;
  if (p < end && *p != c->separator && *p != '\n' && *p != '\r') {
    fail(c, row, p, "text follows a closing quote");
    return SCAN_BAD;
  }
  *out_after = p;
  return SCAN_DONE;
}

static bool more_cells(Csv *c)
{
  if (c->max_cells >= CSV_MAX_CELLS) return false;
  c->max_cells *= 2;
  c->cells = g_renew(CsvCell, c->cells, c->max_cells);
  return true;
}

/* The cells of one row; *out_after is after its line break.  A line break is at `end`: that of
 * a peeked line, or the padding. */
static Scan scan_row(Csv *c, const char *row, const char *end, bool at_end, const char **out_after)
{
  const char separator = c->separator;
  const char *p = row, *after;
  Stops stops = stops_from(row, separator);
  c->n_cells = 0;
  c->any_break = c->any_doubled = false;
  for (uint32_t n = 0;; p = after + 1) {
    if (n == c->max_cells && !more_cells(c)) {
      fail(c, row, p, "a row has more than 65,536 cells");
      return SCAN_BAD;
    }
    CsvCell *cell = &c->cells[n++];
    if (*p == '"') {
      Scan scan = scan_quoted(c, cell, row, p, end, at_end, &after);
      if (scan != SCAN_DONE) return scan;
      if (after < end) stops = stops_from(after + 1, separator);
    } else {
      after = next_stop(&stops, p);
      *cell = (CsvCell){ p, (uint32_t)(after - p), (uint32_t)(p - row) };
    }
    if ((size_t)(after - p) > CSV_MAX_CELL && cell->len > CSV_MAX_CELL) {
      fail(c, row, p, "a cell is longer than 1 MiB");
      return SCAN_BAD;
    }
    if (*after != separator) {
      c->n_cells = n;
      break;
    }
  }
  p = after;
  if (!at_end && (p == end || (*p == '\r' && p + 1 == end))) return SCAN_MORE;
  if (p < end) p += *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
  *out_after = p;
  return SCAN_DONE;
}

/* ------------------------------------------------------------------- rows */
/* Line breaks inside quotes. */
static uint64_t inner_breaks(const Csv *c)
{
  uint64_t n = 0;
  if (!c->any_break) return 0;
  for (uint32_t i = 0; i < c->n_cells; i++)
    n += place_in(c->cells[i].text, c->cells[i].len, 0).line;
  return n;
}

static void undouble(Csv *c)
{
  char *out;
  g_string_set_size(c->undoubled, c->row_len + CSV_PAD);
  out = c->undoubled->str;
  for (uint32_t i = 0; i < c->n_cells; i++) {
    CsvCell *cell = &c->cells[i];
    const char *p = cell->text, *end = p + cell->len, *start = out;
    /* A plain cell keeps the quotes it has. */
    if (c->text[c->row + cell->at] != '"' || !memchr(p, '"', cell->len)) continue;
    for (; p < end; p += 1 + (*p == '"')) *out++ = *p;
    cell->text = start;
    cell->len = (uint32_t)(out - start);
  }
  memset(out, '\n', CSV_PAD);
}

static void take_row(Csv *c, size_t len)
{
  c->row = c->pos;
  c->row_len = len;
  c->line = c->next_line;
  c->next_line += 1 + inner_breaks(c);
  c->pos += len;
  if (c->any_doubled) undouble(c);
}

CsvStatus csv_row(Csv *c, const CsvCell **out_cells, uint32_t *out_n)
{
  for (;;) {
    const char *row = c->text + c->pos, *end = c->text + c->len, *after;
    if (row == end && c->at_end) return CSV_END;
    Scan scan = row < end ? scan_row(c, row, end, c->at_end, &after) : SCAN_MORE;
    if (scan == SCAN_BAD) return CSV_BAD;
    if (scan == SCAN_DONE) {
      take_row(c, (size_t)(after - row));
      *out_cells = c->cells;
      *out_n = c->n_cells;
      return CSV_ROW;
    }
    More more = read_more(c);
    if (more == MORE_FAILED) return CSV_READ_FAILED;
    if (more == MORE_TOO_LONG) return fail(c, c->text, c->text, "a row is longer than 4 MiB");
  }
}

/* ------------------------------------------------------------------ lines */
CsvStatus csv_peek_line(Csv *c, const char **out_text, size_t *out_len)
{
  for (size_t from = 0;;) {
    const char *line = c->text + c->pos, *end = c->text + c->len;
    if (line == end && c->at_end) return CSV_END;
    Stops stops = stops_from(line + from, '\n');
    const char *p = next_stop(&stops, line + from);
    bool found = p < end && (*p == '\n' || p + 1 < end || c->at_end);
    if (found || c->at_end) {
      if (p > end) p = end;
      c->row = c->pos;
      c->line = c->next_line;
      c->line_len = (size_t)(p - line);
      c->row_len = c->line_len + (p < end) + (p + 1 < end && p[0] == '\r' && p[1] == '\n');
      *out_text = line;
      *out_len = c->line_len;
      return CSV_ROW;
    }
    from = p < end ? (size_t)(p - line) : (size_t)(end - line);
    More more = read_more(c);
    if (more == MORE_FAILED) return CSV_READ_FAILED;
    if (more == MORE_TOO_LONG) return fail(c, c->text, c->text, "a line is longer than 4 MiB");
  }
}

bool csv_split_line(Csv *c, char separator, const CsvCell **out_cells, uint32_t *out_n)
{
  const char *line = c->text + c->row, *after;
  char old = c->separator;
  c->separator = separator;
  bool done = scan_row(c, line, line + c->line_len, true, &after) == SCAN_DONE;
  c->separator = old;
  if (done && c->any_doubled) undouble(c);
  *out_cells = c->cells;
  *out_n = c->n_cells;
  return done;
}

void csv_skip_line(Csv *c)
{
  c->pos = c->row + c->row_len;
  c->next_line++;
}

/* In pieces: who asks whether this is a table looks at its first row, of each input. */
int64_t csv_read_bytes(void *user, char *buffer, size_t max)
{
  CsvBytes *b = user;
  size_t n = MIN(MIN(max, PIECE_BYTES), b->len);
  memcpy(buffer, b->bytes, n);
  b->bytes += n;
  b->len -= n;
  return (int64_t)n;
}

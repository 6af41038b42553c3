/* The way to the kernel summary: preamble, other tables, and signs of what went wrong. */
/* SPDX-License-Identifier: MIT */
#include "nsys-csv.h"

#include <string.h>

#define MAX_HEADER 4096u /* bytes; longer lines are not headers */

typedef struct Line {
  const char *text;
  size_t len;
} Line;

static bool begins(const Line *l, const char *word)
{
  size_t len = strlen(word);
  return l->len >= len && memcmp(l->text, word, len) == 0;
}

static bool contains(const Line *l, const char *word)
{
  return memmem(l->text, l->len, word, strlen(word)) != NULL;
}

static Line trimmed(Line l)
{
  for (; l.len && g_ascii_isspace(*l.text); l.text++) l.len--;
  while (l.len && g_ascii_isspace(l.text[l.len - 1])) l.len--;
  return l;
}

/* "** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):" */
static void take_title(Search *s, const Line *l)
{
  s->titled = s->any_title = true;
  s->title_is_other = memrchr(l->text, '(', l->len) && !contains(l, "kern");
  s->n_others += s->title_is_other;
}

static void take_skipped(Search *s, const Line *l)
{
  bool of_kernels = contains(l, "kernel");
  if (s->skipped && !of_kernels) return;
  g_free(s->skipped);
  s->skipped = g_strndup(l->text, MIN(l->len, 200));
}

/* Columns are named by letters; rows begin with a number, progress lines split into no columns. */
static bool may_be_header(const Line *l)
{
  const char *p = l->text, *end = p + l->len;
  while (p < end && (*p == '"' || *p == ' ')) p++;
  return p < end && g_ascii_isalpha(*p) && l->len <= MAX_HEADER;
}

static char split_header(Csv *csv, Header *out)
{
  static const char separators[] = { ',', '\t', ';' };
  const CsvCell *cells;
  uint32_t n;
  for (size_t i = 0; i < sizeof separators; i++)
    if (csv_split_line(csv, separators[i], &cells, &n) && header_read(cells, n, out))
      return separators[i];
  return '\0';
}

/* A header of whichever table; true when it is that of a kernel summary. */
static bool take_header(Search *s, Csv *csv, const Header *h, CsvPlace *out_place)
{
  bool other = s->titled && s->title_is_other;
  s->titled = false;
  *out_place = csv_place(csv, 0);
  if (!other && !header_missing(h)) return true;
  s->n_others += !other;
  if (!s->has_partial && !other) {
    s->partial = *h;
    s->partial_place = *out_place;
    s->has_partial = true;
  }
  return false;
}

static bool take_line(Search *s, Csv *csv, Line line, Header *out, CsvPlace *out_place)
{
  Line l = trimmed(line);
  if (l.len == 0) return false;
  s->any_text = true;
  if (begins(&l, "** ")) {
    take_title(s, &l);
    return false;
  }
  if (begins(&l, "SKIPPED:")) {
    take_skipped(s, &l);
    return false;
  }
  char separator = may_be_header(&l) ? split_header(csv, out) : '\0';
  if (!separator || !take_header(s, csv, out, out_place)) return false;
  csv_set_separator(csv, separator);
  return true;
}

Found search_table(Search *s, Csv *csv, Header *out, CsvPlace *out_place)
{
  Line line;
  CsvStatus status;
  while ((status = csv_peek_line(csv, &line.text, &line.len)) == CSV_ROW) {
    bool found = take_line(s, csv, line, out, out_place);
    csv_skip_line(csv);
    if (found) return FOUND_TABLE;
  }
  if (status == CSV_END) return FOUND_NOTHING;
  return status == CSV_BAD ? SEARCH_BAD : SEARCH_READ_FAILED;
}

void search_clear(Search *s) { g_clear_pointer(&s->skipped, g_free); }

/* ------------------------------------------------------------------ probe */
/* Scripts that work on tables hold their columns, too.  A table is in a file of text, or in one without an ending. */
static bool may_hold_table(const char *name)
{
  static const char *const endings[] = { ".csv", ".tsv", ".txt", ".out", ".log", ".stdout" };
  g_autofree char *base = g_path_get_basename(name ? name : "");
  for (size_t i = 0; i < 2; i++) {
    const char *packed = i ? ".zst" : ".gz";
    if (g_str_has_suffix(base, packed)) base[strlen(base) - strlen(packed)] = 0;
  }
  const char *ending = strrchr(base, '.');
  if (!ending || ending == base) return true;
  for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
    if (!g_ascii_strcasecmp(ending, endings[i])) return true;
  return false;
}

int nsys_probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self;
  if (!may_hold_table(name)) return 0;
  CsvBytes head = { bytes, len };
  TextReader text;
  Search s = { 0 };
  Header h;
  CsvPlace place;
  text_reader_init(&text, csv_read_bytes, &head);
  Csv *csv = csv_new(text_reader_read, &text);
  Found found = search_table(&s, csv, &h, &place);
  int sure = 0;
  if (found == FOUND_TABLE)
    sure = 95;
  else if (s.has_partial)
    sure = 20 + 5 * (int)s.partial.n_known;
  else if (s.any_title || s.skipped)
    sure = 40;
  csv_free(csv);
  text_reader_clear(&text);
  search_clear(&s);
  return sure;
}

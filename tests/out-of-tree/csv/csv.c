/* Slices from lines of text: NAME, START and DURATION in nanoseconds, and one attribute for each further column
 * of the heading.  A first line "#rank N" gives the rank, "#base N" the time from which the others count. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/source.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ATTR = 3, MOST_COLUMNS = 32, FIRST_CAPACITY = 1 << 12 };
enum { NOTICE_BAD_LINE = 1 };

typedef struct Options {
  const char *delimiter;
} Options;

typedef struct Csv {
  const MillSourceHost *host;
  char delimiter;
  char *bytes; /* those read and not yet used are pos..len */
  size_t pos, len, capacity;
  bool ended;
  MillSym keys[MOST_COLUMNS];
  uint32_t n_columns, track; /* n_columns 0: the heading was not read */
} Csv;

static int csv_probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  static const char heading[] = "name,start_ns,dur_ns";
  (void)self, (void)name;
  return len >= sizeof heading - 1 && !memcmp(bytes, heading, sizeof heading - 1) ? 90 : 0;
}

static int csv_open(const MillSource *self, const MillSourceHost *host, const void *options,
                    void **out_instance)
{
  (void)self;
  const char *delimiter = ((const Options *)options)->delimiter;
  if (strlen(delimiter) != 1)
    return mill_fail(host->common, MILL_BAD_INPUT, "the delimiter is not one character",
                     "such as ; or ,");
  Csv *c = mill_new(host->common, sizeof *c);
  if (!c) return -MILL_LIMIT;
  c->host = host;
  c->delimiter = *delimiter;
  *out_instance = c;
  return 0;
}

/* The number after the mark that the first line begins with. */
static bool told(const char *bytes, size_t len, const char *mark, int64_t *out)
{
  size_t at = strlen(mark);
  if (len <= at || memcmp(bytes, mark, at) != 0) return false;
  for (*out = 0; at < len && bytes[at] >= '0' && bytes[at] <= '9' && *out < INT64_MAX / 10 - 1;
       at++)
    *out = 10 * *out + (bytes[at] - '0');
  return true;
}

static int csv_describe(void *instance)
{
  const Csv *c = instance;
  const char *bytes;
  int64_t len = c->host->peek(c->host, false, &bytes), n;
  if (len <= 0) return 0;
  if (told(bytes, (size_t)len, "#rank ", &n)) c->host->describe(c->host, "rank", mill_int(n));
  if (told(bytes, (size_t)len, "#base ", &n)) c->host->describe(c->host, "base_ns", mill_int(n));
  return 0;
}

static int csv_start(void *instance)
{
  Csv *c = instance;
  c->track = c->host->track(c->host, mill_int(0), mill_int(0));
  return c->track == MILL_FAILED ? -MILL_STAGE_FAILED : 0;
}

/* Moves what is left to the front and reads on after it. */
static int read_on(Csv *c)
{
  const MillHost *common = c->host->common;
  memmove(c->bytes, c->bytes + c->pos, c->len - c->pos);
  c->len -= c->pos;
  c->pos = 0;
  if (c->len + 1 >= c->capacity) {
    size_t capacity = c->capacity ? 2 * c->capacity : FIRST_CAPACITY;
    char *bytes = common->resize(common, c->bytes, capacity);
    if (!bytes) return -MILL_LIMIT;
    c->bytes = bytes;
    c->capacity = capacity;
  }
  int64_t n = c->host->read(c->host, c->bytes + c->len, c->capacity - c->len - 1);
  if (n < 0) return -MILL_BAD_INPUT;
  c->len += (size_t)n;
  c->ended = n == 0;
  return 0;
}

/* The next line, ended by a NUL; 0: there is none. */
static int next_line(Csv *c, char **out)
{
  for (;;) {
    char *begin = c->bytes ? c->bytes + c->pos : NULL;
    char *end = begin ? memchr(begin, '\n', c->len - c->pos) : NULL;
    if (!end && c->ended && c->pos < c->len) end = c->bytes + c->len;
    if (end) {
      *end = '\0';
      *out = begin;
      c->pos = (size_t)(end - c->bytes) + 1;
      if (c->pos > c->len) c->pos = c->len;
      return 1;
    }
    if (c->ended) return 0;
    int status = read_on(c);
    if (status < 0) return status;
  }
}

static uint32_t split(const Csv *c, char *line, char **cells)
{
  uint32_t n = 0;
  while (n < MOST_COLUMNS) {
    cells[n++] = line;
    line = strchr(line, c->delimiter);
    if (!line) break;
    *line++ = '\0';
  }
  return n;
}

static int read_heading(Csv *c, char *line)
{
  const MillHost *common = c->host->common;
  char *cells[MOST_COLUMNS];
  uint32_t n = split(c, line, cells);
  if (n < FIRST_ATTR)
    return mill_fail(common, MILL_BAD_INPUT, "the heading has less than three columns",
                     "is the delimiter right?");
  for (uint32_t i = 0; i < n; i++) c->keys[i] = common->intern(common, cells[i], strlen(cells[i]));
  c->n_columns = n;
  return 0;
}

static bool number(const char *text, int64_t *out)
{
  char *end;
  long long value = strtoll(text, &end, 10);
  *out = value;
  return end != text && !*end;
}

static int add_event(Csv *c, MillBatch *b, char *line)
{
  const MillHost *common = c->host->common;
  char *cells[MOST_COLUMNS];
  int64_t start_ns, dur_ns, value;
  uint32_t n = split(c, line, cells);
  if (n != c->n_columns || !number(cells[1], &start_ns) || !number(cells[2], &dur_ns)) {
    mill_note(common, NOTICE_BAD_LINE);
    return 0;
  }
  mill_events(b)[b->n_events++] =
      (MillEvent){ .ts_ns = start_ns,
                   .dur_ns = dur_ns,
                   .name = common->intern(common, cells[0], strlen(cells[0])),
                   .track = c->track,
                   .attrs = b->n_attrs,
                   .kind = MILL_SLICE };
  for (uint32_t i = FIRST_ATTR; i < n; i++) {
    if (!*cells[i]) continue;
    MillValue v =
        number(cells[i], &value) ? mill_int(value) : mill_text(cells[i], strlen(cells[i]));
    int status = c->host->add_attr(c->host, b, c->keys[i], v);
    if (status < 0) return status;
  }
  return 0;
}

static int csv_next(void *instance, MillBatch *b)
{
  Csv *c = instance;
  while (b->n_events < b->max_events) {
    char *line;
    int status = next_line(c, &line);
    if (status <= 0) return status < 0 ? status : MILL_NEXT_END;
    if (*line == '#' || !*line) continue;
    status = c->n_columns ? add_event(c, b, line) : read_heading(c, line);
    if (status < 0) return status;
  }
  return MILL_NEXT_MORE;
}

static const MillOption options[] = {
  MILL_STRING_OPTION(Options, delimiter, "delimiter", ",", "What stands between two cells"),
};
static const MillNotice notices[] = {
  MILL_WARNING(
      NOTICE_BAD_LINE, "{count} line[|s] of {lane} [is|are] not like the heading", "left out", NULL,
      "A line has as many cells as the heading, and whole numbers for start and duration."),
};
static const char *const provides[] = { "slices", NULL };
static const MillSourceOps ops = {
  .size = sizeof ops,
  .probe = csv_probe,
  .open = csv_open,
  .describe = csv_describe,
  .start = csv_start,
  .next = csv_next,
};
static const MillSource source = {
  .size = sizeof source,
  .options_size = sizeof(Options),
  .name = "acme.csv",
  .version = "1.0.0",
  .tag = "LINES",
  .title = "Slices from comma separated values",
  .help = "Name, start and duration in nanoseconds, then any attributes, under a heading.",
  .provides = provides,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};
MILL_SOURCE_MODULE(source, "acme", "MIT");

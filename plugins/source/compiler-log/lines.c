/* Lines of a log, of any length, through a window. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "compiler-log.h"

void clog_lines_init(LineReader *r, const MillSourceHost *host)
{
  *r = (LineReader){ .host = host, .bytes = g_malloc(CLOG_LINE + 1) };
}

void clog_lines_clear(LineReader *r) { g_free(r->bytes); }

/* Fills the window; negative: reading failed. */
static int fill(LineReader *r)
{
  memmove(r->bytes, r->bytes + r->pos, r->len - r->pos);
  r->len -= r->pos;
  r->pos = 0;
  while (r->len < CLOG_LINE && !r->at_end) {
    int64_t n = r->host->read(r->host, r->bytes + r->len, CLOG_LINE - r->len);
    if (n < 0) return (int)n;
    if (n == 0) r->at_end = true;
    r->len += (size_t)n;
  }
  return 0;
}

/* The rest of a line whose beginning is in the window. */
static int pass_rest(LineReader *r)
{
  for (;;) {
    r->pos = r->len;
    int status = fill(r);
    if (status < 0 || r->len == 0) return status;
    const char *end = memchr(r->bytes, '\n', r->len);
    if (!end) continue;
    r->pos = (size_t)(end + 1 - r->bytes);
    return 0;
  }
}

static size_t without_return(const char *line, size_t len)
{
  return len && line[len - 1] == '\r' ? len - 1 : len;
}

int clog_line(LineReader *r, const char **out, size_t *out_len, bool *out_cut)
{
  int status = r->skips ? pass_rest(r) : 0;
  r->skips = false;
  if (status < 0) return status;
  const char *end = memchr(r->bytes + r->pos, '\n', r->len - r->pos);
  if (!end) {
    status = fill(r);
    if (status < 0) return status;
    end = memchr(r->bytes, '\n', r->len);
  }
  if (!end && r->len == 0) return 0;
  r->number++;
  *out_cut = r->skips = !end && r->len == CLOG_LINE;
  *out = r->bytes + r->pos;
  *out_len = without_return(*out, end ? (size_t)(end - *out) : r->len - r->pos);
  r->pos = end ? (size_t)(end + 1 - r->bytes) : r->len;
  return 1;
}

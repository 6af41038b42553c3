/* What sources say about their input; see input.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/input.h"

#include <string.h>
#include <sys/stat.h>

int input_fail(const MillHost *common, const MillNotice *rows, uint32_t number, int status,
               const char *what, const char *where, const char *why)
{
  const MillNotice *row = rows;
  while (row->number != number) row++;
  const MillFailure f = { .size = sizeof f,
                          .status = status,
                          .number = number,
                          .line = __LINE__,
                          .file = __FILE__,
                          .what = what ? what : row->what,
                          .where = where,
                          .why = why,
                          .help = row->help };
  return common->fail(common, &f);
}

char *input_place(const char *file, uint64_t line, uint64_t column)
{
  return g_strdup_printf("%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, file, line, column);
}

int input_fail_at(const MillHost *common, const MillNotice *rows, uint32_t number, uint64_t line,
                  uint64_t column, const char *what, const char *why)
{
  MillLane lane = { .size = sizeof lane };
  common->lane(common, MILL_NO_LANE, &lane);
  g_autofree char *where = line ? input_place(lane.name, line, column) : NULL;
  return input_fail(common, rows, number, MILL_BAD_INPUT, what, where, why);
}

void input_describe(const MillSourceHost *host, const char *key, const char *text)
{
  host->describe(host, key, mill_text(text, strlen(text)));
}

void input_tag_file(const MillSourceHost *host)
{
  MillLane lane = { .size = sizeof lane };
  host->common->lane(host->common, MILL_NO_LANE, &lane);
  if (!lane.path) return;
  g_autofree char *base = g_path_get_basename(lane.path);
  g_autofree char *tag = g_strconcat("file=", base, NULL);
  input_describe(host, "tag", tag);
}

enum { PIECE = 16 << 10 }; /* most inputs that are read at once are smaller */

int input_read_all(const MillSourceHost *host, size_t most, GString *out)
{
  char piece[PIECE];
  int64_t n;
  while ((n = host->read(host, piece, PIECE)) > 0) {
    g_string_append_len(out, piece, n);
    if (out->len > most) return 1;
  }
  return (int)n;
}

bool input_can_read_again(const MillHost *common, MillLane *out)
{
  struct stat st;
  *out = (MillLane){ .size = sizeof *out };
  common->lane(common, MILL_NO_LANE, out);
  return out->path && !stat(out->path, &st) && S_ISREG(st.st_mode);
}

bool input_go_back(const MillSourceHost *host, const char *path, uint64_t n_read)
{
  const char *why = NULL;
  char skipped[4096];
  if (host->enter(host, path, &why)) return false;
  while (n_read) {
    int64_t n = host->read(host, skipped, MIN(n_read, sizeof skipped));
    if (n <= 0) return false;
    n_read -= (uint64_t)n;
  }
  return true;
}

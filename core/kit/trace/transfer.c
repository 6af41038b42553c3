/* What events of transfers say; see transfer.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/transfer.h"

#include <string.h>

const char *transfer_text(const MillHost *common, const MillBatch *batch, const MillAttr *attr,
                          char *number, size_t *out_len)
{
  *out_len = 0;
  if (!attr) return NULL;
  switch (attr->type & MILL_ATTR_TYPE) {
  case MILL_INT: *out_len = digits_write(number, attr->u.i); return number;
  case MILL_SYM: return common->symbol_text(common, attr->u.sym, out_len);
  default: return mill_attr_text(batch, attr, out_len);
  }
}

bool transfer_number(const MillHost *common, const MillBatch *batch, const MillAttr *attr,
                     int64_t *out)
{
  char number[DIGITS_MAX];
  size_t len;
  if (attr && (attr->type & MILL_ATTR_TYPE) == MILL_INT) {
    *out = attr->u.i;
    return true;
  }
  const char *text = transfer_text(common, batch, attr, number, &len);
  return text && digits_read(text, len, out);
}

const char *transfer_sync(const char *name, size_t len, size_t *out_len)
{
  static const char mark[] = " [sync=";
  const size_t n = sizeof mark - 1;
  for (size_t i = 0; i + n < len; i++) {
    if (memcmp(name + i, mark, n) != 0) continue;
    size_t end = len;
    while (end > i + n && name[end - 1] != ']') end--;
    if (end == i + n) return NULL;
    *out_len = end - 1 - (i + n);
    return name + i + n;
  }
  return NULL;
}

/* A word of digits and a B. */
static bool read_bytes(const char *word, size_t len, int64_t *out)
{
  if (len >= 2 && word[0] == '[' && word[len - 1] == ']') {
    word++;
    len -= 2;
  }
  return len >= 2 && word[len - 1] == 'B' && is_digit(word[0]) && is_digit(word[len - 2]) &&
         digits_read(word, len - 1, out);
}

int64_t transfer_name_bytes(const char *name, size_t len)
{
  int64_t bytes;
  for (size_t start = 0, end; start < len; start = end + 1) {
    for (end = start; end < len && name[end] != ' ';) end++;
    if (read_bytes(name + start, end - start, &bytes)) return bytes;
  }
  return 0;
}

bool transfer_peer(const MillHost *common, const MillBatch *batch, const MillAttr *peers,
                   int64_t *out)
{
  char number[DIGITS_MAX];
  size_t len, start = 0;
  const char *text = transfer_text(common, batch, peers, number, &len);
  if (!text) return false;
  while (start < len && (text[start] == ' ' || text[start] == '[' || text[start] == '"')) start++;
  size_t end = start;
  while (end < len && text[end] >= '0' && text[end] <= '9') end++;
  return digits_read(text + start, end - start, out);
}

bool transfer_rank(const MillHost *common, const MillEvent *e, int64_t lane_rank, int64_t *out)
{
  MillTrack track = { .size = sizeof track };
  *out = lane_rank;
  if (lane_rank >= 0) return true;
  common->track_info(common, e->track, &track);
  *out = track.process.u.i;
  return track.process.type == MILL_INT;
}

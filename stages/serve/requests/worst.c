/* The worst requests of a run; see worst.h. */
#include "worst.h"

#include <stdlib.h>
#include <string.h>

#include "lib/room.h"

#define ERROR_MAX_LEN 400u

size_t text_cut(const char *text, size_t len, size_t max)
{
  if (len <= max) return len;
  while (max > 0 && ((unsigned char)text[max] & 0xC0) == 0x80) max--;
  return max;
}

static bool is_worse(const Row *a, const Row *b)
{
  if (a->rank_by != b->rank_by) return a->rank_by > b->rank_by;
  return a->index < b->index;
}

static void swap(Row *a, Row *b)
{
  Row row = *a;
  *a = *b;
  *b = row;
}

static void sift_up(Row *rows, uint64_t at)
{
  while (at > 0 && is_worse(&rows[(at - 1) / 2], &rows[at])) {
    swap(&rows[(at - 1) / 2], &rows[at]);
    at = (at - 1) / 2;
  }
}

static void sift_down(Row *rows, uint64_t n)
{
  uint64_t at = 0;
  for (;;) {
    uint64_t left = 2 * at + 1, right = left + 1, least = at;
    if (left < n && is_worse(&rows[least], &rows[left])) least = left;
    if (right < n && is_worse(&rows[least], &rows[right])) least = right;
    if (least == at) return;
    swap(&rows[at], &rows[least]);
    at = least;
  }
}

static bool copy_error(Row *row, const char *error, size_t len)
{
  row->error = NULL;
  if (!error || len == 0) return true;
  len = text_cut(error, len, ERROR_MAX_LEN);
  row->error = malloc(len + 1);
  if (!row->error) return false;
  memcpy(row->error, error, len);
  row->error[len] = 0;
  return true;
}

/* Without a bound every row is kept, in the order of the requests, and there is no heap. */
bool worst_offer(Worst *w, const Row *row, const char *error, size_t error_len)
{
  Row copy = *row;
  bool is_bounded = w->bound != WORST_NO_BOUND;
  if (is_bounded && (w->bound == 0 || isnan(row->rank_by))) return true;
  bool is_full = w->n == w->bound;
  if (is_full && !is_worse(row, &w->rows[0])) return true;
  if (!is_full && !room_for(&w->rows, &w->room, w->n + 1, sizeof *w->rows)) return false;
  if (!copy_error(&copy, error, error_len)) return false;
  if (is_full) {
    free(w->rows[0].error);
    w->rows[0] = copy;
    sift_down(w->rows, w->n);
    return true;
  }
  w->rows[w->n++] = copy;
  if (is_bounded) sift_up(w->rows, w->n - 1);
  return true;
}

void worst_clear(Worst *w)
{
  for (uint64_t i = 0; i < w->n; i++) free(w->rows[i].error);
  free(w->rows);
}

static int from_the_worst(const void *a, const void *b)
{
  return is_worse(a, b) ? -1 : is_worse(b, a);
}

void worst_sort(Worst *w)
{
  if (w->n && w->bound != WORST_NO_BOUND) qsort(w->rows, w->n, sizeof *w->rows, from_the_worst);
}

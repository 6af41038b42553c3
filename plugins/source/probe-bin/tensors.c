/* tensor.trace: tensors that a program used, written beside its trace. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "probe-bin.h"

enum { CALL, TIME, SHAPE, BYTES, POINTER, NAME, FUNCTION, PLACE, N_PARTS };

static void tensor_free(gpointer data)
{
  Tensor *t = data;
  g_free(t->shape);
  g_free(t->name);
  g_free(t->function);
  g_free(t->place);
  g_free(t);
}

static bool take_int(const char *text, int64_t *out) { return num_int(text, strlen(text), out); }

/* Fields have two blanks between them, as shapes hold single ones. */
static Tensor *read_line(const char *line, size_t len)
{
  g_autofree char *text = g_utf8_make_valid(line, (gssize)len);
  g_auto(GStrv) parts = g_strsplit(g_strchomp(text), "  ", N_PARTS);
  int64_t time, bytes, pointer;
  uint32_t n = g_strv_length(parts);
  if (n <= POINTER || (strcmp(parts[CALL], "[call]") && strcmp(parts[CALL], "[ret]"))) return NULL;
  if (!take_int(parts[TIME], &time) || !take_int(parts[BYTES], &bytes) ||
      !take_int(parts[POINTER], &pointer) || bytes < 0)
    return NULL;
  Tensor *t = g_new0(Tensor, 1);
  *t = (Tensor){ .time_ns = time, .bytes = bytes, .pointer = pointer };
  t->shape = g_strdup(parts[SHAPE]);
  t->name = g_strdup(n > NAME ? parts[NAME] : "");
  t->function = g_strdup(n > FUNCTION ? parts[FUNCTION] : "");
  t->place = g_strdup(n > PLACE ? parts[PLACE] : "");
  return t;
}

static int compare_pointers(const void *a, const void *b)
{
  const int64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

GPtrArray *tensors_read(const char *text, size_t len)
{
  GPtrArray *all = g_ptr_array_new_with_free_func(tensor_free);
  /* Ordered, as hashes without a seed can be attacked. */
  g_autoptr(GTree) seen = g_tree_new(compare_pointers);
  for (const char *end = text + len, *begin; end > text; end = begin - 1) {
    begin = end;
    while (begin > text && begin[-1] != '\n') begin--;
    Tensor *t =
        memchr(begin, 0, (size_t)(end - begin)) ? NULL : read_line(begin, (size_t)(end - begin));
    if (t && !g_tree_lookup(seen, &t->pointer)) {
      g_ptr_array_add(all, t);
      g_tree_insert(seen, &t->pointer, t);
    } else if (t) {
      tensor_free(t);
    }
    if (begin == text) break;
  }
  return all;
}

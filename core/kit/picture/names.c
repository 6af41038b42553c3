/* Names that pictures show; see names.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/names.h"

#include <string.h>

#include "base/natural.h"
#include "base/num.h"

Names *names_new(const MillSeed *seed)
{
  Names *n = g_new0(Names, 1);
  n->seed = seed;
  n->keys = g_ptr_array_new_with_free_func(g_free);
  n->lens = g_array_new(FALSE, FALSE, sizeof(size_t));
  n->labels = g_ptr_array_new_with_free_func(g_free);
  n->n_slots = 16;
  n->slots = g_new0(uint32_t, n->n_slots);
  return n;
}

void names_free(Names *n)
{
  if (!n) return;
  g_ptr_array_unref(n->keys);
  g_array_unref(n->lens);
  g_ptr_array_unref(n->labels);
  g_free(n->slots);
  g_free(n);
}

const char *names_key(const Names *n, uint32_t index, size_t *out_len)
{
  *out_len = g_array_index(n->lens, size_t, index);
  return n->keys->pdata[index];
}

/* Where it is, or where it would be. */
static uint32_t *slot_of(const Names *n, const char *key, size_t len)
{
  uint32_t at = (uint32_t)hash_bytes(n->seed, key, len) & (n->n_slots - 1);
  for (;; at = (at + 1) & (n->n_slots - 1)) {
    uint32_t *slot = &n->slots[at];
    if (!*slot) return slot;
    size_t own_len;
    const char *own = names_key(n, *slot - 1, &own_len);
    if (own_len == len && !memcmp(own, key, len)) return slot;
  }
}

uint32_t names_find(const Names *n, const char *key, size_t len)
{
  uint32_t slot = *slot_of(n, key, len);
  return slot ? slot - 1 : NAMES_NONE;
}

static void fill_slots(Names *n)
{
  memset(n->slots, 0, n->n_slots * sizeof *n->slots);
  for (uint32_t i = 0; i < names_len(n); i++) {
    size_t len;
    const char *key = names_key(n, i, &len);
    *slot_of(n, key, len) = i + 1;
  }
}

uint32_t names_add(Names *n, const char *key, size_t len)
{
  uint32_t *slot = slot_of(n, key, len);
  if (*slot) return *slot - 1;
  char *copy = g_malloc(len + 1);
  memcpy(copy, key, len);
  copy[len] = '\0';
  g_ptr_array_add(n->keys, copy);
  g_array_append_val(n->lens, len);
  g_ptr_array_add(n->labels, NULL);
  *slot = names_len(n);
  if (names_len(n) * 2 > n->n_slots) {
    n->n_slots *= 2;
    n->slots = g_renew(uint32_t, n->slots, n->n_slots);
    fill_slots(n);
  }
  return names_len(n) - 1;
}

/* ------------------------------------------------------------------ labels */

static bool is_blank(gunichar c)
{
  return g_unichar_iscntrl(c) || g_unichar_type(c) == G_UNICODE_FORMAT ||
         g_unichar_type(c) == G_UNICODE_LINE_SEPARATOR ||
         g_unichar_type(c) == G_UNICODE_PARAGRAPH_SEPARATOR;
}

static void append_clean(GString *out, const char *text, size_t len)
{
  const char *end = text + len;
  for (const char *p = text; p < end;) {
    gunichar c = *p ? g_utf8_get_char_validated(p, end - p) : 0;
    bool valid = c != (gunichar)-1 && c != (gunichar)-2;
    g_string_append_unichar(out, !valid ? 0xfffd : is_blank(c) ? ' ' : c);
    p = valid && *p ? g_utf8_next_char(p) : p + 1;
  }
}

char *names_clean(const char *text, size_t len, uint32_t longest)
{
  size_t room = 4 * (size_t)longest; /* bytes that so many characters have at most */
  g_autoptr(GString) out = g_string_sized_new(MIN(len, 2 * room) + 1);
  if (len <= 2 * room)
    append_clean(out, text, len);
  else { /* the middle of a long one is never looked at */
    size_t tail = len - room;
    while (tail < len - 1 && ((unsigned char)text[tail] & 0xc0) == 0x80) tail++;
    append_clean(out, text, room);
    append_clean(out, text + tail, len - tail);
  }
  glong n = g_utf8_strlen(out->str, (gssize)out->len);
  if (n <= (glong)longest) return g_strdup(out->str);
  glong head = longest / 2, tail = longest - 1 - head;
  const char *cut = g_utf8_offset_to_pointer(out->str, head);
  const char *rest = g_utf8_offset_to_pointer(cut, n - head - tail);
  return g_strdup_printf("%.*s…%s", (int)(cut - out->str), out->str, rest);
}

void names_set_label(Names *n, uint32_t index, const char *label)
{
  g_free(n->labels->pdata[index]);
  n->labels->pdata[index] = g_strdup(label);
}

static char *raw_label(const Names *n, uint32_t index, uint32_t longest)
{
  size_t len;
  const char *given = n->labels->pdata[index], *key = names_key(n, index, &len);
  if (given) return names_clean(given, strlen(given), longest);
  return len ? names_clean(key, len, longest) : g_strdup("(none)");
}

/* All at once: two that became alike are numbered, in their order. */
static void make_labels(Names *n)
{
  g_autoptr(Names) seen = names_new(n->seed);
  g_autofree uint32_t *times = g_new0(uint32_t, names_len(n) + 1);
  for (uint32_t i = 0; i < names_len(n); i++) {
    g_autofree char *base = raw_label(n, i, NAMES_LONGEST - 8);
    char *label = raw_label(n, i, NAMES_LONGEST);
    uint32_t same;
    while ((same = names_find(seen, label, strlen(label))) != NAMES_NONE) {
      g_free(label);
      label = g_strdup_printf("%s (%u)", base, ++times[same] + 1);
    }
    names_add(seen, label, strlen(label));
    g_free(n->labels->pdata[i]);
    n->labels->pdata[i] = label;
  }
}

const char *names_label(Names *n, uint32_t index)
{
  if (!n->made) make_labels(n);
  n->made = true;
  return n->labels->pdata[index];
}

/* ------------------------------------------------------------------- order */

static gint compare_indices(gconstpointer a, gconstpointer b, gpointer names)
{
  uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
  size_t i_len, k_len;
  const char *x = names_key(names, i, &i_len), *y = names_key(names, k, &k_len);
  return natural_compare(x, i_len, y, k_len);
}

static bool are_numbers(const Names *n)
{
  double x;
  for (uint32_t i = 0; i < names_len(n); i++) {
    size_t len;
    const char *key = names_key(n, i, &len);
    if (len && !num_real(key, len, &x)) return false;
  }
  return true;
}

/* Puts what is at order[i] to place i. */
static void permute(Names *n, const uint32_t *order)
{
  uint32_t count = names_len(n);
  g_autofree gpointer *keys = g_memdup2(n->keys->pdata, count * sizeof(gpointer));
  g_autofree gpointer *labels = g_memdup2(n->labels->pdata, count * sizeof(gpointer));
  g_autofree size_t *lens = g_memdup2(n->lens->data, count * sizeof(size_t));
  for (uint32_t i = 0; i < count; i++) {
    n->keys->pdata[i] = keys[order[i]];
    n->labels->pdata[i] = labels[order[i]];
    g_array_index(n->lens, size_t, i) = lens[order[i]];
  }
  fill_slots(n);
}

void names_pick(Names *io_names, const uint32_t *order, uint32_t count)
{
  Names *picked = names_new(io_names->seed), old;
  for (uint32_t i = 0; i < count; i++) {
    size_t len;
    const char *key = names_key(io_names, order[i], &len);
    uint32_t at = names_add(picked, key, len);
    if (io_names->labels->pdata[order[i]])
      names_set_label(picked, at, io_names->labels->pdata[order[i]]);
  }
  old = *io_names;
  *io_names = *picked;
  *picked = old;
  names_free(picked);
}

uint32_t *names_sort(Names *n, bool always)
{
  uint32_t count = names_len(n);
  if (count < 2 || (!always && !are_numbers(n))) return NULL;
  g_autofree uint32_t *order = g_new(uint32_t, count);
  for (uint32_t i = 0; i < count; i++) order[i] = i;
  g_qsort_with_data(order, (gint)count, sizeof *order, compare_indices, n);
  permute(n, order);
  uint32_t *place = g_new(uint32_t, count);
  for (uint32_t i = 0; i < count; i++) place[order[i]] = i;
  return place;
}

/* -------------------------------------------------------------- shortening */

static size_t common_head(const GPtrArray *labels)
{
  const char *first = labels->pdata[0];
  size_t len = strlen(first);
  for (guint i = 1; i < labels->len; i++) {
    const char *other = labels->pdata[i];
    size_t k = 0;
    while (k < len && first[k] == other[k]) k++;
    len = k;
  }
  return len;
}

static size_t common_tail(const GPtrArray *labels)
{
  const char *first = labels->pdata[0];
  size_t first_len = strlen(first), len = first_len;
  for (guint i = 1; i < labels->len; i++) {
    const char *other = labels->pdata[i];
    size_t other_len = strlen(other), k = 0;
    while (k < MIN(len, other_len) && first[first_len - 1 - k] == other[other_len - 1 - k]) k++;
    len = k;
  }
  return len;
}

static bool is_word(char c) { return g_ascii_isalnum(c) || (unsigned char)c >= 0x80; }

static size_t before_word(const char *text, size_t at)
{
  while (at > 0 && is_word(text[at - 1])) at--;
  return at;
}

/* "json" alone names no file. */
static bool would_be_an_ending(const GPtrArray *labels, size_t head)
{
  for (guint i = 0; i < labels->len; i++) {
    const char *label = labels->pdata[i];
    if (head > 0 && label[head - 1] == '.' && !strchr(label + head, '.')) return true;
  }
  return false;
}

void names_shorten(GPtrArray *io_labels)
{
  if (io_labels->len < 2) return;
  const char *first = io_labels->pdata[0];
  size_t len = strlen(first), head = common_head(io_labels), tail = common_tail(io_labels);
  head = before_word(first, head);
  if (would_be_an_ending(io_labels, head)) head = before_word(first, head - 1);
  while (tail > 0 && is_word(first[len - tail])) tail--;
  for (guint i = 0; i < io_labels->len; i++)
    if (strlen(io_labels->pdata[i]) <= head + tail) return; /* one would have no name */
  for (guint i = 0; i < io_labels->len; i++) {
    char *old = io_labels->pdata[i];
    io_labels->pdata[i] = g_strndup(old + head, strlen(old) - head - tail);
    g_free(old);
  }
}

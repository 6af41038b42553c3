/* Names that pictures show: a set of texts in order, as they are found, and as they are drawn. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PICTURE_NAMES_H
#define KIT_PICTURE_NAMES_H

#include <glib.h>
#include <stdbool.h>

#include "base/hash.h"

#define NAMES_NONE UINT32_MAX
enum { NAMES_LONGEST = 60 }; /* characters that are drawn */

typedef struct Names {
  const MillSeed *seed;
  GPtrArray *keys;   /* char *; lens has their lengths */
  GArray *lens;      /* size_t */
  GPtrArray *labels; /* char *, or NULL until they are asked for */
  uint32_t *slots;   /* index + 1, or 0 */
  uint32_t n_slots;
  bool made; /* all labels */
} Names;

Names *names_new(const MillSeed *seed);
void names_free(Names *n); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Names, names_free)
static inline uint32_t names_len(const Names *n) { return n->keys->len; }
const char *names_key(const Names *n, uint32_t index, size_t *out_len);
uint32_t names_find(const Names *n, const char *key, size_t len); /* or NAMES_NONE */
uint32_t names_add(Names *n, const char *key, size_t len);        /* its index, old or new */
/* How it is drawn, instead of its key. */
void names_set_label(Names *n, uint32_t index, const char *label);
/* Clean, at most NAMES_LONGEST characters, and no two alike. */
const char *names_label(Names *n, uint32_t index);

/* Orders the set: numbers as numbers, "layer 2" before "layer 10"; only when all are numbers, unless
 * always.  NULL, or the new index of each old one, to be freed. */
uint32_t *names_sort(Names *n, bool always);
/* Keeps those, in that order. */
void names_pick(Names *io_names, const uint32_t *order, uint32_t count);

/* Valid UTF-8 in which nothing steers a terminal or a renderer, with … for the middle of a long one. */
char *names_clean(const char *text, size_t len, uint32_t longest);
/* Takes away what all have in common at both ends, as far as words go. */
void names_shorten(GPtrArray *io_labels); /* char * */

#endif

/* What the program lends to a module to read; see verify-lent.h. */
/* SPDX-License-Identifier: MIT */
#include "host/verify-lent.h"

#include <string.h>

#include "base/hash-seed.h"
#include "host/verify.h"

enum { MOST_TEXTS = 16 }; /* of one call that are looked at again */

typedef struct LentText {
  const char *text;
  unsigned hash;
} LentText;

typedef struct Lent {
  const void *options;
  void *as_given;
  unsigned option_texts; /* a hash of them */
  LentText texts[MOST_TEXTS];
  unsigned n_texts;
} Lent;

static Lent *lent_of(Instance *i)
{
  if (!i->lent) i->lent = g_new0(Lent, 1);
  return i->lent;
}

static unsigned hash_option_texts(const Descriptor *d, const void *options)
{
  unsigned sum = 0;
  for (uint32_t k = 0; k < d->n_options; k++) {
    const char *text;
    if (d->options[k].type != MILL_OPT_STRING && d->options[k].type != MILL_OPT_PATH) continue;
    memcpy(&text, (const char *)options + d->options[k].offset, sizeof text);
    sum = sum * 33 + (text ? hash_text(text) : 0);
  }
  return sum;
}

void lent_options(Instance *i, const void *options)
{
  Lent *l = lent_of(i);
  if (!options || !i->descriptor->options_size) return;
  l->options = options;
  l->as_given = g_memdup2(options, i->descriptor->options_size);
  l->option_texts = hash_option_texts(i->descriptor, options);
}

void lent_text(Instance *i, const char *text)
{
  Lent *l = lent_of(i);
  if (!text || l->n_texts == MOST_TEXTS) return;
  l->texts[l->n_texts++] = (LentText){ text, hash_text(text) };
}

void lent_check(Instance *i)
{
  Lent *l = lent_of(i);
  if (l->options && (memcmp(l->options, l->as_given, i->descriptor->options_size) ||
                     hash_option_texts(i->descriptor, l->options) != l->option_texts))
    verify_broken(i, "read-only-memory", "wrote into its options, which all lanes share", NULL);
  for (unsigned k = 0; k < l->n_texts; k++)
    if (hash_text(l->texts[k].text) != l->texts[k].hash)
      verify_broken(i, "read-only-memory", "wrote into a text that it was given to read", NULL);
  l->n_texts = 0;
}

void lent_free(Instance *i)
{
  if (i->lent) g_free(i->lent->as_given);
  g_clear_pointer(&i->lent, g_free);
}

/* Colours of categories; see colors.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/colors.h"

#include <string.h>

/* Okabe and Ito's eight, and four that keep apart from them for who sees fewer colours. */
static const char *const palette[] = { "#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                       "#56b4e9", "#d55e00", "#f0e442", "#000000",
                                       "#882255", "#999933", "#332288", "#88ccee" };

const char *const *colors_palette(guint *out_n)
{
  *out_n = G_N_ELEMENTS(palette);
  return palette;
}

void colors_open(Colors *c, const MillSeed *seed)
{
  *c = (Colors){ names_new(seed), g_ptr_array_new_with_free_func(g_free), 0 };
}

void colors_close(Colors *c)
{
  names_free(c->names);
  g_ptr_array_unref(c->colors);
}

static bool is_color(const char *text, size_t len)
{
  if (len != 7 || *text != '#') return false;
  for (size_t i = 1; i < len; i++)
    if (!g_ascii_isxdigit(text[i])) return false;
  return true;
}

void colors_give(Colors *c, const char *list)
{
  for (const char *p = list; p && *p; p += *p == ',') {
    size_t len = strcspn(p, ",");
    const char *equals = g_strrstr_len(p, (gssize)len, "=");
    size_t name_len = equals ? (size_t)(equals - p) : 0;
    if (equals && is_color(equals + 1, len - name_len - 1) &&
        names_add(c->names, p, name_len) == c->colors->len)
      g_ptr_array_add(c->colors, g_ascii_strdown(equals + 1, 7));
    p += len;
  }
}

bool colors_has(const Colors *c, const char *name)
{
  return category_color(name) || names_find(c->names, name, strlen(name)) != NAMES_NONE;
}

static bool is_given(const Colors *c, const char *color)
{
  for (guint i = 0; i < c->colors->len; i++)
    if (!strcmp(c->colors->pdata[i], color)) return true;
  return false;
}

/* The next one that nobody has; when all are had they repeat. */
static const char *next_color(Colors *c)
{
  while (c->n_taken < G_N_ELEMENTS(palette) && is_given(c, palette[c->n_taken])) c->n_taken++;
  return palette[c->n_taken++ % G_N_ELEMENTS(palette)];
}

const char *colors_of(Colors *c, const char *name)
{
  uint32_t at = names_add(c->names, name, strlen(name));
  if (at < c->colors->len) return c->colors->pdata[at];
  const char *color = category_color(name);
  g_ptr_array_add(c->colors, g_strdup(color ? color : next_color(c)));
  return c->colors->pdata[at];
}

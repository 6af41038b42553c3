/* Which sink does what; see sink-roles.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/sink-roles.h"

#include <string.h>

static const Descriptor *sink_of_role(Modules *modules, uint32_t role)
{
  g_autoptr(GPtrArray) all = modules_sinks(modules, role, NULL);
  const Descriptor *found = NULL;
  for (guint i = 0; i < all->len; i++) {
    const Descriptor *d = ((const Module *)all->pdata[i])->stage;
    if (!found || (found->vendor && !d->vendor)) found = d;
  }
  return found;
}

const char *format_of_role(Modules *modules, uint32_t role)
{
  const Descriptor *d = sink_of_role(modules, role);
  return d ? d->family : "(the usual one)";
}

const Module *sink_of_format(Modules *modules, const char *format)
{
  g_autoptr(GPtrArray) all = modules_sinks(modules, 0, format);
  return all->len ? all->pdata[0] : NULL;
}

static unsigned turn_of(const Descriptor *d)
{
  if (d->flags & MILL_SUMMARY) return 0;
  if (d->flags & MILL_DOCUMENT) return 1;
  return d->sink_ops->write ? 3 : 2;
}

static int by_turn(gconstpointer a, gconstpointer b)
{
  const Descriptor *x = *(const Descriptor *const *)a, *y = *(const Descriptor *const *)b;
  unsigned first = turn_of(x), second = turn_of(y);
  return first != second ? (first < second ? -1 : 1) : strcmp(x->name, y->name);
}

GPtrArray *usual_formats(Modules *modules, bool events)
{
  g_autoptr(GPtrArray) all = modules_sinks(modules, MILL_USUAL, NULL);
  GPtrArray *usual = g_ptr_array_new();
  for (guint i = 0; i < all->len; i++) {
    const Descriptor *d = ((const Module *)all->pdata[i])->stage;
    if (events || !d->sink_ops->write) g_ptr_array_add(usual, (gpointer)d);
  }
  g_ptr_array_sort(usual, by_turn);
  for (guint i = 0; i < usual->len; i++)
    usual->pdata[i] = (gpointer)((const Descriptor *)usual->pdata[i])->family;
  return usual;
}

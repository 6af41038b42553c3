/* A module, and the words for kinds and names; see module.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/module.h"

#include <string.h>

#include "plan/module-copy.h"

void module_free(Module *m)
{
  if (!m) return;
  module_copy_free((Descriptor *)m->stage);
  g_free(m->path);
  g_free(m->shadows);
  g_free(m);
}

const char *module_kind_name(uint32_t kind)
{
  static const char *const names[] = { "module", "stage", "source", "sink" };
  return names[kind <= MILL_KIND_SINK ? kind : 0];
}

uint32_t module_split_kind(const char **io_name)
{
  for (uint32_t kind = MILL_KIND_STAGE; kind <= MILL_KIND_SINK; kind++) {
    const char *word = module_kind_name(kind);
    if (!g_str_has_prefix(*io_name, word) || (*io_name)[strlen(word)] != '/') continue;
    *io_name += strlen(word) + 1;
    return kind;
  }
  return 0;
}

const char *module_scope_name(uint32_t scope)
{
  static const char *const names[] = { "?", "event", "lane", "run", "whole" };
  return names[scope <= MILL_SCOPE_WHOLE ? scope : 0];
}

bool module_is_joined(const char *text, char joint)
{
  if (!text || !g_ascii_islower(*text)) return false;
  for (const char *p = text; *p; p++) {
    if (*p == joint ? !g_ascii_isalnum(p[1]) : !(g_ascii_islower(*p) || g_ascii_isdigit(*p)))
      return false;
  }
  return true;
}

bool module_is_kebab(const char *text) { return module_is_joined(text, '-'); }

bool module_is_name(const char *text)
{
  const char *dot = text ? strchr(text, '.') : NULL;
  if (!dot) return module_is_joined(text, '-');
  g_autofree char *vendor = g_strndup(text, (gsize)(dot - text));
  return module_is_joined(vendor, '-') && module_is_joined(dot + 1, '-');
}

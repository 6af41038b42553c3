/* Names that commands take, completions offer and mistakes are compared with: codes, schemas. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/cli.h"
#include "cmd/lists.h"
#include "host/verify-ids.h"
#include "model/codes.h"
#include "model/engine.h"
#include "model/notice.h"

static void add_notices(const Descriptor *s, GPtrArray *codes)
{
  for (uint32_t k = 0; k < s->n_notices; k++) g_ptr_array_add(codes, notice_code(s, k));
}

GPtrArray *list_codes(Modules *modules)
{
  size_t n;
  const Code *own = codes_all(&n);
  GPtrArray *codes = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) all = modules_all(modules, 0);
  for (size_t i = 0; i < n; i++) g_ptr_array_add(codes, g_strdup(own[i].code));
  add_notices(engine_stage(), codes);
  for (guint i = 0; i < all->len; i++) add_notices(((const Module *)all->pdata[i])->stage, codes);
  const VerifyId *ids = verify_ids(&n);
  for (size_t i = 0; i < n; i++) g_ptr_array_add(codes, g_strdup(ids[i].id));
  GPtrArray *facts = list_fact_names(modules);
  g_ptr_array_extend_and_steal(codes, facts);
  return codes;
}

GPtrArray *list_schemas(void)
{
  static const char suffix[] = SCHEMA_SUFFIX;
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(names, g_strdup("profile")); /* made from the modules that are found */
  for (const Embedded *f = embedded_files; f->name; f++)
    if (g_str_has_suffix(f->name, suffix))
      g_ptr_array_add(names, g_strndup(f->name, strlen(f->name) - strlen(suffix)));
  return names;
}

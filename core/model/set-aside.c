/* What was wrong or odd on the way and did not end the run; see set-aside.h. */
/* SPDX-License-Identifier: MIT */
#include "model/set-aside.h"

#include "model/engine.h"

void aside_init(SetAside *f, bool keep_going)
{
  *f = (SetAside){ .keep_going = keep_going, .errors = g_ptr_array_new() };
  notices_init(&f->notices, engine_stage());
}

void aside_clear(SetAside *f)
{
  error_free(aside_take_errors(f));
  g_ptr_array_unref(f->errors);
  notices_clear(&f->notices);
}

Error *aside_put(SetAside *f, Error *e)
{
  if (!e || !f->keep_going || e->status != EXIT_INPUT) return e;
  g_ptr_array_add(f->errors, e);
  return NULL;
}

Error *aside_take_errors(SetAside *f)
{
  Error *errors = NULL;
  for (guint i = 0; i < f->errors->len; i++) errors = error_join(errors, f->errors->pdata[i]);
  g_ptr_array_set_size(f->errors, 0);
  return errors;
}

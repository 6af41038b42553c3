/* What was wrong or odd on the way and did not end the run; see findings.h. */
#include "model/findings.h"

#include "model/engine.h"

void findings_init(Findings *f, bool keep_going)
{
  *f = (Findings){ .keep_going = keep_going, .errors = g_ptr_array_new() };
  notices_init(&f->notices, engine_stage());
}

void findings_clear(Findings *f)
{
  error_free(findings_take_errors(f));
  g_ptr_array_unref(f->errors);
  notices_clear(&f->notices);
}

Error *findings_set_aside(Findings *f, Error *e)
{
  if (!e || !f->keep_going || e->status != EXIT_INPUT) return e;
  g_ptr_array_add(f->errors, e);
  return NULL;
}

Error *findings_take_errors(Findings *f)
{
  Error *errors = NULL;
  for (guint i = 0; i < f->errors->len; i++) errors = error_join(errors, f->errors->pdata[i]);
  g_ptr_array_set_size(f->errors, 0);
  return errors;
}

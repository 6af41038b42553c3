/* Fuzz target: any bytes as the file of a module.  The first two say from where on the others change a file that is
 * whole, so that its tables are reached; beyond its end they are the file. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <string.h>

#include "made-module.h"
#include "plan/module-peek.h"
#include "saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef MADE_RELATIVE

static void change(MadeModule *m, size_t at, const uint8_t *bytes, size_t n)
{
  for (size_t k = 0; k < n && at + k < sizeof *m; k++) ((uint8_t *)m)[at + k] ^= bytes[k];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  ModulePeek p;
  MadeModule m = made_module();
  if (size < 2) return 0;
  size_t at = (size_t)data[0] << 8 | data[1];
  change(&m, at, data + 2, size - 2);
  if (at < sizeof m)
    save((const uint8_t *)&m, sizeof m);
  else
    save(data + 2, size - 2);
  bool known = module_peek(path, &p);
  PROMISE(!known || p.kind != MILL_KIND_SINK || p.format);
  PROMISE(size > 2 || known || at >= sizeof m);
  module_peek_clear(&p);
  return 0;
}

#else

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  (void)data;
  (void)size;
  return 0;
}

#endif

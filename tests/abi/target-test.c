/* A module says that it needs the minor version that it was built for, MINOR, not that of its header. */
#include "every.h"

#include <stdio.h>

int main(void)
{
  const uint32_t wanted = MILL_ABI_MAJOR << 16 | MINOR;
  const MillModule *modules[] = { &every_stage_module, &every_source_module, &every_sink_module };
  int wrong = 0;
  for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
    if (modules[i]->abi == wanted && modules[i]->kind == i + 1) continue;
    printf("module %zu: abi %x, wanted %x\n", i + 1, modules[i]->abi, wanted);
    wrong = 1;
  }
  return wrong;
}

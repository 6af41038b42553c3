/* stagemill list metrics, which metric --list shows, too. */
/* SPDX-License-Identifier: MIT */
#include "cmd/cli.h"
#include "cmd/describe.h"
#include "cmd/lists.h"

void list_metrics(Modules *modules, bool as_json, GString *out)
{
  g_autoptr(GPtrArray) all = modules_all(modules, MILL_KIND_STAGE);
  CliGrid *grid = cli_grid_new(4);
  JsonWriter json = { .text = out, .layout = JSON_COMPACT };
  if (as_json) json_put_open(&json, NULL, '[');
  cli_grid_add(grid, "name", "unit", "stage", "what it is", NULL);
  for (guint i = 0; i < all->len; i++) {
    const Descriptor *s = ((const Module *)all->pdata[i])->stage;
    for (uint32_t m = 0; m < s->n_metrics; m++) {
      const MillMetric *metric = &s->metrics[m];
      g_autofree char *name =
          g_strconcat(metric->name, metric->stats ? "." : "", metric->stats, NULL);
      if (as_json)
        describe_metric_json(&json, s, metric);
      else
        cli_grid_add(grid, name, metric->unit ? metric->unit : "", s->name,
                     metric->help ? metric->help : "", NULL);
    }
  }
  if (as_json) json_put_end(&json);
  cli_grid_write(grid, "", as_json ? NULL : out);
}

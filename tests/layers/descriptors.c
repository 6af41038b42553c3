/* What descriptors must hold for people: help for each option, column, table and metric, an
 * explanation for each notice.  descriptors MODULE... prints what is missing, and a line
 * "notice PATH NUMBER" for each notice, which descriptors-test.py looks for in the tests. */
#include <dlfcn.h>
#include <stagemill/stage.h>
#include <stdio.h>
#include <string.h>

static int n_missing;

static void need(const char *path, const char *kind, const char *name, const char *text,
                 size_t min_len)
{
  if (text && strlen(text) >= min_len) return;
  printf("missing %s: %s %s: \"%s\"\n", path, kind, name ? name : "?", text ? text : "");
  n_missing++;
}

static void check_options(const char *path, const MillStage *s)
{
  for (uint32_t i = 0; i < s->n_options; i++)
    need(path, "help of option", s->options[i].name, s->options[i].help, 8);
}

static void check_notices(const char *path, const MillStage *s)
{
  char number[16];
  for (uint32_t i = 0; i < s->n_notices; i++) {
    const MillNotice *n = &s->notices[i];
    snprintf(number, sizeof number, "%u", n->number);
    need(path, "text of notice", number, n->what, 8);
    need(path, "explanation of notice", number, n->explain, 40);
    printf("notice %s %u\n", path, n->number);
  }
}

/* Values of one column may have several units, when a text in the row tells which. */
static bool rows_tell_units(const MillTable *t)
{
  for (uint32_t c = 0; c < t->n_columns; c++) {
    const MillColumn *column = &t->columns[c];
    bool tells = !strcmp(column->name, "unit") || !strcmp(column->name, "axis");
    if (tells && column->type == MILL_TEXT) return true;
  }
  return false;
}

static void check_tables(const char *path, const MillStage *s)
{
  for (uint32_t i = 0; i < s->n_tables; i++) {
    const MillTable *t = &s->tables[i];
    need(path, "help of table", t->name, t->help, 8);
    for (uint32_t c = 0; c < t->n_columns; c++) {
      need(path, "help of column", t->columns[c].name, t->columns[c].help, 4);
      if (t->columns[c].type == MILL_REAL && !rows_tell_units(t))
        need(path, "unit of column", t->columns[c].name, t->columns[c].unit, 1);
    }
  }
}

static void check_stage(const char *path, const MillStage *s)
{
  need(path, "title of", s->name, s->title, 8);
  need(path, "help of", s->name, s->help, 20);
  need(path, "version of", s->name, s->version, 5);
  check_options(path, s);
  check_notices(path, s);
  check_tables(path, s);
  for (uint32_t i = 0; i < s->n_metrics; i++)
    need(path, "help of metric", s->metrics[i].name, s->metrics[i].help, 8);
}

int main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    const MillModule *m = library ? dlsym(library, "mill_module_v1") : NULL;
    if (!m) {
      printf("missing %s: %s\n", argv[i], dlerror());
      n_missing++;
      continue;
    }
    for (uint32_t s = 0; s < m->n_stages; s++) check_stage(argv[i], m->stages[s]);
  }
  return n_missing > 0;
}

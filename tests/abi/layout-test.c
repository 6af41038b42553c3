/* Compares offsets and sizes of all public structs with a committed table: layout-test TABLE.
 * Without TABLE it prints the present ones.  What the table has must stay as it is.  Structs may have
 * grown at their end: they say their size, stand a stride apart, or are handed out by the program.  Those that
 * are frozen may not: they stand in others, side by side. */
#include <stagemill/sink.h>
#include <stagemill/source.h>
#include <stagemill/stage.h>
#include <stdio.h>
#include <string.h>

typedef struct Row {
  const char *type, *field; /* field NULL: the struct itself */
  size_t offset, size;
} Row;

#ifndef ROWS
#define ROWS "rows.h"
#endif
#define ROW_STRUCT(S) { #S, NULL, 0, sizeof(S) },
#define ROW_FIELD(S, f) { #S, #f, offsetof(S, f), sizeof(((S *)0)->f) },
static const Row rows[] = {
#include ROWS
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static const Row *find(const char *type, const char *field)
{
  for (size_t i = 0; i < N_ROWS; i++) {
    const Row *r = &rows[i];
    if (strcmp(r->type, type) != 0) continue;
    if (r->field ? field && strcmp(r->field, field) == 0 : !field) return r;
  }
  return NULL;
}

static int print_rows(void)
{
  for (size_t i = 0; i < N_ROWS; i++) {
    const Row *r = &rows[i];
    if (r->field)
      printf("%s.%s %zu %zu\n", r->type, r->field, r->offset, r->size);
    else
      printf("%s - %zu\n", r->type, r->size);
  }
  return 0;
}

/* Also every list of rows: it stands in descriptors, and `wanted` returns one. */
static bool is_frozen(const char *type)
{
  static const char *const frozen[] = { "MillEvent", "MillAttr", "MillValue",
                                        "MillNamed", "MillList", "MillMagic" };
  size_t len = strlen(type);
  for (size_t i = 0; i < sizeof frozen / sizeof frozen[0]; i++)
    if (strcmp(type, frozen[i]) == 0) return true;
  return len > 4 && strcmp(type + len - 4, "Rows") == 0;
}

static bool check_struct(const char *type, size_t size)
{
  const Row *r = find(type, NULL);
  bool ok = r && (is_frozen(type) ? r->size == size : r->size >= size);
  if (!ok) printf("%s: was %zu bytes, is %zu\n", type, size, r ? r->size : 0);
  return ok;
}

static bool check_field(const char *type, const char *field, size_t offset, size_t size)
{
  const Row *r = find(type, field);
  bool ok = r && r->offset == offset && r->size == size;
  if (!ok && !r) printf("%s.%s: is gone\n", type, field);
  if (!ok && r)
    printf("%s.%s: was %zu bytes at %zu, is %zu at %zu\n", type, field, size, offset, r->size,
           r->offset);
  return ok;
}

static bool check_line(char *line)
{
  char name[128];
  size_t a, b;
  if (sscanf(line, "%127s - %zu", name, &a) == 2) return check_struct(name, a);
  if (sscanf(line, "%127s %zu %zu", name, &a, &b) != 3) {
    printf("not a row: %s", line);
    return false;
  }
  char *dot = strchr(name, '.');
  if (!dot) return false;
  *dot = 0;
  return check_field(name, dot + 1, a, b);
}

int main(int argc, char **argv)
{
  char line[256];
  size_t n = 0, n_wrong = 0;
  if (argc < 2) return print_rows();
  FILE *table = fopen(argv[1], "r");
  if (!table) {
    perror(argv[1]);
    return 1;
  }
  for (; fgets(line, sizeof line, table); n++) n_wrong += !check_line(line);
  fclose(table);
  printf("%zu rows, %zu differ\n", n, n_wrong);
  return n_wrong > 0 || n == 0;
}

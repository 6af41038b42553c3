/* Option tables at work; see option.h. */
/* SPDX-License-Identifier: MIT */
#include "model/option.h"

#include <errno.h>
#include <stdalign.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "model/printable.h"

enum {
  KNOWN_FLAGS = MILL_OPTION_REQUIRED | MILL_OPTION_DEPRECATED | MILL_OPTION_GROUP_BY |
                MILL_OPTION_STATS | MILL_OPTION_OR_FILE,
  LIST_FLAGS = MILL_OPTION_GROUP_BY | MILL_OPTION_STATS,
  MOST_FILE_BYTES = 1 << 20
};

struct OptionValues {
  const MillOption *rows;
  uint32_t n_rows;
  uint32_t size;
  char *bytes;       /* the author's struct */
  bool *is_set;      /* one per row */
  GPtrArray *memory; /* strings and arrays that the struct points to */
  GPtrArray *patterns;
};

/* One value in the form of its type; the owner of what it points to is whoever parsed it. */
typedef struct Parsed {
  bool boolean;
  int64_t integer;
  double real;
  GRegex *regex;
  char **items;
  char *contents; /* of the file that the text names */
} Parsed;

typedef struct TypeInfo {
  const char *name;
  const char *expected;
  size_t size, align;
  bool has_range;
} TypeInfo;

static const TypeInfo types[] = {
  [MILL_OPT_BOOL] = { "bool", "true or false", sizeof(bool), alignof(bool), false },
  [MILL_OPT_INT] = { "int", "an integer", sizeof(int64_t), alignof(int64_t), true },
  [MILL_OPT_REAL] = { "real", "a number", sizeof(double), alignof(double), true },
  [MILL_OPT_STRING] = { "string", "a text", sizeof(char *), alignof(char *), false },
  [MILL_OPT_CHOICE] = { "choice", "", sizeof(int64_t), alignof(int64_t), false },
  [MILL_OPT_DURATION] = { "duration", "a duration such as 10ms", sizeof(int64_t), alignof(int64_t),
                          true },
  [MILL_OPT_SIZE] = { "size", "a size such as 4MiB", sizeof(int64_t), alignof(int64_t), true },
  [MILL_OPT_REGEX] = { "regex", "a regular expression", sizeof(void *), alignof(void *), false },
  [MILL_OPT_PATH] = { "path", "a path", sizeof(char *), alignof(char *), false },
  [MILL_OPT_LIST] = { "list", "a list such as a,b", sizeof(MillList), alignof(MillList), true },
};

static const TypeInfo *type_info(const MillOption *row)
{
  return row->type >= MILL_OPT_BOOL && row->type <= MILL_OPT_LIST ? &types[row->type] : NULL;
}

const char *option_type_name(const MillOption *row)
{
  const TypeInfo *info = type_info(row);
  return info ? info->name : "unknown";
}

const MillOption *option_find(const MillOption *rows, uint32_t n_rows, const char *name)
{
  for (uint32_t i = 0; i < n_rows; i++)
    if (strcmp(rows[i].name, name) == 0) return &rows[i];
  return NULL;
}

/* ---- patterns: a MillPattern is a GRegex */

bool pattern_match(const MillPattern *p, const char *text, size_t len)
{
  return p && len <= G_MAXSSIZE &&
         g_regex_match_full((const GRegex *)p, text, (gssize)len, 0, 0, NULL, NULL);
}

/* ---- what is expected */

/* Also with Ki, Mi or Gi behind it, as counts are written beside sizes. */
static bool read_integer(const char *text, size_t len, int64_t *out)
{
  static const char prefixes[] = "KMG";
  if (num_int(text, len, out)) return true;
  if (len < 3 || text[len - 1] != 'i') return false;
  const char *at = memchr(prefixes, text[len - 2], 3);
  int64_t value;
  return at && num_int(text, len - 2, &value) &&
         !__builtin_mul_overflow(value, (int64_t)1024 << 10 * (at - prefixes), out);
}

static bool read_number(uint32_t type, const char *text, size_t len, Parsed *out)
{
  if (type == MILL_OPT_REAL) return num_real(text, len, &out->real);
  if (type == MILL_OPT_DURATION) return num_duration(text, len, &out->integer);
  if (type == MILL_OPT_SIZE) return num_size(text, len, &out->integer);
  return read_integer(text, len, &out->integer);
}

static char *expected_range(const char *range)
{
  const char *colon = strchr(range, ':');
  if (!colon) return g_strdup("");
  if (colon == range) return colon[1] ? g_strdup_printf("at most %s", colon + 1) : g_strdup("");
  if (!colon[1]) return g_strdup_printf("at least %.*s", (int)(colon - range), range);
  return g_strdup_printf("%.*s to %s", (int)(colon - range), range, colon + 1);
}

static char *expected_choices(const char *choices)
{
  g_auto(GStrv) words = g_strsplit(choices, "|", -1);
  g_autofree char *list = g_strjoinv(", ", words);
  return g_strdup_printf("one of %s", list);
}

char *option_expected(const MillOption *row)
{
  const TypeInfo *info = type_info(row);
  if (!info || !row->range) return g_strdup("");
  if (row->type == MILL_OPT_CHOICE) return expected_choices(row->range);
  return info->has_range ? expected_range(row->range) : g_strdup("");
}

static Error *bad_value(const MillOption *row, const char *text, const char *detail)
{
  const TypeInfo *info = type_info(row);
  g_autofree char *safe = printable(text);
  g_autofree char *range = option_expected(row);
  Error *e = error_new(EXIT_PROFILE, "PRF-09", "option \"%s\" cannot be \"%s\"", row->name, safe);
  const char *expected = info ? info->expected : "";
  if (row->type == MILL_OPT_LIST && row->range) expected = "numbers and ranges such as 0-7,12";
  error_why(e, "expected %s%s%s", expected, *expected && *range ? ", " : "", range);
  if (detail) error_why(e, "%s", detail);
  return e;
}

/* ---- text to value */

static Error *parse_bool(const MillOption *row, const char *text, Parsed *out)
{
  static const char *const yes[] = { "true", "yes", "on", "1", NULL };
  static const char *const no[] = { "false", "no", "off", "0", NULL };
  out->boolean = g_strv_contains(yes, text);
  return out->boolean || g_strv_contains(no, text) ? NULL : bad_value(row, text, NULL);
}

static Error *parse_choice(const MillOption *row, const char *text, Parsed *out)
{
  g_auto(GStrv) words = g_strsplit(row->range ? row->range : "", "|", -1);
  for (int64_t i = 0; words[i]; i++) {
    if (strcmp(words[i], text) != 0) continue;
    out->integer = i;
    return NULL;
  }
  return error_suggest(bad_value(row, text, NULL), text, (const char *const *)words);
}

static bool is_less(uint32_t type, const Parsed *a, const Parsed *b)
{
  return type == MILL_OPT_REAL ? a->real < b->real : a->integer < b->integer;
}

/* A missing end of the range is not a bound; the table was checked when its module was loaded. */
static bool in_range(const MillOption *row, const Parsed *v)
{
  const char *colon = row->range ? strchr(row->range, ':') : NULL;
  Parsed bound;
  if (!colon) return true;
  if (read_number(row->type, row->range, (size_t)(colon - row->range), &bound) &&
      is_less(row->type, v, &bound))
    return false;
  return !(read_number(row->type, colon + 1, strlen(colon + 1), &bound) &&
           is_less(row->type, &bound, v));
}

/* "150 may mean 150ms or 150s": a number whose unit could be one of several; NULL: it is not. */
static char *readings(const MillOption *row, const char *text)
{
  double number;
  bool needs_unit = row->type == MILL_OPT_DURATION && row->unit && strchr(row->unit, '|');
  if (!needs_unit || !num_real(text, strlen(text), &number) || number == 0) return NULL;
  g_auto(GStrv) units = g_strsplit(row->unit, "|", -1);
  g_autoptr(GString) all = g_string_new(text);
  for (char **unit = units; *unit; unit++)
    g_string_append_printf(all, "%s%s%s", unit == units ? " may mean " : " or ", text, *unit);
  return g_string_free(g_steal_pointer(&all), FALSE);
}

static Error *parse_number(const MillOption *row, const char *text, Parsed *out)
{
  bool good = read_number(row->type, text, strlen(text), out) && in_range(row, out);
  g_autofree char *unclear = good ? readings(row, text) : NULL;
  return good && !unclear ? NULL : bad_value(row, text, unclear);
}

static Error *parse_regex(const MillOption *row, const char *text, Parsed *out)
{
  g_autoptr(GError) why = NULL;
  if (!*text) return NULL;
  errno = 0;
  out->regex = g_regex_new(text, G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, &why);
  /* As GLib does elsewhere. */
  if (!out->regex && errno == ENOMEM) g_error("failed to allocate an expression");
  return out->regex ? NULL : bad_value(row, text, why->message);
}

/* Plain digits, which every reader of the list understands. */
static bool read_item(const MillOption *row, const char *text, size_t len, Parsed *out)
{
  size_t sign = len && *text == '-';
  bool digits = len > sign && strspn(text + sign, "0123456789") >= len - sign;
  return digits && read_number(row->type, text, len, out) && in_range(row, out);
}

/* A number, or a span of them as in 0-7. */
static bool is_span(const MillOption *row, const char *item)
{
  const char *dash = strchr(item + 1, '-');
  Parsed first, last;
  if (!dash) return read_item(row, item, strlen(item), &first);
  return read_item(row, item, (size_t)(dash - item), &first) &&
         read_item(row, dash + 1, strlen(dash + 1), &last) && first.integer <= last.integer;
}

static Error *parse_list(const MillOption *row, const char *text, Parsed *out)
{
  out->items = g_strsplit(text, ",", -1);
  for (char **item = out->items; *item; item++) {
    if (!*g_strstrip(*item)) return bad_value(row, text, "an item of the list is empty");
    if (row->range && !is_span(row, *item)) return bad_value(row, text, NULL);
  }
  return NULL;
}

/* Stages do no I/O: a file that an option names is read for them. */
static Error *parse_string(const MillOption *row, const char *text, Parsed *out)
{
  static const char too_large[] = "the file is larger than 1 MiB";
  struct stat st;
  gsize len = 0;
  if (!(row->flags & MILL_OPTION_OR_FILE) || stat(text, &st) || !S_ISREG(st.st_mode)) return NULL;
  if (st.st_size > MOST_FILE_BYTES) return bad_value(row, text, too_large); /* before it is read */
  g_autoptr(GError) why = NULL;
  if (!g_file_get_contents(text, &out->contents, &len, &why))
    return error_of_read(bad_value(row, text, why->message), why);
  const char *fault = len > MOST_FILE_BYTES           ? too_large
                      : memchr(out->contents, 0, len) ? "the file is not a text file"
                                                      : NULL;
  if (!fault) return NULL;
  g_clear_pointer(&out->contents, g_free);
  return bad_value(row, text, fault);
}

static Error *parse(const MillOption *row, const char *text, Parsed *out)
{
  switch (row->type) {
  case MILL_OPT_BOOL: return parse_bool(row, text, out);
  case MILL_OPT_CHOICE: return parse_choice(row, text, out);
  case MILL_OPT_REGEX: return parse_regex(row, text, out);
  case MILL_OPT_LIST: return parse_list(row, text, out);
  case MILL_OPT_INT:
  case MILL_OPT_REAL:
  case MILL_OPT_DURATION:
  case MILL_OPT_SIZE: return parse_number(row, text, out);
  case MILL_OPT_STRING: return parse_string(row, text, out);
  case MILL_OPT_PATH: return NULL;
  default: return bad_value(row, text, "this program does not know the type of this option");
  }
}

Error *option_check(const MillOption *row, const char *text)
{
  Parsed parsed = { 0 };
  Error *e = parse(row, text, &parsed);
  g_clear_pointer(&parsed.regex, g_regex_unref);
  g_strfreev(parsed.items);
  g_free(parsed.contents);
  return e;
}

/* ---- the struct */

OptionValues *option_values_new(const MillOption *rows, uint32_t n_rows, uint32_t struct_size)
{
  OptionValues *v = g_new0(OptionValues, 1);
  v->rows = rows;
  v->n_rows = n_rows;
  v->size = struct_size;
  v->bytes = g_malloc0(struct_size ? struct_size : 1);
  v->is_set = g_new0(bool, n_rows);
  v->memory = g_ptr_array_new_with_free_func(g_free);
  v->patterns = g_ptr_array_new_with_free_func((GDestroyNotify)g_regex_unref);
  return v;
}

void option_values_free(OptionValues *v)
{
  if (!v) return;
  g_ptr_array_unref(v->memory);
  g_ptr_array_unref(v->patterns);
  g_free(v->is_set);
  g_free(v->bytes);
  g_free(v);
}

const void *option_values_struct(const OptionValues *v) { return v->bytes; }

static void store_text(OptionValues *v, const MillOption *row, const char *text)
{
  char *copy = g_strdup(text);
  g_ptr_array_add(v->memory, copy);
  memcpy(v->bytes + row->offset, &copy, sizeof copy);
}

static void store_list(OptionValues *v, const MillOption *row, char **items)
{
  MillList list = { items ? g_strv_length(items) : 0, (const char *const *)items };
  for (uint32_t i = 0; i < list.n; i++) g_ptr_array_add(v->memory, items[i]);
  g_ptr_array_add(v->memory, items); /* the array itself; its strings come before it */
  memcpy(v->bytes + row->offset, &list, sizeof list);
}

static void store(OptionValues *v, const MillOption *row, const char *text, const Parsed *parsed)
{
  char *field = v->bytes + row->offset;
  switch (row->type) {
  case MILL_OPT_BOOL: memcpy(field, &parsed->boolean, sizeof parsed->boolean); break;
  case MILL_OPT_REAL: memcpy(field, &parsed->real, sizeof parsed->real); break;
  case MILL_OPT_STRING:
  case MILL_OPT_PATH: store_text(v, row, parsed->contents ? parsed->contents : text); break;
  case MILL_OPT_LIST: store_list(v, row, parsed->items); break;
  case MILL_OPT_REGEX:
    if (parsed->regex) g_ptr_array_add(v->patterns, parsed->regex);
    memcpy(field, &parsed->regex, sizeof parsed->regex);
    break;
  default: memcpy(field, &parsed->integer, sizeof parsed->integer); break;
  }
}

static bool fits(const MillOption *row, const TypeInfo *info, uint32_t struct_size)
{
  return info->size <= struct_size && row->offset <= struct_size - info->size;
}

Error *option_values_set(OptionValues *v, const MillOption *row, const char *text)
{
  Parsed parsed = { 0 };
  const TypeInfo *info = type_info(row);
  if (!info || !fits(row, info, v->size))
    return bad_value(row, text, "its field lies outside the options of the stage");
  Error *e = parse(row, text, &parsed);
  if (e) {
    g_strfreev(parsed.items);
    return e;
  }
  store(v, row, text, &parsed);
  g_free(parsed.contents);
  v->is_set[row - v->rows] = true;
  return NULL;
}

Error *option_values_complete(OptionValues *v)
{
  Error *errors = NULL;
  for (uint32_t i = 0; i < v->n_rows; i++) {
    const MillOption *row = &v->rows[i];
    if (v->is_set[i]) continue;
    if (row->flags & MILL_OPTION_REQUIRED)
      errors = error_join(
          errors, error_new(EXIT_PROFILE, "PRF-10", "option \"%s\" needs a value", row->name));
    else
      errors =
          error_join(errors, option_values_set(v, row, row->default_text ? row->default_text : ""));
  }
  return errors;
}

/* ---- checking a table */

static char *range_fault(const MillOption *row, const TypeInfo *info)
{
  if (!row->range) return row->type == MILL_OPT_CHOICE ? g_strdup("has no choices") : NULL;
  if (row->type == MILL_OPT_CHOICE) {
    g_auto(GStrv) words = g_strsplit(row->range, "|", -1);
    bool empty = g_strv_contains((const char *const *)words, "");
    return empty ? g_strdup_printf("has an empty choice in \"%s\"", row->range) : NULL;
  }
  const char *colon = strchr(row->range, ':');
  if (!info->has_range || !colon)
    return g_strdup_printf("has a range \"%s\" that is not min:max", row->range);
  const char *ends[2] = { row->range, colon + 1 };
  size_t lens[2] = { (size_t)(colon - row->range), strlen(colon + 1) };
  Parsed bound;
  for (int i = 0; i < 2; i++)
    if (lens[i] && !read_number(row->type, ends[i], lens[i], &bound))
      return g_strdup_printf("has a range \"%s\" that cannot be read", row->range);
  return NULL;
}

char *option_row_fault(const MillOption *row, uint32_t struct_size)
{
  const TypeInfo *info = type_info(row);
  if (!info) return g_strdup_printf("has an unknown type %u", row->type);
  if (row->flags & ~(uint32_t)KNOWN_FLAGS)
    return g_strdup_printf("has unknown flags 0x%x", row->flags & ~(uint32_t)KNOWN_FLAGS);
  if (row->flags & LIST_FLAGS && row->type != MILL_OPT_LIST)
    return g_strdup("names tags or statistics, so it must be a list");
  if (row->flags & MILL_OPTION_OR_FILE && row->type != MILL_OPT_STRING)
    return g_strdup("may name a file, so it must be a string");
  if (!fits(row, info, struct_size)) return g_strdup("lies outside the options struct");
  if (row->offset % info->align) return g_strdup("is not aligned in the options struct");
  char *fault = range_fault(row, info);
  if (fault || row->flags & MILL_OPTION_REQUIRED) return fault;
  g_autoptr(Error) e = option_check(row, row->default_text ? row->default_text : "");
  return e ? g_strdup_printf("has a default \"%s\" that it does not accept",
                             row->default_text ? row->default_text : "")
           : NULL;
}

Error *option_values_set_named(OptionValues *v, const MillOption *rows, uint32_t n_rows,
                               const char *name, const GPtrArray *settings)
{
  g_autofree char *prefix = g_strconcat(name, ".", NULL);
  for (guint i = 0; settings && i < settings->len; i++) {
    const char *text = settings->pdata[i], *equal = strchr(text, '=');
    if (!equal || !g_str_has_prefix(text, prefix)) continue;
    text += strlen(prefix);
    g_autofree char *option = g_strndup(text, (gsize)(equal - text));
    if (strchr(option, '.')) continue; /* of a longer name */
    const MillOption *row = option_find(rows, n_rows, option);
    Error *e = row ? option_values_set(v, row, equal + 1)
                   : error_new(EXIT_USAGE, "RUN-06", "\"%s\" has no option \"%s\"", name, option);
    if (e) return e;
  }
  return NULL;
}

/* Fuzz target: any text as a profile, as an edit, and as the value of every type of option. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "model/codes.h"
#include "model/option.h"
#include "plan/profile-parts.h"
#include "promise.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Sample {
  bool flag;
  int64_t integer, duration_ns, bytes, choice;
  double real;
  const char *text, *path;
  const MillPattern *pattern;
  MillList list;
} Sample;

static const MillOption rows[] = {
  MILL_BOOL_OPTION(Sample, flag, "flag", "true", "A flag."),
  MILL_INT_OPTION(Sample, integer, "integer", "5", "-10:100", NULL, "An integer."),
  MILL_DURATION_OPTION(Sample, duration_ns, "duration", "10ms", "1us:", "A duration."),
  MILL_SIZE_OPTION(Sample, bytes, "bytes", "4MiB", ":1GiB", "A size."),
  MILL_CHOICE_OPTION(Sample, choice, "choice", "a", "a|b|c", "A choice."),
  MILL_REAL_OPTION(Sample, real, "real", "0.25", "0:1", NULL, "A number."),
  MILL_STRING_OPTION(Sample, text, "text", "", "A text."),
  MILL_PATH_OPTION(Sample, path, "path", "", "A path."),
  MILL_LIST_OPTION(Sample, list, "list", "a,b", "A list."),
};

static const char base_text[] =
    "{ \"profile\": 1, \"params\": { \"p\": { \"default\": 1 } }, \"stages\": [ { \"use\": \"a\" },"
    " { \"use\": \"b\", \"as\": \"c\", \"enabled\": false, \"optional\": true, \"with\": { \"x\": "
    "\"$p\" } } ] }";

/* Every error has an explanation, a place, and prints. */
static void check_errors(Error *first)
{
  g_autoptr(GString) out = g_string_new(NULL);
  for (Error *e = first; e; e = e->next) {
    PROMISE(codes_find(e->code) != NULL);
    PROMISE(e->status == EXIT_PROFILE || e->status == EXIT_USAGE || e->status == EXIT_STAGE);
    PROMISE(e->at && e->at->len > 0);
  }
  error_format(first, true, false, out);
  PROMISE(!first || g_utf8_validate(out->str, (gssize)out->len, NULL));
  error_free(first);
}

static void check_profile(const char *text, size_t len)
{
  Problems problems = { NULL, NULL, 0 };
  Profile *profile = profile_new();
  Layer *base = layer_read("base.json", base_text, sizeof base_text - 1, &problems);
  PROMISE(base && !problems.n);
  Layer *layer = layer_read("fuzz.json", text, len, &problems);
  if (layer && !problems.n && layer->inherits) merge_layer(profile, base, &problems);
  if (layer && !problems.n) merge_layer(profile, layer, &problems);
  check_errors(problems_take(&problems));
  layer_free(layer);
  layer_free(base);
  profile_free(profile);
}

static void check_edits(Modules *modules, char *text)
{
  Problems problems = { NULL, NULL, 0 };
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  ProfileEdits edits = { .set = words, .enable = words, .disable = words, .only = words };
  Profile *profile = profile_new();
  Layer *base = layer_read("base.json", base_text, sizeof base_text - 1, &problems);
  g_ptr_array_add(words, text);
  merge_layer(profile, base, &problems);
  check_errors(profile_resolve(profile, modules, &edits));
  layer_free(base);
  profile_free(profile);
}

static void check_options(const char *text)
{
  OptionValues *values = option_values_new(rows, G_N_ELEMENTS(rows), sizeof(Sample));
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Error *e = option_values_set(values, &rows[i], text);
    PROMISE(!e || strcmp(e->code, "PRF-09") == 0);
    error_free(e);
  }
  PROMISE(option_values_complete(values) == NULL);
  const Sample *s = option_values_struct(values);
  PROMISE(s->integer >= -10 && s->integer <= 100 && s->real >= 0 && s->real <= 1 &&
          s->duration_ns >= 1000);
  option_values_free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static Modules *modules;
  ModuleSearch none = { .no_user = true, .no_env = true, .no_installed = true };
  if (!modules) modules = modules_new(&none);
  if (size > 1 << 16) return 0;
  g_autofree char *text = g_strndup((const char *)data, size);
  check_profile((const char *)data, size);
  check_edits(modules, text);
  check_options(text);
  return 0;
}

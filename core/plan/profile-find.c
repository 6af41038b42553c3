/* Where profiles are found: paths, the search path, and the list of all. */
#include <errno.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "model/shown.h"
#include "plan/paths.h"
#include "plan/profile-parts.h"

#define SUFFIX ".json"
enum { LONGEST_FILE = 4 << 20 };

typedef struct Place {
  char *path;
  const char *origin;
} Place;

static void place_free(Place *place)
{
  g_free(place->path);
  g_free(place);
}

static void add_place(GPtrArray *places, char *path, const char *origin)
{
  if (!path || !*path) {
    g_free(path);
    return;
  }
  Place *place = g_new0(Place, 1);
  place->path = path;
  place->origin = origin;
  g_ptr_array_add(places, place);
}

/* A relative element of the environment would be a file of the current folder: skipped. */
static GPtrArray *search_places(const ProfileSearch *search)
{
  GPtrArray *places = g_ptr_array_new_with_free_func((GDestroyNotify)place_free);
  for (guint i = 0; search && search->paths && i < search->paths->len; i++)
    add_place(places, g_strdup(search->paths->pdata[i]), "--profile-path");
  const char *text = paths_env("STAGEMILL_PROFILE_PATH");
  g_auto(GStrv) folders = g_strsplit(text ? text : "", ":", -1);
  for (char **f = folders; *f; f++)
    if (g_path_is_absolute(*f)) add_place(places, g_strdup(*f), "environment");
  g_autofree char *user = paths_user_config();
  if (user) add_place(places, g_build_filename(user, "profiles", NULL), "user");
  g_autofree char *data = paths_data();
  add_place(places, g_build_filename(data, "profiles", NULL), "installed");
  return places;
}

char *profile_stem(const char *path)
{
  char *name = g_path_get_basename(path);
  if (g_str_has_suffix(name, SUFFIX) && strlen(name) > strlen(SUFFIX))
    name[strlen(name) - strlen(SUFFIX)] = '\0';
  return name;
}

static Error *no_such_profile(const char *name, const GPtrArray *places)
{
  g_autofree char *safe = shown(name);
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < places->len; i++) {
    GDir *dir = g_dir_open(((Place *)places->pdata[i])->path, 0, NULL);
    for (const char *file; dir && (file = g_dir_read_name(dir));)
      if (g_str_has_suffix(file, SUFFIX)) g_ptr_array_add(words, profile_stem(file));
    if (dir) g_dir_close(dir);
  }
  g_ptr_array_add(words, NULL);
  Error *e = error_new(EXIT_PROFILE, "PRF-01", "unknown profile \"%s\"", safe);
  error_suggest(e, name, (const char *const *)words->pdata);
  if (g_str_has_suffix(name, SUFFIX))
    error_help(e, "write ./%s for a file of the current folder", safe);
  return error_help(e, "stagemill list profiles    shows what is found, and where");
}

char *profile_find(const char *name, const ProfileSearch *search, Error **out_error)
{
  if (strchr(name, '/')) return g_strdup(name);
  g_autoptr(GPtrArray) places = search_places(search);
  for (guint i = 0; *name && i < places->len; i++) {
    g_autofree char *file = g_strconcat(name, SUFFIX, NULL);
    char *path = g_build_filename(((Place *)places->pdata[i])->path, file, NULL);
    if (g_file_test(path, G_FILE_TEST_EXISTS)) return path;
    g_free(path);
  }
  *out_error = no_such_profile(name, places);
  return NULL;
}

Error *profile_unreadable(const char *path, const char *why)
{
  g_autofree char *safe = shown(path);
  Error *e = error_new(EXIT_PROFILE, "PRF-01", "cannot read the profile \"%s\"", safe);
  return error_why(e, "%s", why);
}

char *profile_read(const char *path, size_t *out_len, Error **out_error)
{
  FILE *file = fopen(path, "re");
  if (!file) {
    *out_error = profile_unreadable(path, g_strerror(errno));
    return NULL;
  }
  char *text = g_malloc(LONGEST_FILE + 1);
  size_t len = fread(text, 1, LONGEST_FILE + 1, file);
  int failed = ferror(file) ? errno : 0;
  fclose(file);
  if (failed || len > LONGEST_FILE) {
    *out_error = profile_unreadable(path, failed ? g_strerror(failed) : "it is longer than 4 MiB");
    g_free(text);
    return NULL;
  }
  *out_len = len;
  text = g_realloc(text, len + 1);
  text[len] = '\0';
  return text;
}

/* Only what the list shows; the file need not be a sound profile. */
static char *description_of(const char *path)
{
  g_autoptr(Error) e = NULL;
  size_t len = 0;
  JsonPlace place;
  g_autofree char *why = NULL, *text = profile_read(path, &len, &e);
  if (!text) return g_strdup("(cannot be read)");
  JsonDoc *doc = json_doc_parse(text, len, &place, &why);
  if (!doc) return g_strdup("(is not valid JSON)");
  JsonNode *root = json_doc_root(doc);
  JsonObject *object = JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  const char *found =
      object ? json_object_get_string_member_with_default(object, "description", "") : "";
  char *description = shown(found ? found : "");
  json_doc_free(doc);
  return description;
}

static void list_folder(const Place *place, GHashTable *names, GPtrArray *out)
{
  GDir *dir = g_dir_open(place->path, 0, NULL);
  for (const char *file; dir && (file = g_dir_read_name(dir));) {
    if (!g_str_has_suffix(file, SUFFIX) || *file == '.') continue;
    char *name = profile_stem(file);
    g_autofree char *path = g_build_filename(place->path, file, NULL);
    g_autofree char *description = description_of(path);
    bool shadowed = g_hash_table_contains(names, name);
    g_ptr_array_add(out, g_strdup_printf("%s\t%s\t%s\t%s%s", name, path, place->origin, description,
                                         shadowed ? "\tshadowed" : ""));
    g_hash_table_add(names, name);
  }
  if (dir) g_dir_close(dir);
}

/* By name; of one name the one that is used first. */
static int by_name(const void *a, const void *b)
{
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  size_t nx = strcspn(x, "\t"), ny = strcspn(y, "\t");
  int order = memcmp(x, y, MIN(nx, ny));
  if (order || nx != ny) return order ? order : nx < ny ? -1 : 1;
  bool hx = g_str_has_suffix(x, "\tshadowed"), hy = g_str_has_suffix(y, "\tshadowed");
  return hx != hy ? hx - hy : strcmp(x, y);
}

GPtrArray *profile_list(const ProfileSearch *search)
{
  GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) places = search_places(search);
  g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < places->len; i++) list_folder(places->pdata[i], names, out);
  g_ptr_array_sort(out, by_name);
  return out;
}

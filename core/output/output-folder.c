/* Folders of results on disk: temporary siblings, renames, removal, hashes. */
#include "output/output-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/num.h"

#define END_BYTES (64u << 10)
#define LONGEST_RECORD (64 << 20) /* of run.json: thousands of inputs and outputs */

static bool is_empty(const char *path)
{
  g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
  return dir && !g_dir_read_name(dir);
}

/* PATH/run.json, which may be anybody's: NULL when there is none that a run can have written. */
static JsonDoc *record_of(const char *path)
{
  g_autofree char *file = g_build_filename(path, "run.json", NULL), *text = NULL;
  struct stat st;
  gsize len;
  if (stat(file, &st) || !S_ISREG(st.st_mode) || st.st_size > LONGEST_RECORD) return NULL;
  return g_file_get_contents(file, &text, &len, NULL) ? json_doc_parse(text, len, NULL, NULL)
                                                      : NULL;
}

/* NULL when it has none of this name; the record owns it. */
static JsonNode *record_member(JsonDoc *record, const char *name)
{
  JsonNode *root = record ? json_doc_root(record) : NULL;
  return root && JSON_NODE_HOLDS_OBJECT(root)
             ? json_object_get_member(json_node_get_object(root), name)
             : NULL;
}

/* NULL when it has no such text. */
static const char *text_member(JsonNode *of, const char *name)
{
  JsonObject *object = of && JSON_NODE_HOLDS_OBJECT(of) ? json_node_get_object(of) : NULL;
  JsonNode *member = object ? json_object_get_member(object, name) : NULL;
  bool is_text =
      member && JSON_NODE_HOLDS_VALUE(member) && json_node_get_value_type(member) == G_TYPE_STRING;
  return is_text ? json_node_get_string(member) : NULL;
}

/* The profile named in PATH/run.json, or NULL. */
static char *profile_of(const char *path)
{
  JsonDoc *record = record_of(path);
  char *name = g_strdup(text_member(record_member(record, "profile"), "name"));
  json_doc_free(record);
  return name;
}

bool folder_is_foreign(const char *path)
{
  g_autofree char *profile = NULL;
  if (!g_file_test(path, G_FILE_TEST_IS_DIR) || is_empty(path)) return false;
  profile = profile_of(path);
  return !profile;
}

Error *folder_check(const char *path, const char *profile, bool force)
{
  g_autofree char *earlier = NULL;
  if (!g_file_test(path, G_FILE_TEST_EXISTS)) return NULL;
  if (!g_file_test(path, G_FILE_TEST_IS_DIR)) {
    Error *e = error_new(EXIT_OUTPUT, "OUT-01", "%s is a file, not a folder", path);
    return error_help(e, "choose another name with -o");
  }
  if (force || is_empty(path)) return NULL;
  earlier = profile_of(path);
  if (earlier && !strcmp(earlier, profile)) return NULL;
  Error *e = error_new(EXIT_OUTPUT, "OUT-02", "%s is not empty", path);
  if (earlier)
    error_why(e, "it holds a run of the profile \"%s\"", earlier);
  else
    error_why(e, "it holds files that no earlier run wrote");
  return error_help(e, "choose another folder with -o, or add -f to write there anyway");
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
  (void)st;
  (void)flag;
  (void)ftw;
  return remove(path);
}

static void folder_remove(const char *path) { nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS); }

/* The files that the run in this folder wrote, as its run.json says. */
static GHashTable *files_of_run(const char *path)
{
  GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  JsonDoc *record = record_of(path);
  JsonNode *outputs = record_member(record, "outputs");
  JsonArray *list = outputs && JSON_NODE_HOLDS_ARRAY(outputs) ? json_node_get_array(outputs) : NULL;
  for (guint i = 0; list && i < json_array_get_length(list); i++) {
    const char *name = text_member(json_array_get_element(list, i), "name");
    if (name) g_hash_table_add(names, g_strdup(name));
  }
  json_doc_free(record);
  g_hash_table_add(names, g_strdup("run.json"));
  return names;
}

/* Moves what somebody else put beside (or below) earlier results to the new ones. */
static bool keep_others(const char *from, const char *to, const char *below, GHashTable *ours)
{
  g_autofree char *folder = g_build_filename(from, below, NULL);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  bool good = true;
  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    g_autofree char *inside = *below ? g_build_filename(below, name, NULL) : g_strdup(name);
    g_autofree char *old = g_build_filename(from, inside, NULL);
    g_autofree char *new = g_build_filename(to, inside, NULL);
    g_autofree char *new_folder = g_path_get_dirname(new);
    struct stat st;
    if (lstat(old, &st) || g_hash_table_contains(ours, inside)) continue;
    if (S_ISDIR(st.st_mode))
      good = keep_others(from, to, inside, ours) && good;
    else if (lstat(new, &st) != 0 && (g_mkdir_with_parents(new_folder, 0777) || rename(old, new)))
      good = false;
  }
  return good;
}

/* The old folder under its new name: what is not of an earlier run stays, and if it cannot, so
 * does the folder. */
static void remove_old(const char *old, const char *final)
{
  g_autoptr(GHashTable) ours = files_of_run(old);
  if (keep_others(old, final, "", ours)) folder_remove(old);
}

/* Where the file system cannot exchange two names.  False, with errno: all is as it was. */
static bool replace_in_steps(const char *temp, const char *final)
{
  g_autofree char *old = g_strconcat(temp, ".old", NULL);
  if (rename(final, old)) return false;
  if (rename(temp, final) == 0) {
    remove_old(old, final);
    return true;
  }
  int why = errno;
  rename(old, final);
  errno = why;
  return false;
}

Error *folder_replace(const char *temp, const char *final)
{
  if (rename(temp, final) == 0) return NULL;
  /* It exists: exchange the two in one step, then remove the old one under its new name. */
  if (renameat2(AT_FDCWD, temp, AT_FDCWD, final, RENAME_EXCHANGE) == 0) {
    remove_old(temp, final);
    return NULL;
  }
  if (replace_in_steps(temp, final)) return NULL;
  return error_new(EXIT_OUTPUT, "OUT-03", "%s could not be put in place: %s", final,
                   g_strerror(errno));
}

void folder_leave_log(const char *final, const char *log)
{
  g_autofree char *folder = g_strconcat(final, ".failed", NULL);
  g_autofree char *file = g_build_filename(folder, "log.txt", NULL);
  if (g_mkdir_with_parents(folder, 0777) == 0) g_file_set_contents(file, log, -1, NULL);
}

static bool hash_range(int fd, struct sha256_ctx *sum, uint64_t offset, uint64_t len)
{
  g_autofree char *buffer = g_malloc(END_BYTES);
  while (len) {
    ssize_t n = pread(fd, buffer, (size_t)MIN(len, END_BYTES), (off_t)offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    sha256_update(sum, (size_t)n, (const uint8_t *)buffer);
    offset += (uint64_t)n;
    len -= (uint64_t)n;
  }
  return true;
}

static char *digest_text(struct sha256_ctx *sum)
{
  uint8_t digest[SHA256_DIGEST_SIZE];
  char *text = g_malloc0(BASE16_ENCODE_LENGTH(sizeof digest) + 1);
  sha256_digest(sum, sizeof digest, digest);
  base16_encode_update(text, sizeof digest, digest);
  return text;
}

char *folder_hash_file(const char *path, uint64_t whole_up_to)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat st;
  if (fd < 0) return NULL;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
    close(fd);
    return NULL;
  }
  struct sha256_ctx sum;
  sha256_init(&sum);
  uint64_t size = (uint64_t)st.st_size;
  bool good;
  if (size <= whole_up_to) {
    good = hash_range(fd, &sum, 0, size);
  } else {
    char text[NUM_BUF];
    sha256_update(&sum, num_format_uint(text, size), (const uint8_t *)text);
    good = hash_range(fd, &sum, 0, END_BYTES) && hash_range(fd, &sum, size - END_BYTES, END_BYTES);
  }
  close(fd);
  return good ? digest_text(&sum) : NULL;
}

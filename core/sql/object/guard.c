/* What statements may do: read, and call functions that give the same for the same arguments. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "sql/object/db.h"

enum { STEPS_AT_ONCE = 1000 };

/* Those that tell the time, toss a coin, or look at the program or its files are not here. */
static const char functions[] =
    "-> ->> abs acos acosh asin asinh atan atan2 atanh avg brief ceil ceiling char coalesce concat "
    "concat_ws cos cosh count cume_dist degrees dense_rank duration exp first_value floor format "
    "glob group_concat hex ifnull iif instr json json_array json_array_length json_each "
    "json_error_position json_extract json_group_array json_group_object json_insert json_object "
    "json_patch json_quote json_remove json_replace json_set json_tree json_type json_valid lag "
    "last_value lead length like likelihood likely ln log log10 log2 lower ltrim max median min "
    "mod nth_value ntile nullif number octet_length percent percent_rank pi pow power printf quote "
    "radians rank replace round row_number rtrim sign sin sinh sqrt string_agg substr substring "
    "sum tan tanh total trim trunc typeof unhex unicode unlikely upper zeroblob";

char **guard_functions(void) { return g_strsplit(functions, " ", -1); }

static bool is_allowed(const char *function)
{
  size_t len = strlen(function);
  for (const char *at = functions; *at;) {
    size_t n = strcspn(at, " ");
    if (n == len && !g_ascii_strncasecmp(at, function, len)) return true;
    at += n + (at[n] == ' ');
  }
  return false;
}

static const char *word_of(int action)
{
  switch (action) {
  case SQLITE_ATTACH: return "ATTACH";
  case SQLITE_DETACH: return "DETACH";
  case SQLITE_PRAGMA: return "PRAGMA";
  case SQLITE_INSERT: return "INSERT";
  case SQLITE_UPDATE: return "UPDATE";
  case SQLITE_DELETE: return "DELETE";
  case SQLITE_TRANSACTION: return "BEGIN";
  case SQLITE_SAVEPOINT: return "SAVEPOINT";
  case SQLITE_ALTER_TABLE: return "ALTER";
  case SQLITE_ANALYZE: return "ANALYZE";
  case SQLITE_REINDEX: return "REINDEX";
  case SQLITE_DROP_TABLE:
  case SQLITE_DROP_VIEW:
  case SQLITE_DROP_INDEX:
  case SQLITE_DROP_VTABLE: return "DROP";
  default: return "CREATE";
  }
}

/* The first refusal counts: it is the one whose word stands in the text. */
static int refuse(SqlDb *db, const char *word)
{
  if (!db->refused) db->refused = g_strdup(word);
  return SQLITE_DENY;
}

static int authorize(void *data, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
  SqlDb *db = data;
  (void)first, (void)database, (void)trigger;
  if (db->declaring || action == SQLITE_SELECT || action == SQLITE_READ ||
      action == SQLITE_RECURSIVE)
    return SQLITE_OK;
  if (action == SQLITE_FUNCTION) return is_allowed(second) ? SQLITE_OK : refuse(db, second);
  return refuse(db, word_of(action));
}

static int count_steps(void *data)
{
  SqlDb *db = data;
  const SqlLimits *l = &db->limits;
  db->n_steps += STEPS_AT_ONCE;
  if (l->max_steps && db->n_steps > l->max_steps)
    db->over = SQL_FAULT_STEPS;
  else if (l->stopped && l->stopped(l->context))
    db->over = SQL_FAULT_STOPPED;
  return db->over != SQL_FAULT_WRONG;
}

void guard_set(SqlDb *db)
{
  const SqlLimits *l = &db->limits;
  sqlite3_limit(db->db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(db->db, SQLITE_LIMIT_WORKER_THREADS, 0);
  if (l->max_bytes)
    sqlite3_limit(db->db, SQLITE_LIMIT_LENGTH, (int)CLAMP(l->max_bytes / 4, 1 << 16, 1 << 29));
  sqlite3_db_config(db->db, SQLITE_DBCONFIG_DQS_DML, 0,
                    NULL); /* a name in quotes is never a text */
  sqlite3_db_config(db->db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
  sqlite3_db_config(db->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(db->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_set_authorizer(db->db, authorize, db);
  sqlite3_progress_handler(db->db, STEPS_AT_ONCE, count_steps, db);
}

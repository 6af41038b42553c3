/* Small JSON documents written member by member: commas are put where they belong. */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

void json_put_item(GString *out); /* the comma before an element of an array, if need be */
void json_put_key(GString *out, const char *key);
/* Begins a list or an object ('[' or '{'): the value of the key, or without one an element. */
void json_put_open(GString *out, const char *key, char bracket);
void json_put_text(GString *out, const char *key, const char *text); /* NULL: null */
void json_put_int(GString *out, const char *key, int64_t value);
void json_put_real(GString *out, const char *key, double value); /* not finite: null */
void json_put_bool(GString *out, const char *key, bool value);
void json_put_list(GString *out, const char *key,
                   const char *const *items); /* ends in NULL, or is NULL */
void json_put_array(GString *out, const char *key, const GPtrArray *items); /* char *, or NULL */

/* A compact document (all of it, and valid) laid out as Python's json.dumps(indent=2) does. */
GString *json_indented(const char *json, size_t len);

#endif

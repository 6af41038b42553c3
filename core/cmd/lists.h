/* What several commands list: facts, metrics, codes, schemas. */
#ifndef CMD_LISTS_H
#define CMD_LISTS_H

#include <glib.h>
#include <stdbool.h>

#include "plan/modules.h"

void list_facts(Modules *modules, bool as_json, GString *out);
void list_metrics(Modules *modules, bool as_json, GString *out);
/* char *, to unref. */
GPtrArray *list_codes(Modules *modules); /* that "explain" explains */
GPtrArray *list_schemas(void);

#define SCHEMA_SUFFIX ".schema.json" /* of the embedded files of the schemas */

#endif

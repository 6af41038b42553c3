/* What several commands list: facts, metrics, rules, codes, schemas. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_LISTS_H
#define CMD_LISTS_H

#include <glib.h>
#include <stdbool.h>

#include "plan/profile.h"

void list_facts(Modules *modules, bool as_json, GString *out);
GPtrArray *list_fact_names(Modules *modules); /* char *, to unref */
/* What it promises and who provides, needs, uses and spoils it; false: there is no such fact. */
bool explain_fact(Modules *modules, const char *name, bool as_json, GString *out);
void list_metrics(Modules *modules, bool as_json, GString *out);
GPtrArray *list_rule_names(const ProfileSearch *search); /* char *, ending in NULL; to unref */
void list_rules(const ProfileSearch *search, bool as_json, GString *out);
/* char *, to unref: codes, ids of --verify and facts. */
GPtrArray *list_codes(Modules *modules); /* that "explain" explains */
GPtrArray *list_schemas(void);

#define SCHEMA_SUFFIX ".schema.json" /* of the embedded files of the schemas */

#endif

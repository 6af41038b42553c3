/* Tags as texts "name=value", and those that names of runs and labels give. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_RUN_NAMES_H
#define KIT_RUN_NAMES_H

#include <glib.h>
#include <stdbool.h>

void tags_add(GPtrArray *tags, const char *name, const char *value);
bool tags_have(const GPtrArray *tags, const char *name);
/* From the folder's name: what the card and the file itself may contradict. */
void names_hints(const char *run_name, GPtrArray *hints);
/* From the label on the command line, which wins over the card. */
void names_label_tags(const char *label, GPtrArray *tags);
char *names_of_run(const char *path); /* the folder's own name */
/* The folder of the run that a file of results lies in, which may be in its results_json; NULL: the path names none. */
char *names_folder_of(const char *path);

#endif

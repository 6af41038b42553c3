/* Folders that were named as inputs: each must give an input. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_NAMED_FOLDERS_H
#define INPUT_NAMED_FOLDERS_H

#include "input/input.h"
#include "model/set-aside.h"

typedef struct NamedFolders NamedFolders;

/* For the inputs (InputSpec *) that were found in folders. */
NamedFolders *named_folders_of(const GPtrArray *specs);
void named_folders_free(NamedFolders *);
/* The input was opened. */
void named_folders_use(NamedFolders *, const InputSpec *spec);
/* The input was left out: what to type instead, from the first input that has advice. */
void named_folders_advise(NamedFolders *, const InputSpec *spec, const char *what_to_type);
/* An error for each folder that gave no input; counted under --keep-going. */
Error *named_folders_judge(const NamedFolders *, SetAside *aside);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(NamedFolders, named_folders_free)

#endif

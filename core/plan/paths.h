/* Where the program, its modules and its data are installed, and the folders of the user. */
#ifndef PLAN_PATHS_H
#define PLAN_PATHS_H

#include <stdbool.h>

/* <prefix>/<libdir>/stagemill and <prefix>/<datadir>/stagemill; the prefix is that of the running
 * program when it stands in <prefix>/bin beside such a folder, else the one it was built for.
 * All results here are to be freed, except that of paths_env. */
char *paths_lib(void);
char *paths_data(void);
/* $XDG_DATA_HOME/stagemill, $XDG_CONFIG_HOME/stagemill or their defaults; NULL when privileged. */
char *paths_user_data(void);
char *paths_user_config(void);
/* The environment, unless the process has more rights than its user. */
const char *paths_env(const char *name);

#endif

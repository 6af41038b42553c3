/* A shared object that exports something else. */
int mill_module_v0;

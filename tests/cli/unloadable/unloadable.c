/* A module at which the loader crashes, as it does at some damaged files. */
#include <signal.h>

__attribute__((constructor)) static void crash(void) { raise(SIGSEGV); }

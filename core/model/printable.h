/* Text of unknown origin, made fit for a message: no control characters, not too long. */
#ifndef MODEL_PRINTABLE_H
#define MODEL_PRINTABLE_H

/* A copy to g_free: control bytes and invalid UTF-8 as \xNN, the middle of a long text as "...". */
char *printable(const char *text);

#endif

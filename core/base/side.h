/* Side inputs: what says something about traces and is none, as the log of a compiler; see
 * docs/decisions/0028-side-inputs.md. */
#ifndef BASE_SIDE_H
#define BASE_SIDE_H

/* What a source gives for this name, as its extension: const char *, the label of the inputs that it reads. */
#define SIDE_EXTENSION "stagemill.side/1"

#endif

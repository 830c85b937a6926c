// Starting a program from a process with threads: between fork and exec only async-signal-safe calls may be made,
// which Swift can't promise.
#ifndef KIBO_SPAWN_H
#define KIBO_SPAWN_H



// Starts `program` with standard output and error appended to the file `output` and standard input empty; nothing else
// is inherited: no descriptors, no blocked or ignored signals. The child is killed when the calling *thread* ends.
// Returns the process id, or minus the error number.
int kibo_spawn_tied(const char *program, char *const arguments[], char *const environment[], const char *output);

#endif

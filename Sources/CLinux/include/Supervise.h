// Running a command that may not outlive its time, nor the process that wants it.
#ifndef KIBO_SUPERVISE_H
#define KIBO_SUPERVISE_H

// What kibo_supervise returns beside the command's own status: it took too long, or the caller's parent has ended; and why it
// could not be started, as shells have it.
#define KIBO_TOOK_TOO_LONG 124
#define KIBO_WAS_LEFT 125
#define KIBO_CANT_RUN 126
#define KIBO_NOT_FOUND 127

// Runs a program with this process's standard streams, in a session and a directory of its own, and returns its status, or 128
// plus its signal. After `seconds`, and when the thread that started this process ends, the program is killed. Whatever else
// descends from it is killed then, too, and also when it has ended by itself. For processes with a single thread.
int kibo_supervise(const char *program, char *const arguments[], char *const environment[], const char *directory,
                   int seconds);

#endif

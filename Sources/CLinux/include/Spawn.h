// Starting a program from a process with threads: between fork and exec only async-signal-safe calls may be made,
// which Swift can't promise.
#ifndef KIBO_SPAWN_H
#define KIBO_SPAWN_H



// Starts `program` with standard output and error appended to the file `output` and standard input empty; nothing else
// is inherited: no descriptors, no blocked or ignored signals. The child is killed when the calling *thread* ends.
// Returns the process id, or minus the error number.
int kibo_spawn_tied(const char *program, char *const arguments[], char *const environment[], const char *output);

// Starts `program` with these two descriptors as standard input and output, standard error empty; nothing else is inherited,
// as above, and the child ends with the calling thread. Returns the process id, or minus the error number.
int kibo_spawn_piped(const char *program, char *const arguments[], char *const environment[], int input, int output);

// Like kibo_spawn_piped, with this process's environment, with standard error going to standard output, and as the
// leader of a process group of its own, so that its children can be ended with it.
int kibo_spawn_command(const char *program, char *const arguments[], int input, int output);

// Starts `program` as a session of its own with this process's environment, standard streams empty and nothing else
// inherited: it lives on when the caller ends. Returns the process id, or minus the error number; a program that can't be
// started ends with 127.
int kibo_spawn_detached(const char *program, char *const arguments[]);

// Runs `program` on the terminal as a shell runs a command: it has this process's standard streams and environment, and
// gets the keyboard's signals while it runs. Returns its exit status, 128 plus its signal, or minus the error number.
int kibo_run_in_foreground(const char *program, char *const arguments[]);

// Starts `program` with these descriptors as its 3, 4, 5 …, in this order, with this process's standard output and error, its
// standard input empty, and nothing else inherited. The child is killed when the calling *thread* ends. Returns the process
// id, or minus the error number; a program that can't be started ends with 127.
int kibo_spawn_inheriting(const char *program, char *const arguments[], char *const environment[],
                          const int *descriptors, int count);

// Sets no_new_privs for this process and its successors; with `closes`, other processes can't look into it either.
int kibo_give_up_privileges(int closes);

// From here on no core is written of this process, and other processes of its user can't look into its memory. Programs
// that it starts inherit the limit on cores only. Returns 0, or -1 with errno.
int kibo_hide_memory(void);

// Whether this process can start a program: for tests of its rights. Returns 0, or -1 with errno.
int kibo_try_execve(const char *program);

#endif

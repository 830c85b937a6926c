// The calling thread's own state: its name, and which executor owns it (a pointer that is compared and never followed).
#ifndef KIBO_THREAD_H
#define KIBO_THREAD_H

/// The owner that claimed this thread, or NULL.
const void *kibo_thread_owner(void);

/// Claims this thread for an owner.
void kibo_thread_claim(const void *owner);

/// Names the calling thread, as `top -H` shows it: at most 15 bytes, else nothing happens.
void kibo_thread_set_name(const char *name);

/// Lets the calling thread, and the threads that it makes from now on, give way to others: sets its nice value. A
/// process without privileges can't undo it.
void kibo_thread_give_way(int nice);

/// Asks the scheduler to run the calling thread soon when it has something to do, in exchange for short turns (EEVDF's
/// slice, from Linux 6.12 on; 100,000 ns is the shortest). Does nothing where the kernel can't do that. Threads that
/// the thread makes are ordinary ones.
void kibo_thread_be_prompt(unsigned long long slice_nanoseconds);

/// Gives memory that is not in use back to the system (malloc_trim(3)): after something large that happens rarely.
void kibo_trim_memory(void);

/// Has so many arenas at most from now on (mallopt(3)): what one thread has freed is then used by others. To be called before
/// there are threads.
void kibo_limit_arenas(int count);

#endif

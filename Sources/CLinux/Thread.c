#define _GNU_SOURCE 1
#include "Thread.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local const void *current_owner = NULL;

const void *kibo_thread_owner(void) { return current_owner; }

void kibo_thread_claim(const void *owner) { current_owner = owner; }

void kibo_thread_set_name(const char *name) { pthread_setname_np(pthread_self(), name); }

// setpriority(2) with a thread's number means that thread alone, on Linux.
void kibo_thread_give_way(int nice) { setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), nice); }

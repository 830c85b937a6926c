#define _GNU_SOURCE 1
#include "Thread.h"

#include <pthread.h>
#include <stddef.h>

static _Thread_local const void *current_owner = NULL;

const void *kibo_thread_owner(void) { return current_owner; }

void kibo_thread_claim(const void *owner) { current_owner = owner; }

void kibo_thread_set_name(const char *name) { pthread_setname_np(pthread_self(), name); }

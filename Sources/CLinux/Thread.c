#define _GNU_SOURCE 1
#include "Thread.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local const void *current_owner = NULL;

const void *kibo_thread_owner(void) { return current_owner; }

void kibo_thread_claim(const void *owner) { current_owner = owner; }

void kibo_thread_set_name(const char *name) { pthread_setname_np(pthread_self(), name); }

// On Linux, setpriority(2) with a thread's number changes that thread alone.
void kibo_thread_give_way(int nice) { setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), nice); }

// The first version of the kernel's struct sched_attr (linux/sched/types.h). That header conflicts with an older
// glibc's <sched.h>, and a newer glibc has a definition of its own.
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

#define RESET_ON_FORK 1u

// Older kernels take the runtime of a normal thread and ignore it; from 6.12 on it is the thread's slice. Threads and
// programs that this thread starts begin with the ordinary slice (reset on fork).
void kibo_thread_be_prompt(unsigned long long slice_nanoseconds) {
    struct scheduling attributes = {0};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
    if (attributes.policy != SCHED_OTHER) return;
    attributes.size = sizeof attributes;
    attributes.flags = RESET_ON_FORK;
    attributes.runtime = slice_nanoseconds;
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void kibo_trim_memory(void) { malloc_trim(0); }

void kibo_limit_arenas(int count) { mallopt(M_ARENA_MAX, count); }

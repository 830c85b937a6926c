#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

// Swift sees no macros that look like functions.
static const uint32_t kibo_seccomp_refuse = SCMP_ACT_ERRNO(EPERM);
static const uint32_t kibo_seccomp_kill = SCMP_ACT_KILL_PROCESS;

// Allows a system call; of fcntl(2) what says something about a descriptor, and not what has the kernel send signals or take
// leases; and no sending that connects (TCP Fast Open). What is named connect is only pretended.
static inline int kibo_seccomp_allow(scmp_filter_ctx context, const char *name, int number) {
    if (strcmp(name, "fcntl") == 0) {
        const int commands[] = {F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC};
        int result = 0;
        for (int index = 0; result == 0 && index < 4; index++)
            result = seccomp_rule_add(context, SCMP_ACT_ALLOW, number, 1, SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)commands[index]));
        if (result != 0) return result;
        return seccomp_rule_add(context, SCMP_ACT_ALLOW, number, 2, SCMP_A1(SCMP_CMP_EQ, F_SETFL),
                                SCMP_A2(SCMP_CMP_MASKED_EQ, FASYNC, 0));
    }
    if (strcmp(name, "sendto") == 0)
        return seccomp_rule_add(context, SCMP_ACT_ALLOW, number, 1, SCMP_A3(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0));
    if (strcmp(name, "sendmsg") == 0)
        return seccomp_rule_add(context, SCMP_ACT_ALLOW, number, 1, SCMP_A2(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0));
    // It connects nothing, and says that a connection is being made. libcurl 7.88 calls it for a socket of which it was told that it
    // is connected (libcurl 8 doesn't), then asks the socket, and goes on.
    if (strcmp(name, "connect") == 0) return seccomp_rule_add(context, SCMP_ACT_ERRNO(EINPROGRESS), number, 0);
    return seccomp_rule_add(context, SCMP_ACT_ALLOW, number, 0);
}

// Allows this process the named system calls, and mmap and mprotect for memory that can't be executed; `otherwise` happens to all
// other calls, for good. A name that this processor doesn't know is left out. With `all_threads`, threads that run already
// are held to it too. Returns 0, or -1 if the filter is not in place: the caller must stop then.
static inline int kibo_seccomp_filter(uint32_t otherwise, int all_threads, const char *const names[], int count) {
    scmp_filter_ctx context = seccomp_init(otherwise);
    if (context == NULL) return -1;
    int result = all_threads ? seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1) : 0;
    for (int index = 0; result == 0 && index < count; index++) {
        int number = seccomp_syscall_resolve_name(names[index]);
        // A negative number stands for a call that this processor has under another name, or not at all.
        if (number == __NR_SCMP_ERROR) continue;
        if (kibo_seccomp_allow(context, names[index], number) != 0 && number >= 0) result = -1;
    }
    const struct scmp_arg_cmp is_data = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    const char *const mapping[] = {"mmap", "mprotect"};
    for (int index = 0; result == 0 && index < 2; index++) {
        int number = seccomp_syscall_resolve_name(mapping[index]);
        if (seccomp_rule_add(context, SCMP_ACT_ALLOW, number, 1, is_data) != 0) result = -1;
    }
    if (result == 0) result = seccomp_load(context);
    seccomp_release(context);
    return result == 0 ? 0 : -1;
}

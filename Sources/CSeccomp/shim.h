#include <errno.h>
#include <seccomp.h>

// Swift sees no macros that look like functions.
static const uint32_t kibo_seccomp_allow = SCMP_ACT_ALLOW;
static const uint32_t kibo_seccomp_refuse = SCMP_ACT_ERRNO(EPERM);
static const uint32_t kibo_seccomp_kill = SCMP_ACT_KILL_PROCESS;

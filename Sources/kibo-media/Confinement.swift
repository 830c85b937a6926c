import CLinux
import CSeccomp
import Glibc

/// Takes rights away from this process, for good, before it reads a byte of a foreign file.
///
/// After ``close(memory:time:)`` it can read and write what is open, allocate memory up to a limit, and end. It can't
/// open files, start programs or reach the network.
enum Confinement {
    /// - Parameters:
    ///   - memory: bytes of address space.
    ///   - time: seconds of processor time.
    /// - Returns: false if a right could not be taken away; the caller must stop then.
    static func close(memory: UInt64, time: UInt64) -> Bool {
        // Three descriptors are open, and poll(2) wants a limit that covers the ones it is given.
        limit(memory: memory, time: time) && limit(RLIMIT_NOFILE, 3) && limit(RLIMIT_FSIZE, 0)
            && kibo_give_up_privileges(1) == 0 && filter()
    }

    /// Limits a process that is about to become another program, which still needs files and system calls.
    static func limitSuccessor(memory: UInt64, time: UInt64) -> Bool {
        limit(memory: memory, time: time) && limit(RLIMIT_FSIZE, 0) && kibo_give_up_privileges(0) == 0
    }

    private static func limit(memory: UInt64, time: UInt64) -> Bool {
        limit(RLIMIT_AS, memory) && limit(RLIMIT_CPU, time) && limit(RLIMIT_CORE, 0)
    }

    private static func limit(_ resource: __rlimit_resource, _ value: UInt64) -> Bool {
        var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
        return setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0
    }

    /// The allowed system calls. All others fail with EPERM, so that a library that tries one gives up instead of being
    /// killed.
    private static let allowed = [
        "read", "write", "readv", "writev", "pread64", "lseek", "poll", "ppoll", "close", "fstat", "brk", "mmap",
        "munmap",
        "mremap", "mprotect", "madvise", "futex", "sched_yield", "getrandom", "clock_gettime", "gettimeofday",
        "rt_sigprocmask", "rt_sigaction", "rt_sigreturn", "sigaltstack", "getpid", "gettid",
        "restart_syscall",
        "exit", "exit_group",
    ]

    private static func filter() -> Bool {
        guard let context = seccomp_init(kibo_seccomp_refuse) else { return false }
        defer { seccomp_release(context) }
        for name in allowed {
            let number = seccomp_syscall_resolve_name(name)
            // A call that this processor has under another name, or not at all, needs no permission.
            guard number != __NR_SCMP_ERROR else { continue }
            if seccomp_rule_add_array(context, kibo_seccomp_allow, number, 0, nil) != 0, number >= 0 { return false }
        }
        return seccomp_load(context) == 0
    }

    /// Tries what must not work. The test of this program calls it, because it has no other way to look inside.
    static func selfTest() -> [(name: String, failed: Bool)] {
        var argument: UnsafeMutablePointer<CChar>? = nil
        return [
            ("open", open("/etc/passwd", O_RDONLY) < 0 && errno == EPERM),
            ("create", open("/tmp/kibo-media-test", O_WRONLY | O_CREAT, 0o600) < 0 && errno == EPERM),
            ("socket", socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) < 0 && errno == EPERM),
            ("execve", execve("/bin/true", &argument, &argument) < 0 && errno == EPERM),
            ("fork", fork() < 0 && errno == EPERM),
            ("kill", kill(1, 0) < 0 && errno == EPERM),
            ("tgkill", pthread_kill(pthread_self(), 0) == EPERM),
            ("unlink", unlink("/tmp/kibo-media-test") < 0 && errno == EPERM),
            ("memory", malloc(8 << 30) == nil),
        ]
    }
}

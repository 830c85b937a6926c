import CLinux
import CSeccomp
import Glibc

/// Takes rights away from this process, for good, before it reads a byte of a foreign file.
///
/// After ``close(memory:time:)`` it can read and write what is open, allocate memory up to a limit, and end. It can't
/// open files, start programs, make memory executable or reach the network.
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

    /// The allowed system calls, beside memory that can't be executed. All others fail with EPERM, so that a library that
    /// tries one gives up instead of being killed.
    private static let allowed = [
        "read", "write", "readv", "writev", "pread64", "lseek", "poll", "ppoll", "close", "fstat", "brk", "munmap",
        "mremap", "madvise", "futex", "sched_yield", "getrandom", "clock_gettime", "gettimeofday",
        "rt_sigprocmask", "rt_sigaction", "rt_sigreturn", "sigaltstack", "getpid", "gettid",
        "restart_syscall",
        "exit", "exit_group",
    ]

    private static func filter() -> Bool {
        let names = allowed.map { strdup($0) }
        defer { for name in names { free(name) } }
        return names.map { UnsafePointer($0) }.withUnsafeBufferPointer {
            kibo_seccomp_filter(kibo_seccomp_refuse, 0, $0.baseAddress, CInt($0.count)) == 0
        }
    }
}

import Basics
import CLinux
import CSeccomp
import Glibc
import Reactor
import Threads

/// Takes rights away from a program that serves, for good, before it accepts a connection: it can read, write and accept on what
/// is open, wait, have memory for data, and end. Anything else kills it.
package enum Confinement {
    /// The allowed system calls, beside memory that can't be executed: what the parser, the reactor and Swift were seen to need.
    package static let allowed = [
        "read", "write", "readv", "writev", "recvfrom", "recvmsg", "sendto", "sendmsg", "sendfile", "pread64",
        "pwrite64",
        "fdatasync", "lseek",
        "accept4", "epoll_wait", "epoll_pwait", "epoll_ctl", "close", "shutdown", "fstat", "newfstatat", "fcntl",
        "setsockopt", "getsockopt", "getsockname", "getpeername",
        "munmap", "mremap", "madvise", "brk", "futex", "sched_yield", "getrandom", "clock_gettime",
        "timerfd_settime", "rt_sigprocmask", "rt_sigreturn", "exit", "exit_group", "ppoll", "poll", "restart_syscall",
        "getpid", "gettid",
        "geteuid",
    ]

    /// The caller does before what opens files the first time, such as parsing an object of JSON, which opens /dev/urandom.
    /// - Parameters:
    ///   - descriptors: how many may be open.
    ///   - pretendsToConnect: whether connect(2) does nothing, in place of killing: for libcurl.
    /// - Returns: false if a right could not be taken away; the caller must stop then.
    package static func close(descriptors: UInt64, pretendsToConnect: Bool = false) -> Bool {
        // The first date in an answer would open /etc/localtime.
        tzset()
        return limit(RLIMIT_NOFILE, descriptors) && limit(RLIMIT_CORE, 0) && limit(__RLIMIT_NPROC, 0)
            && kibo_give_up_privileges(1) == 0 && filter(pretendsToConnect ? allowed + ["connect"] : allowed)
    }

    private static func limit(_ resource: __rlimit_resource, _ value: UInt64) -> Bool {
        var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
        return setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0
    }

    private static func filter(_ calls: [String]) -> Bool {
        let names = calls.map { strdup($0) }
        defer { for name in names { free(name) } }
        return names.map { UnsafePointer($0) }.withUnsafeBufferPointer {
            // The reactor's thread runs already.
            kibo_seccomp_filter(kibo_seccomp_kill, 1, $0.baseAddress, CInt($0.count)) == 0
        }
    }

    /// F_SETLEASE, which Glibc's overlay lacks.
    private static let setLease: CInt = 1024

    /// Tries, from inside, what must not work, and what the reactor does in each long wait. The test of this program calls it, because
    /// it has no other way to look inside.
    /// - Returns: only if it was not killed, or for a name that tries nothing.
    package static func attempt(_ name: String) {
        var argument: UnsafeMutablePointer<CChar>?
        switch name {
        case "open": _ = open("/etc/passwd", O_RDONLY)
        case "create": _ = open("/tmp/kibo-web-test", O_WRONLY | O_CREAT, 0o600)
        case "socket": _ = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        case "connect":
            var address = sockaddr()
            _ = connect(0, &address, socklen_t(MemoryLayout<sockaddr>.size))
        case "own": _ = fcntl(0, F_SETOWN, getpid())
        case "async": _ = fcntl(0, F_SETFL, O_ASYNC)
        case "lease": _ = fcntl(0, setLease, CInt(F_WRLCK))
        case "fastopen":
            var byte: UInt8 = 0
            _ = sendto(0, &byte, 1, CInt(MSG_FASTOPEN), nil, 0)
        case "execve": _ = execve("/bin/true", &argument, &argument)
        case "fork": _ = fork()
        case "kill": _ = Glibc.kill(getpid(), 0)
        case "unlink": _ = unlink("/tmp/kibo-web-test")
        case "priority": _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 1)
        case "code": _ = mmap(nil, 1 << 16, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        case "turn":
            let memory = mmap(nil, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            _ = mprotect(memory, 1 << 16, PROT_READ | PROT_EXEC)
        case "thread":
            var thread = pthread_t()
            _ = pthread_create(&thread, nil, { _ in nil }, nil)
        case "wait":
            // Longer than a wait that no alarm ends.
            onReactor { done in Reactor.shared.schedule(at: Reactor.shared.now + .seconds(1)) { done() } }
        default: return
        }
    }

    /// Runs `body` on the reactor. Returns when `body` has called the function that it was given.
    package static func onReactor(_ body: @escaping @Sendable @ReactorActor (@escaping @Sendable () -> Void) -> Void) {
        let isDone = Lock(false)
        Reactor.shared.post { body { isDone.withLock { $0 = true } } }
        while !isDone.withLock({ $0 }) { poll(nil, 0, 1) }
    }
}

import CLinux
import Glibc

/// Tries each thing that must not work, before and after this process has given up its rights: only what worked before
/// shows by its failure that it was taken away.
enum SelfTest {
    /// One thing to try: 0, or the error number.
    private typealias Attempt = (name: String, run: @Sendable () -> CInt)

    private static let file = "/tmp/kibo-media-test-\(getpid())"
    private static let attempts: [Attempt] = [
        ("open", { closed(open("/etc/passwd", O_RDONLY)) }),
        ("create", { closed(open(file, O_WRONLY | O_CREAT, 0o600)) }),
        ("unlink", { number(unlink(file)) }),
        ("socket", { closed(socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)) }),
        ("fork", { waited(fork()) }),
        ("execve", { number(kibo_try_execve("/bin/true")) }),
        ("kill", { number(Glibc.kill(getpid(), 0)) }),
        ("tgkill", { pthread_kill(pthread_self(), 0) }),
        ("code", { mapped(1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC) }),
        ("turn data into code", turned),
        ("memory", { mapped(8 << 30, PROT_READ | PROT_WRITE) }),
    ]

    /// - Returns: the exit status: 0 if all worked before and nothing works afterwards. Standard output has a line for each.
    static func run() -> CInt {
        let before = attempts.map { $0.run() }
        guard Confinement.close(memory: MediaLimits.typesMemory, time: MediaLimits.taskTime) else { return 4 }
        var isTight = true
        for (attempt, before) in zip(attempts, before) {
            let expected = attempt.name == "memory" ? ENOMEM : EPERM
            let after = attempt.run()
            let verdict =
                before != 0
                ? "did not work before: \(String(cString: strerror(before)))"
                : after == expected
                    ? "refused" : after == 0 ? "WORKED" : "failed otherwise: \(String(cString: strerror(after)))"
            isTight = isTight && verdict == "refused"
            _ = Pipes.write("\(attempt.name) \(verdict)\n")
        }
        return isTight ? 0 : 1
    }

    private static func number(_ result: CInt) -> CInt { result < 0 ? errno : 0 }

    private static func closed(_ descriptor: CInt) -> CInt {
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }

    private static func waited(_ pid: pid_t) -> CInt {
        guard pid != 0 else { _exit(0) }
        guard pid > 0 else { return errno }
        waitpid(pid, nil, 0)
        return 0
    }

    private static func mapped(_ bytes: Int, _ protection: CInt) -> CInt {
        let memory = mmap(nil, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard memory != MAP_FAILED else { return errno }
        munmap(memory, bytes)
        return 0
    }

    private static func turned() -> CInt {
        let memory = mmap(nil, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard memory != MAP_FAILED else { return errno }
        defer { munmap(memory, 1 << 16) }
        return number(mprotect(memory, 1 << 16, PROT_READ | PROT_EXEC))
    }
}

import Basics
import Glibc

/// A wall clock for processes alone: `Tests/Preload/clock.c`, built by the compiler that builds the project's C, and
/// preloaded into a process by its environment. The monotonic clocks stay the host's.
///
/// ```swift
/// let clock = try TestClock()
/// daemon.options.environment.merge(clock.environment) { $1 }
/// clock.set(ahead: .seconds(-20 * 86_400))
/// ```
public final class TestClock {
    private let directory: TemporaryDirectory
    private let file: CInt

    /// - Throws: ``SystemError`` if the library can't be built.
    public init() throws(SystemError) {
        directory = try TemporaryDirectory()
        guard let compiler = Self.compiler else { throw SystemError("clang", code: ENOENT) }
        let parts = #filePath.split(separator: "/").dropLast(4)
        let source = "/" + parts.joined(separator: "/") + "/Tests/Preload/clock.c"
        let build = try ChildProcess(
            compiler, ["-shared", "-fPIC", "-O1", source, "-o", directory.file("clock.so")],
            environment: ["PATH": "/usr/bin:/bin"], outputPath: directory.file("output"))
        guard build.wait(.seconds(60)) == .exited(0) else {
            let text = (try? TextFile.text(directory.file("output"))) ?? ""
            throw SystemError("\(compiler): \(text)", code: EIO)
        }
        file = open(directory.file("offset"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError("open") }
        set(ahead: .zero)
    }

    deinit { close(file) }

    /// The environment of a process with this clock.
    public var environment: [String: String] {
        ["LD_PRELOAD": directory.file("clock.so"), "KIBO_TEST_CLOCK": directory.file("offset")]
    }

    /// Sets the clock ahead of the right time by whole seconds, or behind it by negative ones. Processes see it at
    /// once.
    public func set(ahead: Duration) {
        var seconds = Int64(ahead.components.seconds)
        _ = pwrite(file, &seconds, MemoryLayout<Int64>.size, 0)
    }

    /// The first C compiler in the search path.
    private static var compiler: String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        for name in ["clang", "cc"] {
            for directory in path.split(separator: ":") where access("\(directory)/\(name)", X_OK) == 0 {
                return "\(directory)/\(name)"
            }
        }
        return nil
    }
}

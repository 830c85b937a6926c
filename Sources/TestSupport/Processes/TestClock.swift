import Basics
import Glibc

/// A wall clock for single processes: the library in `Tests/Preload`, which a process preloads because of its
/// environment. The monotonic clocks remain the host's.
///
/// ```swift
/// let clock = try TestClock()
/// daemon.options.environment.merge(clock.environment) { $1 }
/// clock.set(ahead: .seconds(-20 * 86_400))
/// ```
public final class TestClock {
    private let directory: TemporaryDirectory
    private let file: CInt

    private let library: String

    /// - Throws: ``SystemError`` if the library can't be built.
    public init() throws {
        directory = try TemporaryDirectory()
        library = try Self.compiledLibrary.get()
        file = open(directory.file("offset"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError("open") }
        set(ahead: .zero)
    }

    deinit { close(file) }

    /// The environment of a process with this clock.
    public var environment: [String: String] {
        ["LD_PRELOAD": library, "KIBO_TEST_CLOCK": directory.file("offset")]
    }

    /// Sets the clock ahead of the right time by whole seconds, or behind it by negative ones. Processes see it at
    /// once.
    public func set(ahead: Duration) {
        var seconds = Int64(ahead.components.seconds)
        _ = pwrite(file, &seconds, MemoryLayout<Int64>.size, 0)
    }

    static let compiledLibrary = Result { try PreloadedLibrary.compile("Preload") }
}

/// A file whose file server doesn't answer, for single processes that preload the library in `Tests/Preload`.
public enum HangingFile {
    /// The environment of a process in which opening the file doesn't return.
    public static func environment(_ path: String) throws -> [String: String] {
        ["LD_PRELOAD": try TestClock.compiledLibrary.get(), "KIBO_TEST_HANGS": path]
    }

    /// Lets all who wait for the file go on.
    public static func answer(_ path: String) throws { try TextFile.write([UInt8](), to: path + ".answers") }
}

/// A disk that writes received files slowly, for single processes that preload the library in `Tests/Preload`. A transfer is then
/// under way for a while without a large file.
public enum SlowDisk {
    /// The environment of a process that writes 20 MiB a second.
    public static var environment: [String: String] {
        get throws { ["LD_PRELOAD": try TestClock.compiledLibrary.get(), "KIBO_TEST_SLOW": "50000"] }
    }
}

import Basics
import Glibc

/// A disk under real daemons that can fail and lose data: the library in `Tests/Disk`, preloaded.
///
/// ```swift
/// let disk = try TestDisk()
/// try disk.carry(anna)   // before its first start, or while it stands still
/// try anna.start()
/// try disk.fail([.transaction(.inputOutput, skip: 2)], at: anna)
/// ```
/// It covers what is beneath a daemon's ``DaemonProcess/dataPath`` and its `Downloads`. Keep the value for as long as
/// the daemons run.
public final class TestDisk {
    /// Something that a disk lacks.
    public enum Lack: String, Sendable {
        /// It can't rename without replacing, and has no hard links.
        case bare
        /// It takes no name that FAT refuses.
        case fat
        /// It takes names of 143 bytes at most.
        case short
    }

    /// A rule that makes operations fail.
    public struct Rule: Sendable {
        /// The calls that fail.
        public enum Operation: String, Sendable {
            /// Opening a file for writing, or making one.
            case open
            case write, truncate, reserve, sync, rename, remove
            /// Making directories and hard links.
            case make
            /// SQLite's writing transactions.
            case transaction
        }

        /// The error that the caller gets.
        public enum Failure: Sendable {
            case full, inputOutput
            /// Another process has the database; for transactions only.
            case busy

            /// Whether SQLite waits on this failure: it shows only after ``Rule/refusals`` of them.
            public var isAskedAgain: Bool { self == .busy }

            var code: CInt {
                switch self {
                case .full: ENOSPC
                case .inputOutput: EIO
                case .busy: EBUSY
                }
            }
        }

        let text: String

        /// - Parameters:
        ///   - name: the end of the files' names; `*` for all files.
        ///   - skip: the number of operations that succeed before the first failure.
        ///   - count: the number of operations that fail; nil for all further ones.
        public init(
            _ operation: Operation, _ failure: Failure, name: String = "*", skip: Int = 0, count: Int? = 1
        ) {
            text = "\(operation.rawValue) \(failure.code) \(skip) \(count ?? -1) \(name)\n"
        }

        /// Makes transactions of the database fail: `full` and `inputOutput` at the first write to the log, `busy`
        /// before the beginning. (Transactions refused as busy count even if they would not write.)
        public static func transaction(_ failure: Failure, skip: Int = 0, count: Int? = 1) -> Rule {
            guard case .busy = failure else {
                return Rule(.transaction, failure, name: "-wal", skip: skip, count: count)
            }
            // SQLite asks this often before it gives up; each question counted as skipped stands for one transaction.
            return Rule(.transaction, failure, name: "-shm", skip: skip, count: count.map { $0 * refusals })
        }

        /// How often SQLite asks for a lock within its limit (`StoreLimits.busyTimeout`, 5 s). Its pauses are 1, 2, 5,
        /// 10, 15, 20, 25, 25, 25, 50, 50 and 100 ms, then 100 ms each; the last one is cut short.
        public static let refusals = 60
    }

    private let place: TemporaryDirectory
    private let library: String

    private var logPath: String { place.file("log") }
    private var base: DiskTree

    /// - Throws: ``SystemError`` with the compiler's message, if there is no compiler or it fails.
    public init() throws {
        place = try TemporaryDirectory()
        library = try Self.compiledLibrary.get()
        base = try DiskTree()
    }

    /// The daemons' operations so far.
    /// - Throws: ``SystemError``.
    public func log() throws -> DiskLog { try DiskLog(path: logPath, base: base) }

    /// The directories of a daemon that the disk covers.
    public static func roots(of daemon: DaemonProcess) -> [String] {
        [daemon.dataPath, daemon.directory.file("Downloads")].compactMap(canonical)
    }

    /// Makes the daemon use this disk from its next start on.
    /// - Parameters:
    ///   - isLogged: whether operations are logged for power cuts; otherwise they can only fail.
    ///   - lacks: what it can't do.
    public func carry(_ daemon: DaemonProcess, isLogged: Bool = true, lacks: [Lack] = []) throws {
        if isLogged { try base.add(Self.roots(of: daemon)) }
        daemon.options.environment.merge([
            "LD_PRELOAD": library, "KIBO_DISK_PROGRAM": "kibod",
            "KIBO_DISK_ROOTS": Self.roots(of: daemon).joined(separator: ":"), "KIBO_DISK_RULES": rules(of: daemon),
        ]) { $1 }
        daemon.options.environment["KIBO_DISK_LOG"] = isLogged ? logPath : nil
        daemon.options.environment["KIBO_DISK_KIND"] = lacks.map(\.rawValue).joined(separator: " ")
    }

    /// Makes another program use this disk, with its operations logged.
    /// - Parameters:
    ///   - program: the name of its file.
    ///   - roots: the directories that the disk covers.
    /// - Returns: the environment with which it has to be started.
    public func carry(_ program: String, beneath roots: [String]) throws -> [String: String] {
        let roots = roots.compactMap(Self.canonical)
        try base.add(roots)
        return [
            "LD_PRELOAD": library, "KIBO_DISK_PROGRAM": program, "KIBO_DISK_ROOTS": roots.joined(separator: ":"),
            "KIBO_DISK_LOG": logPath,
        ]
    }

    /// Makes the daemon go without this disk from its next start on.
    public func release(_ daemon: DaemonProcess) {
        for name in [
            "LD_PRELOAD", "KIBO_DISK_PROGRAM", "KIBO_DISK_ROOTS", "KIBO_DISK_RULES", "KIBO_DISK_LOG", "KIBO_DISK_KIND",
        ] {
            daemon.options.environment[name] = nil
        }
    }

    /// The length of the log: everything done before this call stands before it.
    public var position: Int {
        var status = stat()
        return stat(logPath, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Replaces a daemon's rules from the next operation on. Without rules nothing fails. Counting starts again.
    public func fail(_ rules: [Rule], at daemon: DaemonProcess) throws {
        let path = self.rules(of: daemon)
        try TextFile.write(Array(rules.map(\.text).joined().utf8), to: path + ".new")
        guard rename(path + ".new", path) == 0 else { throw SystemError("rename \(path)") }
    }

    /// The number of a daemon's operations that rules have made fail so far; every request of SQLite for a lock counts.
    public func hits(at daemon: DaemonProcess) -> Int {
        ((try? TextFile.bytes(rules(of: daemon) + ".hits")) ?? []).count { $0 == UInt8(ascii: "\n") }
    }

    private func rules(of daemon: DaemonProcess) -> String {
        let key = daemon.directory.path.split(separator: "/").last ?? ""
        return place.file("rules-\(key)")
    }

    /// A path without links; nil if nothing is there.
    public static func canonical(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static let compiledLibrary = Result { try PreloadedLibrary.compile("Disk") }
}

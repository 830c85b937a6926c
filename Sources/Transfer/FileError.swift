import Basics
import CLinux
import Glibc
import Threads
import Vocabulary

/// A file operation that failed.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation in words for the user: `write`, `open`.
    public let operation: String
    /// The operation's errno.
    public let code: CInt

    public init(_ operation: String, _ code: CInt) {
        self.operation = operation
        self.code = code
    }

    /// Whether room is lacking: the device is full, the quota is used up, or the file is too large for the file system.
    public var isNoSpace: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether the same transfer may succeed later: the folder's disk is away at the moment, or the host is out of
    /// descriptors or memory.
    public var mayPass: Bool {
        [EMFILE, ENFILE, ENOMEM].contains(code) || code == ENOENT && operation == FileError.openingFolder
    }

    static let openingFolder = "open folder"

    public var description: String { "\(operation): \(Self.text(code))" }

    /// The ``Reason`` of a transfer that fits this error best.
    public var reason: Reason {
        switch code {
        case ENOENT, ENOTDIR: .notFound
        case EACCES, EPERM, EROFS, ELOOP, EXDEV: .notAllowed
        case ENOSPC, EDQUOT: .noSpace
        case EFBIG: .tooLarge
        case ENOSYS, EOPNOTSUPP: .unsupported
        default: .internal
        }
    }

    /// The error as a transfer's failure. Missing room has a case of its own.
    var failure: TransferFailure { isNoSpace ? .noSpace : .io(self) }

    private static func text(_ code: CInt) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        kibo_error_text(code, &buffer, buffer.count)
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension ThreadError {
    /// The error as a transfer's failure.
    var failure: TransferFailure {
        switch self {
        case .notStarted(let code): .io(FileError("start a thread", code))
        case .stopped: .cancelled
        }
    }
}

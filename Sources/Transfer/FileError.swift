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

    /// Whether there is no room: on the device, within the quota, or because the file system takes no larger file.
    public var isNoSpace: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether the error may pass without any change of the transfer: the folder's disk is not there, or the host has
    /// no descriptors or memory left.
    public var mayPass: Bool {
        [EMFILE, ENFILE, ENOMEM].contains(code) || code == ENOENT && operation == FileError.openingFolder
    }

    static let openingFolder = "open folder"

    public var description: String { "\(operation): \(Self.text(code))" }

    /// The transfer's reason that fits best.
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

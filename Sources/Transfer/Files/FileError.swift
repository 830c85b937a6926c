import Basics
import CLinux
import Glibc
import Threads

/// A file operation that failed.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation, for people: `write`, `open`.
    public let operation: String
    /// errno.
    public let code: CInt

    public init(_ operation: String, _ code: CInt) {
        self.operation = operation
        self.code = code
    }

    /// No room on the device, over the quota, or larger than the file system takes.
    public var isNoSpace: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether it may be over later without anybody changing the transfer: the folder's disk is not there, or the host has
    /// no descriptors or memory left.
    public var mayPass: Bool {
        [EMFILE, ENFILE, ENOMEM].contains(code) || code == ENOENT && operation == FileError.openingFolder
    }

    static let openingFolder = "open folder"

    public var description: String { "\(operation): \(Self.text(code))" }

    /// The kind that fits best.
    public var reason: TransferReason {
        switch code {
        case ENOENT, ENOTDIR: .notFound
        case EACCES, EPERM, EROFS, ELOOP, EXDEV: .notAllowed
        case ENOSPC, EDQUOT: .noSpace
        case EFBIG: .tooLarge
        case ENOSYS, EOPNOTSUPP: .unsupported
        default: .internalError
        }
    }

    /// As a transfer's failure: no space is one of its own.
    var failure: TransferFailure { isNoSpace ? .noSpace : .io(self) }

    private static func text(_ code: CInt) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        kibo_error_text(code, &buffer, buffer.count)
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension ThreadError {
    /// As a transfer's failure.
    var failure: TransferFailure {
        switch self {
        case .notStarted(let code): .io(FileError("start a thread", code))
        case .stopped: .cancelled
        }
    }
}

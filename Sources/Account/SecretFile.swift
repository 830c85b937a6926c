import Crypto
import Glibc
import Runtime

/// Reads small files with secrets into memory that is zeroed, without a copy elsewhere.
package enum SecretFile {
    /// Why a file was not read.
    package enum Problem: Error, Equatable, CustomStringConvertible {
        /// A link, a pipe, a folder.
        case notAFile
        case foreign
        case openToOthers(mode: UInt32)
        /// The same for a file of root's, which a group may read.
        case rootsOpenToOthers(mode: UInt32)
        case tooLong(limit: Int)
        case failed(CInt)

        /// For people, after the path and a colon.
        package var text: String {
            switch self {
            case .notAFile: "it is not a plain file"
            case .foreign: "it belongs to another user"
            case .openToOthers(let mode): "others may read it (mode \(String(mode, radix: 8))); chmod 600 closes it"
            case .rootsOpenToOthers(let mode):
                "others may read or change it (mode \(String(mode, radix: 8))); chmod 640 lets only its group read it"
            case .tooLong(let limit): "it is longer than \(limit) bytes"
            case .failed(let code): describe(code)
            }
        }

        package var description: String { text }
    }

    /// Reads a file. Returns nil if there is none.
    /// - Parameters:
    ///   - isOurs: whether it must belong to this user and be open to no others.
    ///   - mayBeRoots: whether it may also be root's, for a group to read.
    package static func read(
        _ path: String, limit: Int, isOurs: Bool, mayBeRoots: Bool = false
    ) throws(Problem) -> SecretBytes? {
        // A pipe must not hold up the start, so opening doesn't block.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (isOurs ? O_NOFOLLOW : 0))
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw errno == ELOOP ? .notAFile : .failed(errno)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .failed(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        if mayBeRoots, status.st_uid == 0 {
            guard status.st_mode & 0o037 == 0 else {
                let mode = UInt32(status.st_mode & 0o777)
                throw geteuid() == 0 ? .openToOthers(mode: mode) : .rootsOpenToOthers(mode: mode)
            }
        } else if isOurs {
            guard status.st_uid == geteuid() else { throw .foreign }
            guard status.st_mode & 0o077 == 0 else { throw .openToOthers(mode: UInt32(status.st_mode & 0o777)) }
        }
        guard status.st_size <= limit else { throw .tooLong(limit: limit) }
        var end = 0
        let buffer = try SecretBytes(count: Int(status.st_size)) { (buffer) throws(Problem) in
            while end < buffer.count {
                let count = Glibc.read(file, buffer.baseAddress.map { $0 + end }, buffer.count - end)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw .failed(errno) }
                if count == 0 { break }
                end += count
            }
        }
        if end == buffer.count { return buffer }
        return buffer.withUnsafeBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<end])) }
    }
}

import AddressBook
import ControlProtocol
import Glibc
import Vocabulary

/// Reads a file of vCards. It blocks.
enum AddressBookFile {
    /// What is in the file at `path`.
    /// - Throws: `ControlError` with the field `path`.
    static func read(_ path: String) throws -> VCardFile {
        // Opening a pipe without a writer would wait for ever, so opening doesn't block.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw refusal(errno, path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw refusal(errno, path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw refusal(.invalid, "\(path) is not a file", .giveCards, path)
        }
        guard status.st_size <= AddressBookLimits.fileBytes else { throw tooLarge(path) }
        var reader = VCardReader()
        var total: Int64 = 0
        do {
            while true {
                var piece = [UInt8](repeating: 0, count: 256 << 10)
                let count = Glibc.read(file, &piece, piece.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw refusal(errno, path) }
                if count == 0 { break }
                total += Int64(count)
                guard total <= AddressBookLimits.fileBytes else { throw tooLarge(path) }
                piece.removeSubrange(count...)
                try reader.feed(piece)
            }
            return try reader.finish()
        } catch let error as VCardError {
            throw refusal(error, path)
        }
    }

    private static func tooLarge(_ path: String) -> ControlError {
        refusal(.tooLarge, "\(path) is larger than 1 GiB", .exportWithoutPictures, path, AddressBookLimits.fileBytes)
    }

    private static func refusal(_ error: VCardError, _ path: String) -> ControlError {
        let most = Int64(AddressBookLimits.cards)
        return switch error {
        case .notVCard: refusal(.invalid, "\(path) is not a vCard file", .giveCards, path)
        case .tooManyCards:
            refusal(.tooLarge, "\(path) has more than \(most) cards; nothing was imported", .exportFewer, path, most)
        case .tooMuch:
            refusal(
                .tooLarge, "\(path) has more text in it than any address book; nothing was imported", .exportFewer, path
            )
        }
    }

    private static func refusal(_ code: CInt, _ path: String) -> ControlError {
        switch code {
        case ENOENT, ENOTDIR: refusal(.notFound, "there is no file \(path)", .checkPath, path)
        case EACCES, EPERM: refusal(.invalid, "the daemon may not read \(path)", .makeReadable, path)
        default: refusal(.invalid, "\(path) can't be read: \(String(cString: strerror(code)))", .checkPath, path)
        }
    }

    private static func refusal(
        _ kind: Reason, _ message: String, _ hint: HintCode, _ path: String, _ most: Int64? = nil
    ) -> ControlError {
        var parameters: JSONObject = ["path": .string(path)]
        parameters["most"] = most.map { .integer($0) }
        return ControlError(kind, message, hint: hint, parameters: parameters, field: "path")
    }
}

import AddressBook
import ControlProtocol
import Glibc

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
            throw ControlError(
                .invalid, "\(path) is not a file", hint: .giveCards, parameters: ["path": .string(path)],
                field: "path")
        }
        guard status.st_size <= AddressBookLimits.fileBytes else { throw tooLarge(path) }
        var reader = VCardReader()
        var total: Int64 = 0
        do {
            while true {
                var piece = [UInt8](repeating: 0, count: MatchLimits.filePiece)
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
        ControlError(
            .tooLarge, "\(path) is larger than 1 GiB", hint: .exportWithoutPictures,
            parameters: ["path": .string(path), "most": .integer(AddressBookLimits.fileBytes)], field: "path")
    }

    private static func refusal(_ error: VCardError, _ path: String) -> ControlError {
        switch error {
        case .notVCard:
            ControlError(
                .invalid, "\(path) is not a vCard file", hint: .giveCards,
                parameters: ["path": .string(path)], field: "path")
        case .tooManyCards:
            ControlError(
                .tooLarge, "\(path) has more than \(AddressBookLimits.cards) cards; nothing was imported",
                hint: .exportFewer,
                parameters: ["path": .string(path), "most": .integer(Int64(AddressBookLimits.cards))], field: "path")
        case .tooMuch:
            ControlError(
                .tooLarge, "\(path) has more text in it than any address book; nothing was imported",
                hint: .exportFewer,
                parameters: ["path": .string(path), "most": .integer(Int64(AddressBookLimits.cards))], field: "path")
        }
    }

    private static func refusal(_ code: CInt, _ path: String) -> ControlError {
        switch code {
        case ENOENT, ENOTDIR:
            ControlError(
                .notFound, "there is no file \(path)", hint: .checkPath, parameters: ["path": .string(path)],
                field: "path")
        case EACCES, EPERM:
            ControlError(
                .invalid, "the daemon may not read \(path)", hint: .makeReadable,
                parameters: ["path": .string(path)], field: "path")
        default:
            ControlError(
                .invalid, "\(path) can't be read: \(String(cString: strerror(code)))", hint: .checkPath,
                parameters: ["path": .string(path)], field: "path")
        }
    }
}

import Account
import Backup
import Basics
import ControlProtocol
import Crypto
import Glibc
import Runtime
import Store

/// What the system refuses about the file of a backup.
struct FileProblem: Error, CustomStringConvertible {
    let code: CInt
    init(_ code: CInt) { self.code = code }
    var description: String { describe(code) }
}

/// The backup is opened by something else than what was given.
enum WrongOpening: Error, CustomStringConvertible {
    /// A passphrase was given, and the file takes the recovery code only.
    case noPassphrase
    /// A recovery code was given, and the file takes its passphrase only.
    case noBox
    /// The recovery code of another account was given.
    case otherAccount

    var description: String {
        switch self {
        case .noPassphrase: "the backup has no passphrase"
        case .noBox: "the recovery code doesn't open the backup"
        case .otherAccount: "the recovery code is of another account"
        }
    }
}

/// A folder can't take backups.
enum FolderProblem: Error, CustomStringConvertible {
    /// It is a symbolic link.
    case link(String)
    /// The system refuses it.
    case refused(String, CInt)

    var description: String {
        switch self {
        case .link(let path): "\(path) is a symbolic link"
        case .refused(let path, let code): "\(path): \(describe(code))"
        }
    }
}

/// A backup without a passphrase was asked for, and the public half of the recovery key isn't known yet.
struct NoRecoveryKey: Error, CustomStringConvertible {
    var description: String { "the recovery key is not known" }
}

/// A disk has too little room.
struct NoRoom: Error, CustomStringConvertible {
    /// Where room is missing.
    let path: String
    /// Bytes that are needed, and that are free.
    let needed: UInt64
    let free: UInt64

    var description: String { "\(path) needs \(needed) bytes, and \(free) are free" }
}

extension ControlError {
    /// The refusal for an error while a backup is made, looked at or restored; nil for one that a client is not told.
    init?(_ error: any Error, backup path: String) {
        let shown = ForeignText.escaped(path)
        let parameters: JSONObject = ["path": .string(path)]
        func invalid(_ text: String) -> ControlError {
            ControlError(.invalid, text, parameters: parameters, field: "path")
        }
        switch error {
        case let error as ControlError: self = error
        case BackupError.notABackup: self = invalid("\(shown) is not a backup of Kibo")
        case BackupError.newer, Keystore.Failure.newer:
            self = ControlError(
                .unsupported,
                "\(shown) was made by a newer Kibo, which this one can't read: install that version or a "
                    + "newer one", parameters: parameters, field: "path")
        case BackupError.damaged(let place):
            self = invalid("\(shown) is damaged or cut at byte \(place)")
        case BackupError.malformed(_, let detail): self = invalid("\(shown) can't be used: \(detail)")
        case BackupError.outOfMemory: self = .outOfMemory(.standard)
        case Keystore.Failure.wrongPassphrase:
            self = ControlError(
                .wrongPassphrase, "that is not the passphrase of this backup", field: "passphrase")
        case Keystore.Failure.malformed: self = invalid("the head of \(shown) is damaged")
        case Keystore.Failure.cost: self = invalid("\(shown) asks for more memory than Kibo ever does: it is not ours")
        case Keystore.Failure.outOfMemory: self = .outOfMemory(.standard)
        case WrongOpening.noPassphrase:
            self = invalid("\(shown) has no passphrase: the recovery code of its account opens it")
        case WrongOpening.noBox:
            self = invalid("\(shown) was made without the recovery code: its passphrase opens it")
        case WrongOpening.otherAccount:
            self = invalid("\(shown) is not of the account whose recovery code that is, or its head is damaged")
        case FolderProblem.link:
            self = ControlError(
                .invalid, "\(shown) is a symbolic link: name the folder itself", parameters: parameters,
                field: "directory")
        case FolderProblem.refused(_, ENOENT):
            self = ControlError(
                .notFound, "the folder \(shown) is not there: make it, or mount its disk", parameters: parameters,
                field: "directory")
        case FolderProblem.refused(_, ENOTDIR):
            self = ControlError(.invalid, "\(shown) is not a folder", parameters: parameters, field: "directory")
        case FolderProblem.refused(_, let code):
            self = ControlError(
                .invalid, "the folder \(shown) can't be written to: \(describe(code))", parameters: parameters,
                field: "directory")
        case is NoRecoveryKey:
            self = ControlError(
                .locked, "the recovery code isn't known until the account has been unlocked once", hint: .unlock)
        case let error as NoRoom:
            self = ControlError(
                .noSpace, "there is not enough room for \(ForeignText.escaped(error.path))", hint: .freeSpace,
                parameters: [
                    "path": .string(error.path), "needed": .integer(Int64(clamping: error.needed)),
                    "free": .integer(Int64(clamping: error.free)),
                ])
        case StoreError.full: self = ControlError(.noSpace, "the disk that holds Kibo's data is full", hint: .freeSpace)
        case StoreError.newer(let found, let supported):
            self = ControlError(
                .unsupported,
                "\(shown) was made by a newer Kibo (database \(found), this one knows \(supported)): install "
                    + "that version or a newer one", parameters: parameters, field: "path")
        case StoreError.constraint(let detail), StoreError.corrupt(let detail):
            self = invalid("\(shown) has rows that the database refuses: \(detail)")
        case StoreError.sql(_, let detail): self = invalid("\(shown) has rows that the database refuses: \(detail)")
        case let error as FileProblem: self = .init(error.code, backup: path)
        case let error as StartError: self = ControlError(.noSpace, error.message, hint: .freeSpace)
        default: return nil
        }
    }

    private init(_ code: CInt, backup path: String) {
        let parameters: JSONObject = ["path": .string(path)]
        let shown = ForeignText.escaped(path)
        switch code {
        case ENOENT:
            self = ControlError(.notFound, "\(shown) is not there", parameters: parameters, field: "path")
        case ENOSPC, EDQUOT:
            self = ControlError(
                .noSpace, "there is not enough room for \(shown)", hint: .freeSpace, parameters: parameters)
        case EEXIST:
            self = ControlError(
                .alreadyExists, "\(shown) is there already and is no backup: choose another name",
                parameters: parameters,
                field: "path")
        default:
            self = ControlError(
                .invalid, "\(shown): \(describe(code))", parameters: parameters, field: "path")
        }
    }
}

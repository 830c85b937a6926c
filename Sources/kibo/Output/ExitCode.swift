import ControlProtocol

/// The exit codes of the program, by the contract.
enum ExitCode: Int32, Equatable, CaseIterable {
    case done = 0
    /// Refused or failed.
    case failed = 1
    case usage = 2
    case noDaemon = 3
    case notFound = 4
    /// Locked, or no account yet.
    case noAccount = 5
    /// Ctrl-C ended the program, as shells report it (128 + SIGINT). The daemon goes on with what was waited for.
    case interrupted = 130

    /// What it tells, for the help.
    var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "refused or failed, or a search that found nothing"
        case .usage: "a mistake on the command line"
        case .noDaemon: "the daemon is not running, or has ended"
        case .notFound: "there is no such person, message, file or the like"
        case .noAccount: "there is no account yet, or it is locked"
        case .interrupted: "ended by Ctrl-C"
        }
    }

    init(_ error: ClientError) {
        switch error {
        case .noDaemon, .foreignDaemon, .disconnected: self = .noDaemon
        case .interrupted: self = .interrupted
        case .denied, .timedOut, .broken: self = .failed
        case .refused(let error):
            switch error.kind {
            case .notFound: self = .notFound
            case .noAccount, .locked: self = .noAccount
            default: self = .failed
            }
        }
    }
}

/// Something that the program itself finds wrong, before or after asking the daemon.
struct Failure: Error, Equatable {
    let code: ExitCode
    /// A sentence about what happened. Foreign text in it is escaped when it is shown.
    let message: String
    /// The remedy; empty for none. It may have several lines.
    let hint: String

    init(_ code: ExitCode, _ message: String, hint: String = "") {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// A mistake on the command line.
    static func usage(_ message: String, command: String? = nil) -> Failure {
        Failure(.usage, message, hint: "See: kibo help" + (command.map { " \($0)" } ?? ""))
    }
}

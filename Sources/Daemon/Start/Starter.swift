import Basics
import Glibc
import Messaging
import Reactor
import Runtime
import Store
import Threads

/// Opens the store and the keys, then starts the daemon.
final class Starter: Sendable {
    private let options: Options
    private let directory: DataDirectory
    private let sink: StandardErrorSink
    private let log: Logger

    init(options: Options, directory: DataDirectory, sink: StandardErrorSink, log: Logger) {
        self.options = options
        self.directory = directory
        self.sink = sink
        self.log = log
    }

    /// Returns when the daemon runs.
    func start() async throws {
        let contacts = ContactIndex()
        let keys = try KeyFile.load(from: directory.path)
        let store = try Store.open(
            directory: directory.path, clocks: SystemClocks())
        let state = try await StoredState.load(from: store)
        let account = try await open(keys, of: state.account)
        for contact in state.contacts { contacts.update(contact) }
        let daemon = try await Daemon(
            options: options, directory: directory, sink: sink, log: log, store: store, contacts: contacts,
            account: account, state: state)
        try await daemon.start()
    }

    /// The account's keys, where they need no passphrase or one is remembered that fits.
    private func open(_ keys: StoredKeys?, of row: AccountRow?) async throws -> AccountAtStart {
        guard let row else {
            // What a crash left of an account that nobody was told of, or all that is left of one whose database is gone.
            if keys != nil {
                log.warning(
                    "\(directory.path)/keys is there, but the database knows of no account: put the database back that "
                        + "belongs to it; kibo setup makes another account, and keeps these keys beside the new ones")
            }
            return AccountAtStart()
        }
        guard let keys else {
            throw StartError.failed(
                "\(directory.path)/keys is missing; put back a copy of it: without it this account can't be used")
        }
        guard keys.certificate.account == row.account, keys.certificate.device == row.device else {
            throw StartError.failed(
                "\(directory.path)/keys is of another account than the messages beside it; put back the one that belongs to them"
            )
        }
        switch keys {
        case .plain(let account): return AccountAtStart(account: account)
        case .sealed(let sealed):
            let remembered = RememberedPassphrase(directory: directory.path)
            let log = log.labelled("account")
            let account = try await PlatformThread.run(name: "passphrase") {
                remembered.open(sealed) { log.warning($0) }
            }
            log.notice(account == nil ? "locked; kibo unlock opens it" : "unlocked with the remembered passphrase")
            return AccountAtStart(account: account, sealed: sealed)
        }
    }
}

import Basics
import Glibc
import Reactor
import Store

/// Brings the rooms up in order, takes signals, and takes them down again.
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
        let contacts = ContactBook()
        let account = try KeyFile.load(from: directory.path)
        let store = try Store.open(
            directory: directory.path, clocks: SystemClocks())
        let state = try await StoredState.load(from: store)
        if state.account != nil, account == nil {
            throw StartError.failed(
                "\(directory.path)/keys is missing; put back a copy of it: without it this account can't be used")
        }
        for contact in state.contacts { contacts.update(contact) }
        let daemon = try await Daemon(
            options: options, directory: directory, sink: sink, log: log, store: store, contacts: contacts,
            // Keys without a row are what a crash left of an account that nobody was told of.
            account: state.account == nil ? nil : account, state: state)
        try await daemon.start()
    }
}

import Account
import Basics
import Messaging
import Runtime
import Store
import Threads

extension StartError {
    /// What kept the daemon from starting, with the exit code that says if another start may help.
    init(_ error: any Error) {
        self =
            switch error {
            case let error as StartError: error
            case let error as StoreError:
                switch error {
                case .corrupt, .foreign, .unreleased, .newer: .unusable("\(error)")
                default: .failed("\(error)")
                }
            default: .failed("\(error)")
            }
    }
}

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
        if !TextLibrary.isInstalled {
            log.warning(
                "libkibo-text.so is not installed: names sort by their letters' codes, no address book can be imported")
        }
        // An upgrade of the database may take a minute: the reactor's thread is not held up by it.
        let (keys, store) = try await PlatformThread.run(name: "start") { [path = directory.path, log] in
            (
                try KeyFile.load(from: path),
                try Store.open(directory: path, clocks: SystemClocks()) { Self.tell($0, log) }
            )
        }
        let state = try await StoredState.load(
            from: store, hostSettings: options.configuration.hostSettings)
        let account = try await AccountAtStart.open(keys, of: state.account, in: directory.path, log: log)
        for contact in state.contacts { contacts.update(contact) }
        let daemon = try await Daemon(
            options: options, directory: directory, sink: sink, log: log, store: store, contacts: contacts,
            account: account, state: state)
        try await daemon.start()
    }

    /// Tells the log and systemd, which would end a start of more than its time, that the database is being upgraded.
    private static func tell(_ upgrade: StoreUpgrade, _ log: Logger) {
        let status = "upgrading the database: step \(upgrade.step) of \(upgrade.last)"
        log.notice(status, [("seconds", "\(upgrade.elapsed.milliseconds / 1000)")])
        ServiceManager().starting(status, within: DaemonLimits.upgradePause)
    }
}

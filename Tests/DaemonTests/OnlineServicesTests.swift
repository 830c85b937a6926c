import Account
import Basics
import Crypto
import Network
import Reactor
import Store
import TestSupport
import Testing

@testable import Daemon
@testable import Messaging
@testable import Runtime

/// All services of a daemon on loopback, made as at a start, but without a process and a control socket.
@ReactorActor struct WholeDaemon {
    let services: Services
    let keys: LocalAccount

    /// - Parameter isNew: whether it has no account yet.
    init(directory: String, isNew: Bool = false, log: Logger) async throws {
        try Sodium.start()
        let store = try Store.open(directory: directory, clocks: SystemClocks())
        let keys = try LocalAccount.create(deviceName: "test", at: SystemClocks().wallTime)
        let row = AccountRow(
            account: keys.id, device: keys.device, deviceName: "test", displayName: "Anna",
            createdAt: SystemClocks().wallTime)
        if !isNew { try await store.commit { try $0.saveOwnAccount(row) } }
        var layer = ConfigurationLayer()
        layer.listen = ListenPlace("127.0.0.1:0")
        layer.interfaces = ["lo"]
        layer.discoveryPort = 25_426
        let options = Options(
            dataDirectory: directory, socketPath: directory + "/socket", configurationFile: "",
            requiresConfigurationFile: false, commandLine: layer, configuration: layer)
        services = try Services(
            options: options, directory: directory, sink: StandardErrorSink(level: .error, format: .text), log: log,
            store: store, contacts: ContactIndex(),
            account: AccountAtStart(account: isNew ? nil : keys),
            state: try await StoredState.load(from: store, hostSettings: []),
            stop: {}, restart: {})
        self.keys = keys
    }
}

@Suite("The services that run while the account's keys are in memory")
struct OnlineServicesTests {
    @Test("Three rounds of locking and unlocking leave as many observers of settings as one round")
    @ReactorActor func observers() async throws {
        let directory = try TemporaryDirectory()
        let daemon = try await WholeDaemon(
            directory: directory.path, log: Logger(label: "test", sink: LogCapture()))
        let (services, settings) = (daemon.services, daemon.services.environment.settings)
        defer { services.environment.store.close() }
        var counts: [Int] = []
        for round in 1...3 {
            try services.online.open(incarnation: UInt32(round))
            #expect(services.online.isOpen)
            counts.append(settings.observerCount)
            services.account.dropKeys()
            await services.online.close()
            #expect(!services.online.isOpen && services.account.isLocked)
            services.account.opened(daemon.keys)
        }
        #expect(counts[1] == counts[0] && counts[2] == counts[0], "\(counts)")
    }
}

import Basics
import ControlProtocol
import Reactor
import TestSupport
import Testing

@testable import Control
@testable import Daemon

struct MethodTableTests {
    @Test("Every method of the catalogue has a handler, and every handler is in the catalogue")
    @ReactorActor func table() async throws {
        let directory = try TemporaryDirectory()
        let daemon = try await WholeDaemon(directory: directory.path, log: Logger(label: "test", sink: LogCapture()))
        defer { daemon.services.environment.store.close() }
        #expect(daemon.services.handlers.names == Set(Catalogue.methods.map(\.name)))
        #expect(daemon.services.handlers.passing == Set(Catalogue.methods.filter(\.passesDescriptor).map(\.name)))
        #expect(Catalogue.methods.count == Set(Catalogue.methods.map(\.name)).count)
    }

    @Test("Methods that change something are refused while the account is locked")
    func locked() {
        for method in Catalogue.methods where method.effect == .writes {
            #expect(method.whileLocked == .refused, "\(method.name)")
        }
    }
}

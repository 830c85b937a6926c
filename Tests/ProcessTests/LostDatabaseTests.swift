import ControlProtocol
import TestSupport
import Testing

/// A data directory that has lost its database but not its keys.
@Suite("Keys without a database", .serialized)
struct LostDatabaseTests {
    @Test("A new account doesn't destroy the old keys: they are kept beside its own, and the log says so")
    func kept() throws {
        let anna = try DaemonProcess.launch(name: "Anna", options: .init(logLevel: .info))
        let old = try anna.account.id
        try anna.stop()
        let keys = try TextFile.bytes(anna.dataPath + "/keys")
        for name in TemporaryDirectory.names(in: anna.dataPath) where name.hasPrefix("kibo.sqlite") {
            TemporaryDirectory.remove(anna.dataPath + "/" + name)
        }
        try anna.start()
        #expect(anna.log.contains("the database knows of no account"))
        #expect(try anna.createAccount().id != old)
        let aside = TemporaryDirectory.names(in: anna.dataPath).filter { $0.hasPrefix("keys.old-") }
        #expect(aside.count == 1)
        for name in aside { #expect(try TextFile.holds(anna.dataPath + "/" + name, keys)) }
        #expect(try TextFile.bytes(anna.dataPath + "/keys") != keys)
    }
}

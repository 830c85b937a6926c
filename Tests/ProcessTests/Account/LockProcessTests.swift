import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Locks and unlocks real daemons: tests what peers see, what clients are told, and what is left in memory.
@Suite("Accounts that are locked", .serialized)
struct LockProcessTests {
    @Test("A locked daemon leaves the network within seconds, refuses what needs keys, and comes back as it was")
    func lockAndUnlock() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launchSealed(name: "Anna", options: options)
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        try anna.befriend(bert)
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        let sent = try MessageProcessTests.send("before", from: anna, to: bertID)
        try MessageProcessTests.waitForState(.delivered, of: sent.id, at: anna)
        let watcher = try anna.connect()
        _ = try watcher.call("events.subscribe", ["types": ["account.changed"]])

        let locked = try Account(json: anna.call("account.lock"))
        #expect(locked.locked && locked.hasPassphrase && !locked.remembered && locked.id == annaID)
        let event = try #require(try watcher.nextEvent(timeout: Patience.usual))
        #expect(try Account(json: event.data).locked)
        try Patience.until("Bert to see Anna leave", within: .seconds(10), report: bert.logTail) {
            try bert.contact(annaID)?.presence == .offline && bert.peers.isEmpty
        }
        let status = try anna.status
        #expect(status.locked && status.listen.isEmpty && status.sessions == 0 && status.peers == 0)
        #expect(try anna.account.locked)
        // A message that is sent meanwhile waits.
        let waiting = try MessageProcessTests.send("while you were away", from: bert, to: annaID)
        #expect(try anna.refusal("message.send", ["to": .string(bertID), "text": "no"]) == .locked)
        #expect(try anna.refusal("account.lock") == nil, "locking a locked account succeeds at once")

        #expect(try !anna.unlock().locked)
        try MessageProcessTests.waitForState(.delivered, of: waiting.id, at: bert)
        let back = try MessageProcessTests.send("here again", from: anna, to: bertID)
        try MessageProcessTests.waitForState(.delivered, of: back.id, at: anna)
        #expect(
            try MessageProcessTests.texts(anna, anna.conversation(with: bert))
                == ["before", "while you were away", "here again"])
    }

    @Test(
        "While locked, all methods are refused except the named ones; history follows a setting that can't change then")
    func gate() throws {
        let anna = try DaemonProcess.launchSealed(name: "Anna")
        try anna.call("account.lock")
        let answered: Set = [
            "system.hello", "system.status", "system.schema", "rpc.discover", "system.shutdown", "account.create",
            "account.get",
            "account.unlock", "account.lock", "account.link", "settings.list", "settings.get", "events.subscribe",
            "events.ack", "events.unsubscribe", "addressBook.countries", "system.doctor", "system.metrics",
            "system.reload", "backup.check", "backup.restore", "backup.rotate", "backup.status", "recovery.check",
            "account.recover",
        ]
        let history: Set = [
            "contact.list", "contact.get", "contact.safetyNumber", "conversation.list", "conversation.get",
            "conversation.export", "message.list", "message.recent", "message.media", "message.get",
            "message.search", "message.why",
            "transfer.list", "transfer.get", "addressBook.list", "group.get", "group.list", "name.resolve",
            "conversation.totals", "transfer.open", "transfer.entries", "transfer.thumbnail", "picture.open",
        ]
        for method in Catalogue.methods.map(\.name) where !answered.contains(method) {
            #expect(try anna.refusal(method) == .locked, "\(method)")
        }
        #expect(try anna.refusal("events.subscribe", ["since": 0]) == .locked)
        #expect(try anna.refusal("events.subscribe", ["types": ["message.added"]]) == .locked)
        #expect(try anna.refusal("events.subscribe", ["types": ["account.changed"]]) == nil)
        let setting: JSONObject = ["key": "privacy.historyWhileLocked", "value": true]
        #expect(
            try anna.refusal("settings.set", setting) == .locked, "otherwise any local caller could read the history")

        _ = try anna.unlock()
        try anna.call("settings.set", setting)
        try anna.call("account.lock")
        for method in Catalogue.methods.map(\.name) where !answered.contains(method) {
            // Without its parameters a method may be refused for their lack.
            #expect(try (anna.refusal(method) == .locked) == !history.contains(method), "\(method)")
        }
        #expect(try anna.call("contact.list")["contacts"]?.array?.isEmpty == true)
        #expect(try anna.refusal("events.subscribe", ["since": 0]) == nil)
    }

    @Test("A locked daemon has no keys in memory, and no more descriptors after many rounds; the 256 MiB are released")
    func memory() throws {
        var options = DaemonProcess.Options(discoveryPort: try FreePort.udp(), logLevel: .info)
        options.paysForPassphrases = true
        // The plain file tells the test which bytes to look for.
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let keys = try TextFile.bytes(anna.dataPath + "/keys")
        let seeds = [Array(keys[6..<38]), Array(keys[41..<73])]
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        try anna.befriend(bert)
        // These are keys as a start reads them, and keys that a daemon made itself.
        try anna.call("account.changePassphrase", ["new": .string(DaemonProcess.passphrase)])
        let pid = try #require(anna.pid)
        guard (try? anna.remembers(seeds[0])) == true else {
            Issue.record("the seed should be found while unlocked, or memory can't be looked at here")
            return
        }
        try anna.call("account.lock")
        let locked = try ProcessFigures(pid: pid)
        for (index, seed) in seeds.enumerated() { #expect(try !anna.remembers(seed), "seed \(index)") }
        _ = try anna.unlock()
        let unlocked = try ProcessFigures(pid: pid)
        #expect(unlocked.peakResident > 256 << 20, "the passphrase was stretched with less memory than that")
        #expect(unlocked.resident < locked.resident + (32 << 20), "the memory was not released")
        try anna.waitToSee(bert)
        let files = anna.openFiles
        try anna.call("account.lock")
        _ = try anna.unlock()
        try anna.call("account.lock")
        for (index, seed) in seeds.enumerated() { #expect(try !anna.remembers(seed), "seed \(index), third time") }
        _ = try anna.unlock()
        try anna.waitToSee(bert)
        let id = try bert.account.id
        try Patience.until("as many descriptors as before", report: anna.logTail) {
            try anna.contact(id)?.presence == .online && anna.openFiles <= files + 1
        }
    }

    @Test("A running transfer stops with the lock, and goes on from there with the unlock")
    func transfers() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp(), logLevel: .info)
        let anna = try DaemonProcess.launchSealed(name: "Anna", options: options)
        let bert = try DaemonProcess.launchSealed(name: "Bert", options: options)
        try anna.befriend(bert)
        try bert.set("privacy.historyWhileLocked", to: true)
        let (id, inbox, bytes) = try PauseProcessTests.underWay(200, anna, bert)
        try bert.call("account.lock")
        let stands = try FileProcessTests.transfer(id, at: bert)
        #expect(stands.state == .queued || stands.state == .done, "\(stands)")
        _ = try bert.unlock()
        try anna.call("account.lock")
        _ = try anna.unlock()
        let done = try FileProcessTests.waitForEnd(id, at: bert, within: .seconds(120))
        #expect(done.state == .done, "\(done)\n\(bert.logTail)\n\(anna.logTail)")
        #expect(try TextFile.holds(inbox + "/large.pdf", bytes))
    }

    @Test("Two clients unlock at once, one locks meanwhile, one waits for a peer: each of them gets an answer")
    func atOnce() throws {
        var options = DaemonProcess.Options()
        options.paysForPassphrases = true
        let anna = try DaemonProcess.launchSealed(name: "Anna", options: options)
        try anna.call("account.lock")
        let clients = try (0..<3).map { _ in try anna.connect() }
        let params: JSONObject = ["passphrase": .string(DaemonProcess.passphrase)]
        let first = try clients[0].send("account.unlock", params)
        let second = try clients[1].send("account.unlock", params)
        #expect(try Account(json: clients[0].reply(to: first, timeout: Patience.usual)).locked == false)
        #expect(try Account(json: clients[1].reply(to: second, timeout: Patience.usual)).locked == false)
        // No peer answers at that address for a while.
        let meeting = try clients[2].send("peer.connect", ["address": "127.0.0.1:1"])
        let lock = try clients[0].send("account.lock")
        let unlock = try clients[1].send("account.unlock", params)
        #expect(try Account(json: clients[0].reply(to: lock, timeout: Patience.usual)).locked)
        #expect(try Account(json: clients[1].reply(to: unlock, timeout: Patience.usual)).locked == false)
        #expect(throws: ClientError.self) { try clients[2].reply(to: meeting, timeout: Patience.usual) }
        #expect(try !anna.status.listen.isEmpty)
    }
}

import Basics
import ControlProtocol
import TestSupport
import Testing

/// Daemons on hosts of their own, which are network namespaces on a bridge with real broadcasts between them. This
/// needs root.
@Suite(
    "Daemons on a network of several hosts", .serialized,
    .enabled(if: TestNetwork.unavailable == nil, "\(TestNetwork.unavailable ?? "")"))
struct NetworkProcessTests {
    private func launch(_ name: String, on host: TestNetwork.Host) throws -> DaemonProcess {
        // All daemons have the standard port, as on real hosts.
        var options = DaemonProcess.Options(discoveryPort: 15426)
        options.namespace = host
        return try DaemonProcess.launch(name: name, options: options)
    }

    @Test("Three hosts find each other by broadcast, two become friends, chat and hand over a file")
    func story() throws {
        let network = try TestNetwork(hosts: 3)
        let anna = try launch("Anna", on: network.hosts[0])
        let bert = try launch("Bert", on: network.hosts[1])
        let carl = try launch("Carl", on: network.hosts[2])
        for daemon in [anna, bert, carl] {
            try Patience.until("\(daemon.name) to see both others", report: daemon.logTail) {
                try daemon.peers.count == 2
            }
        }
        let address = try anna.peers.first { $0.displayName == "Bert" }?.address
        #expect(address == network.hosts[1].address + ":15426")
        try anna.befriend(bert)
        let sent = try MessageProcessTests.send("over the wire", from: anna, to: bert.account.id)
        try MessageProcessTests.waitForState(.delivered, of: sent.id, at: anna)

        let path = anna.directory.file("map.png")
        let bytes = FileProcessTests.content(3_000_000, seed: 9)
        try TextFile.write(bytes, to: path)
        let id = try FileProcessTests.offer(path, from: anna, to: bert)
        try bert.call("transfer.accept", ["id": .string(id)])
        let done = try FileProcessTests.waitForEnd(id, at: bert)
        #expect(done.state == .done)
        #expect(try TextFile.holds(try #require(done.path), bytes))

        // Bert's daemon is told to stay on this host: it dials no peer that it remembers, and says why.
        try bert.stop()
        bert.options.namespace?.interfaces = ["lo"]
        try bert.start()
        do {
            try bert.call("peer.connect", ["address": .string(network.hosts[0].address + ":15426")])
            Issue.record("the peer was reached")
        } catch ClientError.refused(let error) { #expect(error.message.contains("told to use lo only")) }
        #expect(try bert.contact(anna.account.id)?.presence != .online)
        try bert.stop()
        bert.options.namespace = network.hosts[1]
        try bert.start()
        try Patience.until("Bert to be back", report: bert.logTail) {
            try anna.contact(bert.account.id)?.presence == .online
        }
    }

    @Test(
        "An interface that isn't there yet stops no start: the log and the doctor say so, and it is used once it is there"
    )
    func lateInterface() throws {
        let network = try TestNetwork(hosts: 2)
        let anna = try launch("Anna", on: network.hosts[0])
        let bert = try launch("Bert", on: network.hosts[1])
        try anna.befriend(bert)
        try bert.stop()
        bert.options.namespace?.interfaces = ["late0"]
        try bert.start()
        #expect(
            bert.log.contains(
                "there is no network interface late0 here; there are eth0, lo; it is used once it is there"),
            "\(bert.logTail)")
        func missing() throws -> JSONValue? {
            let checks = try (bert.call("system.doctor")["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }
            let check = try #require(checks.first { $0.name == "interfaces" })
            return check.findings.first { $0.code == .interfacesMissing }?.parameters["names"]
        }
        #expect(try missing() == ["late0"])
        #expect(try bert.contact(anna.account.id)?.presence != .online)
        try network.rename("eth0", of: network.hosts[1], to: "late0")
        try Patience.until("Bert to be back", report: bert.logTail) {
            try anna.contact(bert.account.id)?.presence == .online
        }
        #expect(try missing() == nil)
    }

    @Test("After a pulled cable messages wait, and arrive without a command when it is plugged in again")
    func cable() throws {
        let network = try TestNetwork(hosts: 2)
        let anna = try launch("Anna", on: network.hosts[0])
        let bert = try launch("Bert", on: network.hosts[1])
        try anna.befriend(bert)
        let bertID = try bert.account.id
        func interfaces() throws -> [String] {
            try DaemonStatus(json: bert.call("system.status")).interfaces
        }
        #expect(try interfaces() == ["eth0"])
        try network.connect(network.hosts[1], false)
        // The address stays, and nobody is reached by it: the window then says that there is no network.
        try Patience.until("the interface to be out of use", report: bert.logTail) { try interfaces().isEmpty }
        let sent = try MessageProcessTests.send("are you still there?", from: anna, to: bertID)
        // The session's keep-alive notices within about ten seconds.
        try Patience.until("Bert to be offline", within: .seconds(30), report: anna.logTail) {
            try anna.contact(bertID)?.presence == .offline
        }
        #expect(try Message(json: anna.call("message.get", ["id": .string(sent.id)])).state != .delivered)
        try network.connect(network.hosts[1], true)
        try Patience.until("the message to be delivered", within: .seconds(90), report: anna.logTail + bert.logTail) {
            try Message(json: anna.call("message.get", ["id": .string(sent.id)])).state == .delivered
        }
        #expect(try MessageProcessTests.texts(bert, bert.conversation(with: anna)) == ["are you still there?"])
        // The message may come in over the host's address before its daemon has looked at the interfaces again.
        try Patience.until("the interface to be in use", report: bert.logTail) { try interfaces() == ["eth0"] }
    }
}

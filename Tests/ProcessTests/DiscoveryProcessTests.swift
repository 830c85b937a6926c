import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Real daemons on loopback that find each other by announcements. Everything stays on this host: each test has a
/// discovery port of its own and every daemon `--interface lo`.
@Suite("Discovery between real daemons", .serialized)
struct DiscoveryProcessTests {
    @Test("Two daemons see each other within two seconds, and a stopped one vanishes within one")
    func two() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let appearances = try anna.connect()
        _ = try appearances.call("events.subscribe", ["types": ["peer.appeared"]])
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        // The bound is generous: the target is 2 s, and CI machines may be slow.
        try anna.waitToSee(bert, within: .seconds(8))
        try bert.waitToSee(anna, within: .seconds(8))
        let appeared = try #require(try appearances.nextEvent(timeout: .seconds(5)))
        #expect(try Peer(json: appeared.data).displayName == "Bert", "the peer was shown before its name was known")
        #expect(try anna.peers.map(\.displayName) == ["Bert"])

        // The command line knows a peer that is here, though it is no friend.
        let refused = try anna.kibo("send", "Bert", "hello")
        #expect(!refused.isDone && refused.text.contains("Bert is no friend of yours"), "\(refused)")
        #expect(refused.text.contains("kibo add Bert"), "\(refused)")

        let events = try anna.connect()
        _ = try events.call("events.subscribe", ["types": ["peer.vanished"]])
        try bert.stop()
        let vanished = try events.nextEvent(timeout: .seconds(5))
        #expect(vanished?.type == "peer.vanished")
        #expect(try anna.peers.isEmpty)
    }

    @Test("Twelve daemons all see each other; a killed one is noticed too")
    func twelve() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp(), logLevel: .info)
        var daemons: [DaemonProcess] = []
        for number in 1...12 {
            let daemon = try DaemonProcess.launch(name: "Daemon \(number)", options: options)
            daemons.append(daemon)
        }
        for daemon in daemons {
            try Patience.until("\(daemon.name) to see eleven others", within: .seconds(15), report: daemon.logTail) {
                try daemon.peers.count == 11
            }
        }
        let names = Set(try daemons[0].peers.map(\.displayName))
        #expect(names == Set(daemons.dropFirst().map(\.name)))
        // The port of a killed daemon is closed, so the next peer that dials it notices.
        try daemons[3].stop()
        for daemon in daemons where daemon.isRunning {
            try Patience.until("\(daemon.name) to miss one", within: .seconds(5), report: daemon.logTail) {
                try daemon.peers.count == 10
            }
        }
    }

    @Test("A daemon without an account neither listens nor is seen")
    func silentWithoutAccount() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let nobody = try DaemonProcess(name: "Nobody", options: options)
        try nobody.start()
        #expect(try nobody.status.listen.isEmpty)
        #expect(throws: (any Error).self) { try nobody.call("peer.list") }
        let events = try anna.connect()
        _ = try events.call("events.subscribe", ["types": ["peer.appeared"]])
        #expect(try events.nextEvent(timeout: .seconds(2)) == nil)
    }

    @Test("A hanging daemon is missed though its port still takes connections, and is back once it goes on")
    func hanging() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let daemons = try ["Anna", "Bert", "Cleo"].map { try DaemonProcess.launch(name: $0, options: options) }
        func wait(_ what: String, _ count: Int, within limit: Duration) throws {
            for daemon in daemons.dropLast() {
                try Patience.until("\(daemon.name) \(what)", within: limit, report: daemon.logTail) {
                    try daemon.peers.count == count
                }
            }
        }
        try wait("to see two others", 2, within: .seconds(15))
        daemons[2].freeze(true)
        // A session that is still open is given up after nine seconds. Then, or at once, probes take four seconds.
        try wait("to miss Cleo", 1, within: .seconds(40))
        daemons[2].freeze(false)
        try wait("to see Cleo again", 2, within: .seconds(40))
    }

    @Test("A silent daemon is unseen and dials no stranger, but meets friends; in the open mode it is seen again")
    func silent() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        try anna.befriend(bert)
        let cleo = try DaemonProcess.launch(name: "Cleo", options: options)
        let annaID = try anna.account.id
        try cleo.waitToSee(bert)
        try bert.set("discovery.mode", to: "silent")
        try Patience.until("Cleo to miss Bert", within: .seconds(15), report: cleo.logTail) {
            try cleo.peers.map(\.displayName) == ["Anna"]
        }
        // After the restart he announces nothing; he dials his friend at the address that she announces.
        try bert.stop()
        try bert.start()
        try Patience.until("Bert to meet Anna", within: .seconds(20), report: bert.logTail) {
            try bert.contact(annaID)?.presence == .online
        }
        #expect(try cleo.peers.map(\.displayName) == ["Anna"])
        try bert.set("discovery.mode", to: "open")
        try cleo.waitToSee(bert, within: .seconds(20))
    }

    @Test("Daemons with a realm key meet; others don't see them and don't get through a handshake")
    func realm() throws {
        let place = try TemporaryDirectory()
        let port = try FreePort.udp()
        var options = DaemonProcess.Options(discoveryPort: port)
        let outsider = try DaemonProcess.launch(name: "Outsider", options: options)
        let maker = try ChildProcess(
            ProgramPaths.kibod, ["--make-realm-key", place.file("key")], environment: [:], outputPath: place.file("out")
        )
        #expect(maker.wait(Patience.usual) == .exited(0))
        options.arguments = ["--realm-key-file", place.file("key")]
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        try anna.waitToSee(bert)
        try bert.waitToSee(anna)
        #expect(try anna.peers.count == 1 && outsider.peers.isEmpty)
        let address = try anna.listenAddress
        #expect(throws: (any Error).self) { try outsider.call("peer.connect", ["address": .string(address)]) }
        // If the key file can be read by others or is missing, the daemon doesn't start and tells the reason.
        let careless = try DaemonProcess(name: "Careless", options: options)
        #expect(chmod(place.file("key"), 0o644) == 0)
        #expect(throws: (any Error).self) { try careless.start() }
        #expect(careless.log.contains("chmod 600"))
    }

    @Test("Without discovery, a static peer is found by its address and again after a restart")
    func staticPeer() throws {
        var options = DaemonProcess.Options()
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        options.peers = [try anna.listenAddress]
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        try bert.waitToSee(anna)
        try anna.waitToSee(bert)
    }
}

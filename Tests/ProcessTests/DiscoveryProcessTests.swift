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
        // Generous: the figure to keep is 2 s, CI machines may be slow.
        try anna.waitToSee(bert, within: .seconds(8))
        try bert.waitToSee(anna, within: .seconds(8))
        let appeared = try #require(try appearances.nextEvent(timeout: .seconds(5)))
        #expect(try Peer(json: appeared.data).displayName == "Bert", "shown before its name was known")
        #expect(try anna.peers.map(\.displayName) == ["Bert"])

        // Somebody who is here is known to the command line, though no friend.
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
        // The port of a killed daemon is closed: whoever dials it next knows.
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

    @Test("One that hangs is missed though its port still takes connections, and is back once it goes on")
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
        // A session that is still open is given up after nine seconds; then, or at once, probes take four.
        try wait("to miss Cleo", 1, within: .seconds(40))
        daemons[2].freeze(false)
        try wait("to see Cleo again", 2, within: .seconds(40))
    }

    @Test("Who is silent is seen by nobody and dials no stranger, but meets friends; open again, it is seen again")
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
        // After a restart nothing is announced, and the friend is dialled where she announces herself.
        try bert.stop()
        try bert.start()
        try Patience.until("Bert to meet Anna", within: .seconds(20), report: bert.logTail) {
            try bert.contact(annaID)?.presence == .online
        }
        #expect(try cleo.peers.map(\.displayName) == ["Anna"])
        try bert.set("discovery.mode", to: "open")
        try cleo.waitToSee(bert, within: .seconds(20))
    }

    @Test("With a realm key, those who have it meet, and those who don't neither see them nor get through a handshake")
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
        // Open to others, or no key: no start, and the reason.
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

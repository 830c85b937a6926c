import Basics
import ControlProtocol
import TestSupport
import Testing
import Vocabulary

/// Goal: one signed file and one configuration make the daemons of an office friends, without a request that a person
/// answers.
@Suite("A fleet of daemons with one configuration", .serialized)
struct FleetProcessTests {
    private static func options(_ port: UInt16, _ configuration: String) -> DaemonProcess.Options {
        var options = DaemonProcess.Options(discoveryPort: port)
        options.asksForFiles = false
        options.arguments = ["--config", configuration]
        return options
    }

    /// Makes the roster with the first daemon, names it in the configuration, and lets all read that.
    private static func enrol(
        _ daemons: [DaemonProcess], roster: String, configuration: String
    ) throws {
        let accounts = try daemons.map { try $0.account.id }
        let made = try daemons[0].call("roster.make", ["accounts": .strings(Array(accounts.dropFirst()))])
        #expect(made["members"]?.integer == Int64(daemons.count))
        try TextFile.write(try #require(made["roster"]?.string).utf8, to: roster)
        try TextFile.write(
            """
            {
              settings: { "messages.keepDays": 365 }, forced: { "files.allowedTypes": ["pdf", "txt"] },
              roster: { file: "\(roster)", signer: "\(accounts[0])" },
            }
            """.utf8, to: configuration)
        for daemon in daemons { daemon.reload() }
        for daemon in daemons {
            try Patience.until("\(daemon.name) to have friends", report: daemon.logTail) {
                try daemon.friends == daemons.count - 1
            }
        }
    }

    @Test("All are friends from the start, write to each other, and a friend that the user removes stays removed")
    func story() throws {
        let directory = try TemporaryDirectory()
        let (roster, configuration) = (directory.file("office.json"), directory.file("kibod.json5"))
        try TextFile.write("{}".utf8, to: configuration)
        let port = try FreePort.udp()
        let daemons = try ["Anna", "Bo", "Carl"].map {
            try DaemonProcess.launch(name: $0, options: Self.options(port, configuration))
        }
        for daemon in daemons {
            try Patience.until("\(daemon.name) to see the others", report: daemon.logTail) {
                try daemon.peers.count == 2
            }
        }
        try Self.enrol(daemons, roster: roster, configuration: configuration)
        for daemon in daemons {
            // The roster and the settings of a file that was read anew come into force one after the other.
            try Patience.until("\(daemon.name) to have what is forced", report: daemon.logTail) {
                let setting = try Setting(json: daemon.call("settings.get", ["key": "files.allowedTypes"]))
                return setting.forced && setting.value == ["pdf", "txt"]
            }
        }
        let sent = try MessageProcessTests.send("good morning", from: daemons[1], to: daemons[2].account.id)
        try MessageProcessTests.waitForState(.delivered, of: sent.id, at: daemons[1])

        let carl = try daemons[2].account.id
        try daemons[0].call("contact.remove", ["id": .string(carl)])
        try Patience.until("Carl to hear of it", report: daemons[2].logTail) { try daemons[2].friends == 1 }
        for daemon in daemons {
            daemon.kill()
            try daemon.start()
        }
        // Who has the roster from before their account was made gets it with the account.
        let dora = try DaemonProcess.launch(name: "Dora", options: Self.options(port, configuration))
        try Patience.until("Dora to have friends", report: dora.logTail) { try dora.friends == 3 }
        #expect(try daemons[0].friends == 1 && daemons[2].friends == 1)
        try Patience.until("the request of Dora, who is in no roster", report: daemons[0].logTail) {
            try daemons[0].contact(dora.account.id)?.relation == .incoming
        }

        // A roster that was tampered with is not taken; the daemon goes on and starts with the friends that it knows.
        try TextFile.write(TextFile.text(roster).replacing("Bo", with: "Bea").utf8, to: roster)
        daemons[1].reload()
        try Patience.until("the log to tell of it") {
            daemons[1].log.contains("the file was changed after it was made")
        }
        daemons[1].kill()
        try daemons[1].start()
        #expect(try daemons[1].friends == 2)
    }

    @Test(
        "An older roster is refused at a reload, at a start and by --check; the newer one counts; another account under a name is looked at"
    )
    func rollback() throws {
        let directory = try TemporaryDirectory()
        let (roster, configuration) = (directory.file("office.json"), directory.file("kibod.json5"))
        try TextFile.write("{}".utf8, to: configuration)
        let port = try FreePort.udp()
        let (anna, bo, eve, carl) = try { (names: [String]) in
            let made = try names.map { try DaemonProcess.launch(name: $0, options: Self.options(port, configuration)) }
            return (made[0], made[1], made[2], made[3])
        }(["Anna", "Bo", "Eve", "Bo"])
        try Patience.until("Anna to see the others", report: anna.logTail) { try anna.peers.count == 3 }
        func make(_ others: [DaemonProcess]) throws -> String {
            let accounts = try others.map { JSONValue.string(try $0.account.id) }
            return try #require(try anna.call("roster.make", ["accounts": .array(accounts)])["roster"]?.string)
        }
        let old = try make([bo, eve])
        // A roster's version is the millisecond in which it was made.
        let made = SystemClocks().wallTime
        try Patience.until("the next millisecond") { SystemClocks().wallTime > made }
        let new = try make([bo])
        try TextFile.write(
            "{ roster: { file: \"\(roster)\", signer: \"\(try anna.account.id)\" } }".utf8, to: configuration)
        try TextFile.write(new.utf8, to: roster)
        anna.reload()
        try Patience.until("Bo to be a friend", report: anna.logTail) { try anna.friends == 1 }

        // Yesterday's roster is put back.
        try TextFile.write(old.utf8, to: roster)
        anna.reload()
        try Patience.until("the log to tell of it", report: anna.logTail) { anna.log.contains("a newer one of ") }
        let run = try CheckProcessTests.check(configuration, ["--data", anna.dataPath])
        #expect(run.code == .exited(78) && run.text.contains("a newer one of "), "\(run.text)")
        anna.kill()
        try anna.start()
        try Patience.until("the log to tell of it again", report: anna.logTail) {
            anna.log.components(separatedBy: "a newer one of ").count >= 3
        }
        #expect(try anna.friends == 1)
        let unknown = try anna.contact(eve.account.id)
        #expect(unknown?.relation != .friend)

        // The roster brings another Bo.
        try Patience.until("Anna to see the others again", report: anna.logTail) { try anna.peers.count == 3 }
        try TextFile.write(try make([bo, carl]).utf8, to: roster)
        anna.reload()
        try Patience.until("the other Bo to be a friend", report: anna.logTail) { try anna.friends == 2 }
        let marked = try #require(try anna.contact(bo.account.id))
        let theirs = try carl.account.id
        #expect(marked.trust == .changed && marked.changedTo == theirs)
        #expect(throws: (any Error).self) { try MessageProcessTests.send("Hello", from: anna, to: bo.account.id) }
        try anna.call("contact.verify", ["id": .string(bo.account.id)])
        _ = try MessageProcessTests.send("Hello", from: anna, to: bo.account.id)
    }

    /// In namespaces, so that each daemon is a host. It takes some minutes, and root.
    @Test(
        "Thirty hosts are friends by one file",
        .enabled(if: Thorough.isWanted && TestNetwork.unavailable == nil, "\(TestNetwork.unavailable ?? "--thorough")"))
    func thirty() throws {
        let network = try TestNetwork(hosts: 30)
        let directory = try TemporaryDirectory()
        let (roster, configuration) = (directory.file("office.json"), directory.file("kibod.json5"))
        try TextFile.write("{}".utf8, to: configuration)
        let daemons = try network.hosts.map { host in
            var options = Self.options(15426, configuration)
            options.namespace = host
            options.logLevel = .info
            return try DaemonProcess.launch(name: "Host \(host.number)", options: options)
        }
        try Patience.until("the first to see all", within: .seconds(60), report: daemons[0].logTail) {
            try daemons[0].peers.count == 29
        }
        try Self.enrol(daemons, roster: roster, configuration: configuration)
        for daemon in daemons {
            try Patience.until("\(daemon.name) to meet all", within: .seconds(120), report: daemon.logTail) {
                try daemon.call("contact.list", ["relation": "friend"])["contacts"]?.array?
                    .filter { $0["presence"]?.string == "online" }.count == 29
            }
        }
        let sent = try MessageProcessTests.send(
            "from the first to the last", from: daemons[0], to: daemons[29].account.id)
        try MessageProcessTests.waitForState(.delivered, of: sent.id, at: daemons[0])
    }
}

extension DaemonProcess {
    var friends: Int {
        get throws { try call("contact.list", ["relation": "friend"])["contacts"]?.array?.count ?? 0 }
    }
}

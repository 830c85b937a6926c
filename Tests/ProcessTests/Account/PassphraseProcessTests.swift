import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Tests passphrases of real daemons: at the start, changed, remembered, wrong, and from the command line.
@Suite("Passphrases", .serialized)
struct PassphraseProcessTests {
    @Test("The daemon starts locked: only the control socket is there, and a wrong passphrase delays the next one")
    func start() throws {
        let anna = try DaemonProcess.launchSealed(
            name: "Anna", options: .init(discoveryPort: try FreePort.udp()))
        let id = try anna.account.id
        try anna.stop()
        try anna.start()
        #expect(TextFile.tail(anna.log, lines: 30).contains("listen=none"))
        let account = try anna.account
        #expect(account.locked && account.id == id && account.displayName == "Anna")
        let hello = try DaemonHello(json: anna.call("system.hello", ["client": "t", "version": "1"]))
        #expect(hello.account == id)

        let clocks = SystemClocks()
        let wrong: JSONObject = ["passphrase": "seven brave herons over the lake"]
        for _ in 0..<2 {
            // Each attempt waits for the delay that the one before has caused.
            try Patience.until("a passphrase to be tried", within: .seconds(60)) {
                try anna.refusal("account.unlock", wrong) == .wrongPassphrase
            }
        }
        let begin = clocks.now
        #expect(try anna.refusal("account.unlock", ["passphrase": .string(DaemonProcess.passphrase)]) == .busy)
        try Patience.until("the right one to be tried", within: .seconds(60)) {
            try anna.refusal("account.unlock", ["passphrase": .string(DaemonProcess.passphrase)]) == nil
        }
        // The second attempt has caused a delay of two seconds; the test may have read its clock late.
        #expect(clocks.now - begin > .seconds(1))
        #expect(try !anna.account.locked)
    }

    @Test("Whoever hears of a new account hears that it has a passphrase, and finds it")
    func made() throws {
        let anna = try DaemonProcess(name: "Anna", options: .init(discoveryPort: try FreePort.udp()))
        try anna.start()
        let watcher = try anna.connect()
        _ = try watcher.call("events.subscribe", ["types": ["account.changed"]])
        try anna.call(
            "account.create", ["displayName": "Anna", "passphrase": .string(DaemonProcess.passphrase)])
        let event = try #require(try watcher.nextEvent(timeout: Patience.usual))
        #expect(try Account(json: event.data).hasPassphrase)
        #expect(try Account(json: event.data) == anna.account)
    }

    @Test("A plain account gets a passphrase, another one, and none again; the daemon is restarted in between")
    func change() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let plain = try TextFile.bytes(anna.dataPath + "/keys")
        #expect(try anna.refusal("account.lock") == .notAllowed)
        #expect(try anna.refusal("account.unlock", ["passphrase": "x"]) == .invalid)
        #expect(try anna.refusal("account.changePassphrase", ["old": "x", "new": "first"]) == .invalid)
        #expect(try anna.refusal("account.changePassphrase", ["new": ""]) == .invalid)

        #expect(try Account(json: anna.call("account.changePassphrase", ["new": "first"])).hasPassphrase)
        let seed = Array(plain[6..<14])
        let sealed = try TextFile.bytes(anna.dataPath + "/keys")
        #expect(!sealed.indices.contains { sealed[$0...].starts(with: seed) })
        #expect(try anna.refusal("account.changePassphrase", ["new": "second"]) == .wrongPassphrase)
        #expect(try anna.refusal("account.changePassphrase", ["old": "zeroth", "new": "second"]) == .wrongPassphrase)
        #expect(try TextFile.holds(anna.dataPath + "/keys", sealed))
        try Patience.until("the change to be tried") {
            try anna.refusal("account.changePassphrase", ["old": "first", "new": "second"]) == nil
        }
        anna.kill()
        try anna.start()
        #expect(try anna.account.locked)
        #expect(try anna.refusal("account.changePassphrase", ["old": "second"]) == .locked)
        #expect(try anna.refusal("account.unlock", ["passphrase": "first"]) == .wrongPassphrase)
        try Patience.until("the new one to open it") {
            try anna.refusal("account.unlock", ["passphrase": "second"]) == nil
        }
        #expect(try !Account(json: anna.call("account.changePassphrase", ["old": "second"])).hasPassphrase)
        #expect(try TextFile.holds(anna.dataPath + "/keys", plain))
        anna.kill()
        try anna.start()
        #expect(try !anna.account.locked && !anna.status.listen.isEmpty)
    }

    @Test("A kill at any moment of a change leaves keys that open with the old passphrase or with the new one")
    func killed() throws {
        var options = DaemonProcess.Options()
        // A change takes so long that the kills come in the middle of it.
        options.paysForPassphrases = true
        let anna = try DaemonProcess.launchSealed(name: "Anna", options: options, remember: true)
        var present = DaemonProcess.passphrase
        for (round, pause) in [0, 700, 1_500].enumerated() {
            let new = "number \(round)"
            let client = try anna.connect()
            _ = try client.send("account.changePassphrase", ["old": .string(present), "new": .string(new)])
            usleep(UInt32(pause) * 1_000)
            anna.kill()
            try anna.start()
            // The remembered passphrase fits, whichever of the two it is.
            #expect(try !anna.account.locked, "round \(round)\n\(anna.logTail)")
            if try anna.refusal("account.unlock", ["passphrase": .string(new)]) == nil { present = new }
            try Patience.until("the present one to fit") {
                try anna.refusal("account.unlock", ["passphrase": .string(present)]) == nil
            }
            #expect(
                !TemporaryDirectory.names(in: anna.dataPath).contains { $0.hasSuffix(".new") || $0.hasSuffix(".next") })
        }
    }

    @Test("A passphrase in a file unlocks at each start, until it is forgotten, open to others, or stale")
    func remembered() throws {
        let anna = try DaemonProcess.launchSealed(name: "Anna", remember: true)
        let file = anna.dataPath + "/passphrase"
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        func restart() throws -> Account {
            try anna.stop()
            try anna.start()
            return try anna.account
        }
        var account = try restart()
        #expect(!account.locked && account.remembered)
        #expect(try !anna.status.listen.isEmpty)
        // An account that the user has locked stays locked while the daemon runs.
        #expect(try Account(json: anna.call("account.lock")).locked)
        // The passphrase is not where other users of this host can read.
        let pid = try #require(anna.pid)
        for place in ["cmdline", "environ"] {
            #expect(!(try TextFile.text("/proc/\(pid)/\(place)")).contains("herons"), "\(place)")
        }
        #expect(!anna.log.contains("herons"))

        chmod(file, 0o640)
        account = try restart()
        #expect(account.locked && anna.log.contains("chmod 600"))
        chmod(file, 0o600)
        try TextFile.write(Array("stale\n".utf8), to: file)
        account = try restart()
        #expect(account.locked && anna.log.contains("kibo unlock --remember"))
        let params: JSONObject = ["passphrase": .string(DaemonProcess.passphrase), "remember": true]
        #expect(try Account(json: anna.call("account.unlock", params)).remembered)
        #expect(try !restart().locked)
        let forget: JSONObject = ["passphrase": .string(DaemonProcess.passphrase), "remember": false]
        #expect(try !Account(json: anna.call("account.unlock", forget)).remembered)
        #expect(access(file, F_OK) != 0)
        #expect(try restart().locked)
    }

    @Test("A credential of systemd unlocks at the start")
    func credential() throws {
        var options = DaemonProcess.Options()
        let credentials = try TemporaryDirectory()
        try TextFile.write(Array((DaemonProcess.passphrase + "\n").utf8), to: credentials.file("kibo-passphrase"))
        options.environment["CREDENTIALS_DIRECTORY"] = credentials.path
        let anna = try DaemonProcess.launchSealed(name: "Anna", options: options)
        try anna.stop()
        try anna.start()
        let account = try anna.account
        #expect(!account.locked && account.remembered)
        #expect(access(anna.dataPath + "/passphrase", F_OK) != 0)
    }

    @Test("A damaged, foreign or costly key file is refused in words at the start, and nothing is overwritten")
    func damaged() throws {
        let anna = try DaemonProcess.launchSealed(name: "Anna")
        let bert = try DaemonProcess.launchSealed(name: "Bert")
        try anna.stop()
        let path = anna.dataPath + "/keys"
        let whole = try TextFile.bytes(path)
        var bent = whole
        bent[60] ^= 1
        for (bytes, words) in [
            (bent, "damaged"), (Array(whole.dropLast()), "damaged"),
            (try TextFile.bytes(bert.dataPath + "/keys"), "another account"),
        ] {
            try TextFile.write(bytes, to: path)
            let error = #expect(throws: DaemonProcess.Failure.self) { try anna.start() }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "it started")")
            #expect(try TextFile.holds(path, bytes))
        }
        try TextFile.write(whole, to: path)
        try anna.start()
        #expect(try !anna.unlock().locked)
    }
}

import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: one file of the administrator's goes for all users of a host, below the file that each has of their own.
@Suite("The configuration of a host with several users", .serialized)
struct HostConfigurationTests {
    @Test(
        "What the host forces can't be undone, the user's own file goes before the rest, and each refusal says whose file it is"
    )
    func layers() throws {
        let daemon = try DaemonProcess(name: "Anna", options: .init())
        let own = daemon.directory.file("config/kibo/kibod.json5")
        try daemon.directory.makeDirectory("config/kibo")
        try TextFile.write(
            "{ settings: { 'messages.keepDays': 30 }, forced: { 'files.allowedTypes': ['pdf'] } }".utf8,
            to: daemon.hostConfigurationPath)
        try TextFile.write(
            "{ settings: { 'messages.keepDays': 7 }, forced: { 'files.allowedTypes': ['*'], 'presence.typing': false } }"
                .utf8, to: own)
        try daemon.start()
        func setting(_ key: String) throws -> Setting {
            try Setting(json: daemon.call("settings.get", ["key": .string(key)]))
        }
        #expect(try setting("files.allowedTypes").value == ["pdf"] && setting("files.allowedTypes").forced)
        #expect(try setting("messages.keepDays").value == 7 && !setting("messages.keepDays").forced)
        #expect(try setting("presence.typing").value == false && setting("presence.typing").forced)
        func refusal(_ key: String, _ value: JSONValue) throws -> RPCError {
            do { try daemon.set(key, to: value) } catch ClientError.refused(let error) { return error }
            return try #require(nil, "\(key) was set")
        }
        let hosts = try refusal("files.allowedTypes", ["*"])
        #expect(hosts.message.contains("the configuration of this host"), "\(hosts)")
        #expect(hosts.data?["hint"] == .string(HintCode.askAdministrator.rawValue.code), "\(hosts)")
        let users = try refusal("presence.typing", true)
        #expect(users.message.contains("your own kibod.json5") && users.data?["hint"] == nil, "\(users)")
        let printed = try daemon.kibo(["settings", "presence.typing", "true"])
        #expect(printed.code == 1 && !printed.text.contains("dministrator"), "\(printed.text)")

        // The host's file is read again with the user's, and --config names another file for the user's only.
        try TextFile.write("{ forced: { 'presence.typing': true } }".utf8, to: daemon.hostConfigurationPath)
        daemon.reload()
        try Patience.until("the host's file to be read", report: daemon.logTail) {
            try setting("presence.typing").value == true
        }
        #expect(try refusal("presence.typing", false).data?["hint"] != nil)
        #expect(try setting("files.allowedTypes").value == ["*"])
        try daemon.stop()
        let other = daemon.directory.file("other.json5")
        try TextFile.write("{ forced: { 'presence.typing': false, 'messages.keepDays': 3 } }".utf8, to: other)
        daemon.options.arguments = ["--config", other]
        try daemon.start()
        #expect(try setting("presence.typing").value == true && setting("messages.keepDays").value == 3)
    }

    @Test("A mistake in the host's file keeps a daemon from starting, and is shown with that file's path")
    func mistake() throws {
        let daemon = try DaemonProcess(name: "Anna", options: .init())
        try TextFile.write("{ lisen: 1 }".utf8, to: daemon.hostConfigurationPath)
        #expect(throws: DaemonProcess.Failure.self) { try daemon.start() }
        #expect(
            daemon.log.contains("\(daemon.hostConfigurationPath):1:3: lisen: there is no such name"), "\(daemon.log)")
    }

    @Test(
        "A user's own file that is a link to the host's is the host's: its port is the first of many",
        .enabled(if: TestNetwork.unavailable == nil, "\(TestNetwork.unavailable ?? "")"))
    func link() throws {
        let network = try TestNetwork(hosts: 1)
        let directory = try TemporaryDirectory()
        let host = directory.file("host.json5")
        try TextFile.write("{ listen: '10.73.0.1:20000', forced: { 'messages.keepDays': 9 } }".utf8, to: host)
        var options = DaemonProcess.Options(discoveryPort: 15426)
        options.namespace = network.hosts[0]
        options.environment["KIBOD_HOST_CONFIG"] = host
        let daemons = try ["Anna", "Bert"].map { name in
            let daemon = try DaemonProcess(name: name, options: options)
            try daemon.directory.makeDirectory("config/kibo")
            #expect(symlink(host, daemon.directory.file("config/kibo/kibod.json5")) == 0)
            try daemon.start()
            try daemon.createAccount()
            return daemon
        }
        #expect(try daemons.map { try $0.listenAddress } == ["10.73.0.1:20000", "10.73.0.1:19999"])
        do {
            try daemons[1].set("messages.keepDays", to: 3)
            Issue.record("the setting was changed")
        } catch ClientError.refused(let error) {
            #expect(error.data?["hint"] == .string(HintCode.askAdministrator.rawValue.code), "\(error)")
        }
    }

    @Test(
        "A port in the host's file is the first of many: the second user has the next; in the user's own file it is the only one",
        .enabled(if: TestNetwork.unavailable == nil, "\(TestNetwork.unavailable ?? "")"))
    func listen() throws {
        let network = try TestNetwork(hosts: 1)
        let directory = try TemporaryDirectory()
        try TextFile.write("{ listen: '10.73.0.1:20000' }".utf8, to: directory.file("host.json5"))
        var options = DaemonProcess.Options(discoveryPort: 15426)
        options.namespace = network.hosts[0]
        options.environment["KIBOD_HOST_CONFIG"] = directory.file("host.json5")
        let daemons = try ["Anna", "Bert"].map { try DaemonProcess.launch(name: $0, options: options) }
        #expect(try daemons.map { try $0.listenAddress } == ["10.73.0.1:20000", "10.73.0.1:19999"])
        try daemons[0].befriend(daemons[1])

        let carl = try DaemonProcess(name: "Carl", options: options)
        try carl.directory.makeDirectory("config/kibo")
        try TextFile.write(
            "{ listen: '10.73.0.1:20000' }".utf8, to: carl.directory.file("config/kibo/kibod.json5"))
        try carl.start()
        #expect(throws: ClientError.self) { try carl.createAccount() }
    }

    @Test(
        "A realm key of root's is read by those of its group; the others are told how to get into it; one open to all is refused",
        .enabled(
            if: geteuid() == 0 && PlainUser.canStartPrograms, "this needs root, and programs that user 65534 can reach")
    )
    func realmKey() throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        let (key, configuration) = (directory.file("realm.key"), directory.file("host.json5"))
        let home = try directory.makeDirectory("home")
        #expect(chown(home, 65534, 65534) == 0)
        try TextFile.write((String(repeating: "0f", count: 32) + "\n").utf8, to: key)
        try TextFile.write("{ realmKeyFile: '\(key)' }".utf8, to: configuration)
        chmod(configuration, 0o644)
        func check(_ user: PlainUser, mode: mode_t, group: gid_t) throws -> (code: ChildProcess.End?, text: String) {
            chmod(key, mode)
            #expect(chown(key, 0, group) == 0)
            let words = user.prefix + [ProgramPaths.kibod, "--check"]
            let output = directory.file("output")
            let child = try ChildProcess(
                words[0], Array(words.dropFirst()),
                environment: [
                    "PATH": "/usr/bin:/bin", "HOME": home, "XDG_RUNTIME_DIR": directory.path,
                    "KIBOD_HOST_CONFIG": configuration,
                ], outputPath: output)
            let end = child.wait(Patience.usual)
            return (end, try TextFile.text(output))
        }
        let member = try check(.nobody, mode: 0o640, group: 65534)
        #expect(member.code == .exited(0), "\(member.text)")
        #expect(member.text.contains("The configuration can be used by nobody: \(configuration)\n"), "\(member.text)")
        #expect(member.text.contains("nobody can read the realm key: \(key)\n"), "\(member.text)")
        let stranger = try check(PlainUser(uid: 65534, gid: 65533), mode: 0o640, group: 65534)
        let group = getgrgid(65534).map { String(cString: $0.pointee.gr_name) } ?? "65534"
        #expect(stranger.code == .exited(78))
        #expect(
            stranger.text.contains(
                "nobody may not read it: it belongs to root and the group \(group), mode 640; "
                    + "add nobody to the group (sudo adduser nobody \(group)), and start again what nobody runs: "
                    + "sudo systemctl restart user@65534, or kibod@nobody"),
            "\(stranger.text)")
        let closed = try check(.nobody, mode: 0o600, group: 0)
        #expect(
            closed.code == .exited(78) && closed.text.contains("give it a group that nobody is in"), "\(closed.text)")
        for mode in [0o644, 0o660] as [mode_t] {
            let open = try check(.nobody, mode: mode, group: 65534)
            #expect(open.code == .exited(78) && open.text.contains("chmod 640"), "\(open.text)")
        }
    }
}

import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: a service whose start can't succeed before a person has put something right is *failed* at once, so that an alert
/// sees it; and the journal knows how much each line matters.
@Suite("A start that fails, and the journal", .serialized)
struct StartErrorProcessTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    /// The exit codes after which a unit isn't started again.
    private static func final(_ unit: String) throws -> [String] {
        let name = "RestartPreventExitStatus="
        let lines = try TextFile.text(root + "/packaging/systemd/" + unit).split(separator: "\n")
        return try #require(lines.first { $0.hasPrefix(name) }).dropFirst(name.count).split(separator: " ").map {
            String($0)
        }
    }

    @Test("A bad configuration, key, address or database ends the daemon with a code that no unit restarts after")
    func codes() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        try daemon.stop()
        let path = daemon.directory.file("kibod.json5")
        let units = try ["kibod.service", "kibod@.service", "kibo-web.service"].map { try Self.final($0) }
        func expect(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let end = try daemon.spawn().wait(Patience.usual)
            #expect(end == .exited(78), "\(daemon.logTail)", sourceLocation: sourceLocation)
            #expect(daemon.log.contains(words), "\(daemon.logTail)", sourceLocation: sourceLocation)
        }
        for codes in units { #expect(codes.contains("78") && codes.contains("2") && codes.contains("6")) }

        daemon.options.arguments = ["--config", path]
        try expect("there is no configuration file \(path)")
        try TextFile.write("{ interface: 1 }".utf8, to: path)
        try expect("\(path):1:3: interface: there is no such name")
        try TextFile.write("{ realmKeyFile: \"\(daemon.directory.file("realm"))\" }".utf8, to: path)
        try expect("there is no realm key")
        // No pipe holds up the start, whatever names it, and no folder passes for a file.
        let pipe = daemon.directory.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for place in [pipe, daemon.directory.path] {
            daemon.options.arguments = ["--config", place]
            try expect("can't read \(place): it is not a plain file")
            try TextFile.write("{ realmKeyFile: \"\(place)\" }".utf8, to: path)
            daemon.options.arguments = ["--config", path]
            try expect("the realm key \(place) can't be used: it is not a plain file")
        }
        try TextFile.write("{}".utf8, to: path)
        // 198.51.100.0/24 is for documents; no host has it.
        daemon.options.listen = "198.51.100.7:15426"
        try expect("can't listen on 198.51.100.7:15426")
        daemon.options.listen = "127.0.0.1:0"
        let (keys, database) = (daemon.dataPath + "/keys", daemon.dataPath + "/kibo.sqlite")
        let good = try TextFile.bytes(keys)
        try TextFile.write("no keys".utf8, to: keys)
        try expect("keys is damaged")
        try TextFile.write(good, to: keys)
        try TextFile.write(Array(repeating: 0x78, count: 8192), to: database)
        try expect("the database is damaged")
    }

    @Test(
        "A data directory or socket that can't be made where the user may not write, or under a file, is no start to repeat"
    )
    func places() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("file")
        try TextFile.write("x".utf8, to: file)
        func expect(
            data: String, socket: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let output = directory.file("output")
            let child = try ChildProcess(
                ProgramPaths.kibod,
                ["--interface", "lo", "--no-discovery", "--listen", "127.0.0.1:0", "--data", data, "--socket", socket],
                environment: [
                    "PATH": "/usr/bin:/bin", "HOME": directory.path, "XDG_RUNTIME_DIR": directory.path,
                    "KIBOD_HOST_CONFIG": directory.file("host.json5"),
                ], outputPath: output)
            let end = child.wait(Patience.usual)
            let text = try TextFile.text(output)
            #expect(end == .exited(78) && text.contains(words), "\(text)", sourceLocation: sourceLocation)
        }
        let (data, socket) = (directory.file("data"), directory.file("run/socket"))
        try expect(data: file + "/below", socket: socket, "can't make the directory \(file)/below: Not a directory")
        try expect(
            data: data, socket: file + "/below/socket", "can't make the directory \(file)/below: Not a directory")
        TemporaryDirectory.remove(data)
        try directory.makeDirectory("data")
        #expect(symlink(file, data + "/lock") == 0)
        try expect(data: data, socket: socket, "can't open \(data)/lock: Too many levels")
    }

    @Test("In the journal each line has its priority and no second time; elsewhere it has the time")
    func journal() throws {
        let daemon = try DaemonProcess(name: "Anna", options: DaemonProcess.Options())
        try TextFile.write([UInt8](), to: daemon.logPath)
        var status = stat()
        #expect(stat(daemon.logPath, &status) == 0)
        let stream = "\(status.st_dev):\(status.st_ino)"
        daemon.options.environment["JOURNAL_STREAM"] = stream
        try daemon.start()
        try daemon.stop()
        let lines = daemon.log.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("<5>notice kibod: kibod ready socket=") }, "\(daemon.logTail)")
        #expect(lines.allSatisfy { $0.hasPrefix("<") }, "\(daemon.logTail)")
        daemon.options.arguments = ["--config", daemon.directory.file("none")]
        #expect(try daemon.spawn().wait(Patience.usual) == .exited(78))
        #expect(daemon.log.contains("<3>kibod: there is no configuration file"), "\(daemon.logTail)")

        // A terminal in a session that systemd has started has the variable, but isn't the journal.
        daemon.options.arguments = []
        daemon.options.environment["JOURNAL_STREAM"] = "1:\(status.st_ino)"
        try TextFile.write([UInt8](), to: daemon.logPath)
        try daemon.start()
        #expect(daemon.log.contains("Z notice kibod: kibod ready") && !daemon.log.contains("<5>"), "\(daemon.logTail)")
    }
}

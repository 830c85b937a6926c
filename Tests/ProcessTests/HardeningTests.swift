import Basics
import Glibc
import TestSupport
import Testing

/// What an attacker with a fault in memory finds of its way barred in each program.
@Suite("Hardened programs")
struct HardeningTests {
    private func output(of command: [String]) throws -> String {
        let directory = try TemporaryDirectory()
        let child = try ChildProcess(
            command[0], Array(command.dropFirst()), environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"],
            outputPath: directory.file("out"))
        let text = { (try? TextFile.text(directory.file("out"))) ?? "" }
        #expect(child.wait(.seconds(60)) == .exited(0), "\(command.joined(separator: " ")): \(text())")
        return text()
    }

    @Test(
        "Addresses of libraries' functions are resolved at the start and read-only from then on, no stack holds code, and programs lie anywhere",
        arguments: [
            "kibod", "kibo", "kibo-web", "kibo-media", "kibo-notify", "kibo-localsend", "kibo-hook", "libkibo-text.so",
        ])
    func layout(name: String) throws {
        let text = try output(of: ["/usr/bin/readelf", "-hldW", ProgramPaths.directory + "/" + name])
        let lines = text.split(separator: "\n")
        #expect(lines.contains { $0.contains("Type:") && $0.contains("DYN") })
        #expect(lines.contains { $0.contains("GNU_RELRO") })
        #expect(lines.contains { $0.contains("FLAGS") && $0.contains("NOW") })
        let stack = try #require(lines.first { $0.contains("GNU_STACK") })
        #expect(stack.contains(" RW ") && !stack.contains("RWE"))
        #expect(!lines.contains { $0.contains("TEXTREL") })
    }

    @Test(
        "The parts in C and C++ watch their stacks",
        arguments: ["kibod", "kibo", "kibo-web", "kibo-media", "kibo-notify", "kibo-localsend", "kibo-hook"])
    func stacks(name: String) throws {
        let text = try output(of: ["/usr/bin/readelf", "--dyn-syms", "-W", ProgramPaths.directory + "/" + name])
        #expect(text.contains("__stack_chk_fail"))
    }

    @Test(
        "The daemon writes no core, and other programs of its user can't look into its memory",
        .enabled(if: PlainUser.canStartPrograms, "user 65534 can't reach the programs"), arguments: [false, true])
    func memory(isDumpable: Bool) throws {
        let directory = try TemporaryDirectory()
        if geteuid() == 0 { #expect(chown(directory.path, 65534, 65534) == 0) }
        let socket = directory.file("kibod.sock")
        let command =
            PlainUser.nobody.prefix + [
                ProgramPaths.kibod, "--data", directory.file("data"), "--socket", socket, "--interface", "lo",
                "--listen", "127.0.0.1:0", "--no-discovery",
            ]
        var environment = ["PATH": "/usr/bin:/bin", "HOME": directory.path]
        if isDumpable { environment["KIBOD_DUMPABLE"] = "1" }
        let daemon = try ChildProcess(
            command[0], Array(command.dropFirst()), environment: environment, outputPath: directory.file("log"))
        // Root's client speaks to nobody else's daemon in /tmp, so the socket has to do as a sign.
        try Patience.until("the daemon to listen", report: (try? TextFile.text(directory.file("log"))) ?? "") {
            access(socket, F_OK) == 0
        }
        let pid = daemon.pid
        let cores = try TextFile.text("/proc/\(pid)/limits").split(separator: "\n")
            .first { $0.hasPrefix("Max core file size") }
        // The kernel gives the files of a process that is closed to its own user to root.
        var information = stat()
        try #require(stat("/proc/\(pid)/mem", &information) == 0)
        if isDumpable {
            #expect(information.st_uid != 0, "this test would show nothing otherwise")
        } else {
            #expect(information.st_uid == 0)
            #expect(try #require(cores).split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
        }
        _ = kill(pid, SIGTERM)
    }
}

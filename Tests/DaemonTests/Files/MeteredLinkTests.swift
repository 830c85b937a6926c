import Basics
import Glibc
import TestSupport
import Testing

@testable import Daemon
@testable import TransferService

@Suite("Whether the link is metered")
struct MeteredLinkTests {
    @Test("NetworkManager's answers: only yes and guessed yes mean that the link is metered")
    func words() {
        #expect(MeteredLink.isMetered(answer: "u 1\n") && MeteredLink.isMetered(answer: "u 3\n"))
        for answer in ["", "u 0\n", "u 2\n", "u 4\n", "u 11\n", "b true\n", "u 1"] {
            #expect(!MeteredLink.isMetered(answer: answer), "\(answer)")
        }
    }

    @Test("A program with a time limit asks; the answer is remembered; without the program the link isn't metered")
    func asking() throws {
        let directory = try TemporaryDirectory()
        func link(_ text: String) throws -> MeteredLink {
            let path = directory.file("busctl")
            try TextFile.writeProgram("#!/bin/sh\n\(text)\n".utf8, to: path)
            return MeteredLink(program: path, patience: .seconds(5))
        }
        // The program gets the same arguments as the real one.
        let expected =
            "--system get-property org.freedesktop.NetworkManager /org/freedesktop/NetworkManager "
            + "org.freedesktop.NetworkManager Metered"
        let metered = try link("[ \"$*\" = \"\(expected)\" ] && echo 'u 1' && echo x >>\(directory.file("asked"))")
        #expect(metered.isMetered)
        #expect(metered.isMetered)
        #expect(try TextFile.text(directory.file("asked")) == "x\n", "it was asked once, and the answer was remembered")
        #expect(try !link("echo 'u 2'").isMetered)
        #expect(try !link("exit 1").isMetered)
        #expect(!MeteredLink(program: nil).isMetered)
        #expect(!MeteredLink(program: directory.file("none")).isMetered)
        _ = try link("exec sleep 60")
        #expect(!MeteredLink(program: directory.file("busctl"), patience: .milliseconds(200)).isMetered)
    }

    private static let python: String? = {
        let named = getenv("KIBO_PYTHON").map { String(cString: $0) }
        return [named, "/usr/bin/python3"].compactMap(\.self).first { access($0, X_OK) == 0 }
    }()

    @Test(
        "The real busctl asks a NetworkManager on a bus of its own",
        .enabled(if: python != nil && MeteredLink.find() != nil, "busctl (systemd) and Python are needed"),
        arguments: [(0, false), (1, true), (2, false), (3, true), (4, false)])
    func realBus(value: Int, isMetered: Bool) throws {
        let directory = try TemporaryDirectory()
        let script = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }
        let bus = directory.file("bus")
        let fake = try ChildProcess(
            try #require(Self.python), [script + "/Interop/fake_network_manager.py", bus, "\(value)"],
            environment: ["PATH": "/usr/bin:/bin"], outputPath: directory.file("log"))
        defer { fake.kill() }
        try Patience.until("the bus to listen") {
            (try? TextFile.text(directory.file("log")))?.hasPrefix("ready") == true
        }
        let link = MeteredLink(patience: .seconds(20), bus: "unix:path=" + bus)
        #expect(link.isMetered == isMetered)
        fake.kill()
        #expect(
            !MeteredLink(patience: .seconds(20), bus: "unix:path=" + bus).isMetered,
            "without an answer the link isn't metered")
    }
}

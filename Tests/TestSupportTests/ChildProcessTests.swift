import Basics
import Glibc
import TestSupport
import Testing

@Suite("Programs that tests start")
struct ChildProcessTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func shell(_ script: String, environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            "/bin/sh", ["-c", script], environment: environment, outputPath: directory.file("output"))
    }

    @Test("A child's exit status and both outputs are reported")
    func exitStatus() throws {
        let child = try shell("echo out; echo err >&2; echo $WORD; exit 7", environment: ["WORD": "said"])
        #expect(child.wait(Patience.usual) == .exited(7))
        #expect(child.end == .exited(7))
        #expect(try TextFile.text(directory.file("output")) == "out\nerr\nsaid\n")
    }

    @Test("A child runs until it is killed, frozen or not")
    func killing() throws {
        let child = try shell("exec sleep 100")
        #expect(child.end == nil)
        #expect(child.wait(.milliseconds(50)) == nil)
        child.signal(SIGSTOP)
        child.kill()
        #expect(child.end == .signalled(SIGKILL))
    }

    @Test("A child ends with the value that stands for it")
    func dropping() throws {
        var child: ChildProcess? = try shell("exec sleep 100")
        let pid = try #require(child?.pid)
        #expect(Glibc.kill(pid, 0) == 0)
        child = nil
        #expect(Glibc.kill(pid, 0) != 0)
    }

    @Test("A missing program is an error at once")
    func missingProgram() throws {
        #expect(throws: SystemError.self) {
            try ChildProcess("/nowhere/kibod", [], environment: [:], outputPath: directory.file("output"))
        }
    }

    @Test("A child inherits no descriptors and no blocked signals")
    func inheritance() throws {
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        let child = try shell("ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status")
        #expect(child.wait(Patience.usual) == .exited(0))
        let lines = try TextFile.text(directory.file("output")).split(separator: "\n")
        // Input, output, error, and the directory that ls itself has open.
        #expect(lines.first.flatMap { Int($0) } == 4)
        // The lower 31: 32 and 33 are glibc's own, out of reach.
        let masks = lines.dropFirst().map { line in line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } }
        #expect(masks.count == 2)
        #expect(masks.allSatisfy { $0.map { $0 & 0x7FFF_FFFF } == 0 }, "\(lines)")
    }

    @Test("A process's figures")
    func figures() throws {
        let child = try shell("while :; do :; done")
        // On a busy machine it has to wait for its turn.
        try Patience.until("the program to compute") {
            ((try? ProcessFigures(pid: child.pid))?.processorTime ?? .zero) > .zero
        }
        let figures = try ProcessFigures(pid: child.pid)
        #expect(figures.resident > 100_000)
        #expect(figures.peakResident >= figures.resident)
        #expect(figures.processorTime > .zero)
    }
}

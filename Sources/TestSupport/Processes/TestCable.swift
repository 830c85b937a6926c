import Basics
import Glibc

/// How bad the cables of a ``TestNetwork`` are. Each number holds for each frame, in one direction.
public struct TestCable: Sendable, Equatable {
    /// Delay in milliseconds.
    public var delay = 0.0
    /// Lost frames in percent.
    public var loss = 0.0
    /// Duplicated frames in percent.
    public var duplicate = 0.0
    /// Kilobits per second towards each host; 0 for no limit.
    public var rate = 0.0
    /// Numbers of hosts that nothing reaches although their cable looks plugged in.
    public var cut: Set<Int> = []

    public init(delay: Double = 0, loss: Double = 0, duplicate: Double = 0, rate: Double = 0) {
        self.delay = delay
        self.loss = loss
        self.duplicate = duplicate
        self.rate = rate
    }

    /// The cable in the form that `Tests/Network/wire.py` reads.
    var text: String {
        let numbers = [("delay", delay), ("loss", loss), ("duplicate", duplicate), ("rate", rate)]
        let ports = cut.sorted().map { " p\($0)" }.joined()
        return numbers.map { "\($0) \($1)\n" }.joined() + (ports.isEmpty ? "" : "cut\(ports)\n")
    }
}

/// The program that acts as the switch of a network with bad cables: `Tests/Network/wire.py`.
final class TestWire {
    private let process: ChildProcess
    private let file: String

    /// The path of Python: that of the tests' environment, or the system's.
    static let python: String? = {
        let configured = getenv("KIBO_PYTHON").map { String(cString: $0) }
        return [configured ?? "", "/usr/bin/python3"].first { access($0, X_OK) == 0 }
    }()

    private static let program: String = {
        // Sources/TestSupport/Processes/TestCable.swift → Tests/Network
        let parts = #filePath.split(separator: "/").dropLast(4)
        return "/" + parts.joined(separator: "/") + "/Tests/Network/wire.py"
    }()

    /// Starts the program, and waits until it forwards.
    /// - Parameter prefix: the beginning of its command line, to run it in the switch's namespace.
    init(_ cable: TestCable, ports: [String], prefix: [String], log: TemporaryDirectory) throws {
        file = log.file("cable")
        let output = log.file("wire")
        try TextFile.write(Array(cable.text.utf8), to: file)
        guard let python = Self.python else { throw SystemError("python3", code: ENOENT) }
        let command = prefix + [python, Self.program, file] + ports
        let process = try ChildProcess(
            command[0], Array(command.dropFirst()), environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
            outputPath: output)
        self.process = process
        try Patience.until("the wire to be there", report: (try? TextFile.text(output)) ?? "") {
            if let end = process.end { throw SystemError("wire.py: \(end)", code: EIO) }
            return try TextFile.text(output).contains("wire ready")
        }
    }

    /// Changes the cable from now on.
    func change(_ cable: TestCable) throws {
        // The file is replaced in one step, because it may be read at any moment.
        try TextFile.write(Array(cable.text.utf8), to: file + ".new")
        guard rename(file + ".new", file) == 0 else { throw SystemError("rename") }
        process.signal(SIGHUP)
    }
}

import Basics
import Glibc

/// A LAN on one machine: hosts as network namespaces, each with one end of a veth pair in a bridge. Nothing of it touches
/// the machine's own network: the bridge has no port to the outside, and everything goes when the value does.
///
/// Needs root and iproute2; ``unavailable`` says what is missing.
public final class TestNetwork {
    /// One host of the network.
    public struct Host: Sendable {
        /// The namespace's name.
        public let name: String
        /// Its address, `10.73.0.x`.
        public let address: String
        /// Its one interface beside loopback.
        public let interface: String

        /// What a command line begins with to run there.
        public var prefix: [String] { [TestNetwork.program ?? "ip", "netns", "exec", name] }
    }

    public private(set) var hosts: [Host] = []
    private let bridge: String
    private let log: TemporaryDirectory

    static let program = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"].first { (path: String) in
        access(path, X_OK) == 0
    }

    /// Why there can be no such network here; nil if there can.
    public static let unavailable: String? = {
        if geteuid() != 0 { return "network namespaces need root" }
        if program == nil { return "network namespaces need the package iproute2" }
        do {
            let log = try TemporaryDirectory()
            let name = "kibo\(getpid())p"
            try run(["netns", "add", name], log: log)
            try run(["netns", "del", name], log: log)
            return nil
        } catch { return "network namespaces can't be made here: \(error)" }
    }()

    /// Makes the bridge, in a namespace of its own, and the hosts.
    /// - Throws: ``SystemError``, with what `ip` says in its text.
    public init(hosts count: Int) throws {
        log = try TemporaryDirectory()
        let tag = "kibo\(getpid())\(UInt16.random(in: 0...999))"
        bridge = tag + "b"
        try run(["netns", "add", bridge])
        try run(["-n", bridge, "link", "add", "br0", "type", "bridge"])
        try run(["-n", bridge, "link", "set", "br0", "up"])
        for number in 1...count {
            let host = Host(name: "\(tag)h\(number)", address: "10.73.0.\(number)", interface: "eth0")
            try run(["netns", "add", host.name])
            hosts.append(host)
            try run([
                "-n", bridge, "link", "add", "p\(number)", "type", "veth", "peer", "name", "eth0", "netns", host.name,
            ])
            try run(["-n", bridge, "link", "set", "p\(number)", "master", "br0"])
            try run(["-n", bridge, "link", "set", "p\(number)", "up"])
            try run(["-n", host.name, "addr", "add", "\(host.address)/24", "broadcast", "10.73.0.255", "dev", "eth0"])
            try run(["-n", host.name, "link", "set", "lo", "up"])
            try run(["-n", host.name, "link", "set", "eth0", "up"])
        }
    }

    deinit {
        for name in hosts.map(\.name) + [bridge] { try? run(["netns", "del", name]) }
    }

    /// Pulls a host's cable, or plugs it in again.
    public func connect(_ host: Host, _ isConnected: Bool) throws {
        guard let number = hosts.firstIndex(where: { $0.name == host.name }) else { return }
        try run(["-n", bridge, "link", "set", "p\(number + 1)", isConnected ? "up" : "down"])
    }

    private func run(_ words: [String]) throws { try Self.run(words, log: log) }

    private static func run(_ words: [String], log: TemporaryDirectory) throws {
        guard let program else { throw SystemError("ip", code: ENOENT) }
        let output = log.file("ip")
        let process = try ChildProcess(
            program, words, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], outputPath: output)
        guard process.wait(.seconds(10)) == .exited(0) else {
            let text = (try? TextFile.text(output)) ?? ""
            throw SystemError("ip \(words.joined(separator: " ")): \(TextFile.tail(text, lines: 3))", code: EIO)
        }
    }
}

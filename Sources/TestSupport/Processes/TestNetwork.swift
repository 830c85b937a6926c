import Basics
import Glibc

/// A LAN on one machine. Its hosts are network namespaces, each with one end of a veth pair in a bridge, or in our own
/// switch with bad cables (``TestCable``). It never touches the machine's own network: the bridge has no port to the
/// outside, and everything is removed when the value goes.
///
/// It needs root and iproute2, and Python for bad cables; ``unavailable`` says what is missing.
public final class TestNetwork {
    /// One host of the network.
    public struct Host: Sendable {
        /// The namespace's name.
        public let name: String
        /// Its address, `10.73.0.x`.
        public let address: String
        /// The host's number, from 1; the last number of its address.
        public let number: Int
        /// The interfaces that its daemon is told to use; if empty, it uses all.
        public var interfaces = ["eth0"]

        /// The beginning of a command line that runs there.
        public var prefix: [String] { [TestNetwork.program ?? "ip", "netns", "exec", name] }
    }

    public private(set) var hosts: [Host] = []
    /// How bad the cables are; nil if they are good and can't be changed.
    public private(set) var cable: TestCable?
    private let bridge: String
    private var wire: TestWire?
    private let log: TemporaryDirectory

    static let program = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"].first { (path: String) in
        access(path, X_OK) == 0
    }

    /// Why there can be no such network on this machine; nil if there can.
    public static let unavailable: String? = {
        if geteuid() != 0 { return "network namespaces need root" }
        if program == nil { return "network namespaces need the package iproute2" }
        if TestWire.python == nil {
            return "networks with bad cables need Python: KIBO_PYTHON is not set, and there is none"
        }
        do {
            let log = try TemporaryDirectory()
            let name = "kibo\(getpid())p"
            try run(["netns", "add", name], log: log)
            try run(["netns", "del", name], log: log)
            return nil
        } catch { return "network namespaces can't be made here: \(error)" }
    }()

    /// Makes the bridge, in a namespace of its own, and the hosts.
    /// - Parameter cable: nil for good cables.
    /// - Throws: ``SystemError`` with the output of `ip` in its text.
    public init(hosts count: Int, cable: TestCable? = nil) throws {
        self.cable = cable
        log = try TemporaryDirectory()
        let tag = "kibo\(getpid())\(UInt16.random(in: 0...999))"
        bridge = tag + "b"
        try run(["netns", "add", bridge])
        try run(["-n", bridge, "link", "add", "br0", "type", "bridge"])
        try run(["-n", bridge, "link", "set", "br0", "up"])
        for number in 1...count {
            let host = Host(name: "\(tag)h\(number)", address: "10.73.0.\(number)", number: number)
            try run(["netns", "add", host.name])
            hosts.append(host)
            try run(["-n", host.name, "link", "set", "lo", "up"])
            try plug(host, interface: "eth0", port: "p\(number)", bridge: cable == nil ? "br0" : nil)
            try setAddress(of: host, host.address)
            // Frames are as on a real cable: one segment each.
            if cable != nil { try run(["-n", host.name, "link", "set", "eth0", "gso_max_segs", "1"]) }
        }
        if let cable { wire = try makeWire(cable) }
    }

    private func makeWire(_ cable: TestCable) throws -> TestWire {
        let prefix = [Self.program ?? "ip", "netns", "exec", bridge]
        return try TestWire(cable, ports: hosts.map { "p\($0.number)" }, prefix: prefix, log: log)
    }

    private func plug(_ host: Host, interface: String, port: String, bridge master: String?) throws {
        try run([
            "-n", bridge, "link", "add", port, "type", "veth", "peer", "name", interface, "netns", host.name,
        ])
        if let master { try run(["-n", bridge, "link", "set", port, "master", master]) }
        try run(["-n", bridge, "link", "set", port, "up"])
        try run(["-n", host.name, "link", "set", interface, "up"])
    }

    // MARK: What happens to hosts

    /// Replaces a host's IPv4 addresses on an interface by this one, or by none.
    public func setAddress(of host: Host, _ address: String?, interface: String = "eth0") throws {
        try run(["-n", host.name, "-4", "addr", "flush", "dev", interface])
        guard let address else { return }
        try run(["-n", host.name, "addr", "add", address + "/24", "broadcast", "+", "dev", interface])
    }

    /// Replaces a host's IPv4 addresses by one as `ip address add` takes it, and removes those of IPv6.
    /// - Parameter mtu: bytes of a packet on its cable; nil leaves them.
    public func setAddress(of host: Host, words: [String], mtu: Int? = nil) throws {
        try setAddress(of: host, nil)
        try flushSix(host)
        try run(["-n", host.name, "addr", "add"] + words + ["dev", "eth0"])
        if let mtu { try run(["-n", host.name, "link", "set", "eth0", "mtu", "\(mtu)"]) }
    }

    /// Removes a host's IPv6 addresses.
    public func flushSix(_ host: Host, interface: String = "eth0") throws {
        try run(["-n", host.name, "-6", "addr", "flush", "dev", interface])
    }

    /// Switches an interface of a host on or off, with all its IPv6 addresses.
    public func setInterface(of host: Host, isUp: Bool, interface: String = "eth0") throws {
        try run(["-n", host.name, "link", "set", interface, isUp ? "up" : "down"])
    }

    /// Gives an interface of a host another name, as if the card of that name had come.
    public func rename(_ interface: String, of host: Host, to name: String) throws {
        try setInterface(of: host, isUp: false, interface: interface)
        try run(["-n", host.name, "link", "set", interface, "name", name])
        try setInterface(of: host, isUp: true, interface: name)
    }

    /// Connects these hosts by a second network, 10.74.0.0/24 on `eth1`.
    public func addSecondNetwork(to hosts: [Host]) throws {
        try run(["-n", bridge, "link", "add", "br1", "type", "bridge"])
        try run(["-n", bridge, "link", "set", "br1", "up"])
        for host in hosts {
            try plug(host, interface: "eth1", port: "q\(host.number)", bridge: "br1")
            try setAddress(of: host, "10.74.0.\(host.number)", interface: "eth1")
        }
    }

    /// Changes the cables from now on.
    public func change(_ cable: TestCable) throws {
        self.cable = cable
        try wire?.change(cable)
    }

    deinit {
        wire = nil
        for name in hosts.map(\.name) + [bridge] { try? run(["netns", "del", name]) }
    }

    /// Pulls a host's cable or plugs it in again: port `p` is the cable of `eth0`, `q` that of `eth1`.
    public func connect(_ host: Host, _ isConnected: Bool, port: String = "p") throws {
        try run(["-n", bridge, "link", "set", "\(port)\(host.number)", isConnected ? "up" : "down"])
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

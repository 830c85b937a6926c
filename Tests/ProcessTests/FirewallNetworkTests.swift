import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Follows the doctor's hints about packet filters to the letter, on hosts of their own. This needs root.
@Suite(
    "Hosts behind packet filters", .serialized,
    .enabled(if: TestNetwork.unavailable == nil, "\(TestNetwork.unavailable ?? "")"))
struct FirewallNetworkTests {
    static let nft = program("nft")

    /// The commands that let in nothing but answers.
    private static let closing = [
        ["nft", "add", "table", "inet", "wall"],
        ["nft", "add", "chain", "inet", "wall", "in", "{ type filter hook input priority 0 ; policy drop ; }"],
        ["nft", "add", "rule", "inet", "wall", "in", "ct", "state", "established,related", "accept"],
        ["nft", "add", "rule", "inet", "wall", "in", "iifname", "lo", "accept"],
        ["nft", "add", "rule", "inet", "wall", "in", "ip6", "nexthdr", "icmpv6", "accept"],
    ]

    private static func program(_ name: String) -> String? {
        ["/usr/sbin/", "/sbin/"].map { $0 + name }.first { access($0, X_OK) == 0 }
    }

    private func run(_ words: [String], on host: TestNetwork.Host) throws {
        let directory = try TemporaryDirectory()
        let output = directory.file("output")
        let all = host.prefix + words
        let process = try ChildProcess(
            all[0], Array(all.dropFirst()), environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], outputPath: output)
        let text = { (try? TextFile.text(output)) ?? "" }
        #expect(process.wait(.seconds(20)) == .exited(0), "\(words): \(text())")
    }

    @Test(
        "nftables closes a host, and the doctor's commands open it",
        .enabled(if: nft != nil, "the package nftables is not installed"))
    func nftables() throws {
        try follow(
            closing: Self.closing, finding: .init(.nftablesKeepsOut, ["chains": ["inet wall in"]]),
            andLater: ["nft", "insert", "rule", "inet", "wall", "in", "udp", "dport", "15426", "drop"])
    }

    /// The commands that let in what the profile for ufw names.
    private static func profile() throws -> [[String]] {
        let path = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/packaging/firewall/ufw"
        let lines = try TextFile.text(path).split(separator: "\n")
        let ports = try #require(lines.first { $0.hasPrefix("ports=") }).dropFirst(6)
        return ports.split(separator: "|").map { rule in
            let parts = rule.split(separator: "/").map(String.init)
            return ["nft", "add", "rule", "inet", "wall", "in", parts[1], "dport"]
                + [parts[0].replacing(":", with: "-"), "accept"]
        }
    }

    @Test(
        "Two users behind Kibo's own firewall profile: a friend elsewhere reaches both, and their doctors count nobody else",
        .enabled(if: nft != nil, "the package nftables is not installed"))
    func twoUsers() throws {
        let network = try TestNetwork(hosts: 2)
        for words in try Self.closing + Self.profile() { try run(words, on: network.hosts[0]) }
        let daemons = try zip(["Anna", "Bert", "Carl"], [0, 0, 1]).map { name, host in
            var options = DaemonProcess.Options(discoveryPort: 15426)
            options.namespace = network.hosts[host]
            return try DaemonProcess.launch(name: name, options: options)
        }
        let (anna, bert, carl) = (daemons[0], daemons[1], daemons[2])
        try anna.waitToSee(bert)
        try anna.befriend(bert)
        for daemon in [anna, bert] {
            let alone = try check("reachable", of: daemon)
            #expect(alone.ok && alone.findings == [.init(.noFriendConnected)], "\(alone.findings)")
        }
        for daemon in [anna, bert] {
            try daemon.waitToSee(carl)
            try carl.waitToSee(daemon)
            try carl.befriend(daemon)
            try Patience.until("Carl to be connected", report: daemon.logTail) {
                try daemon.contact(carl.account.id)?.presence == .online
            }
            let reached = try check("reachable", of: daemon)
            let about = try #require(reached.about(.reached), "\(reached.findings)")
            let port = try #require(daemon.listenAddress.split(separator: ":").last)
            #expect(about == ["name": "Carl", "address": .string("10.73.0.1:\(port)")])
        }
    }

    @Test(
        "nftables keeps phones away: the doctor says so of LocalSend, and its commands let them in",
        .enabled(if: nft != nil, "the package nftables is not installed"))
    func localSend() throws {
        let network = try TestNetwork(hosts: 2)
        let host = network.hosts[0]
        var options = DaemonProcess.Options(discoveryPort: 15426)
        options.namespace = host
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        func check() throws -> DoctorCheck { try self.check("localsend", of: anna) }
        try anna.set("localsend.enabled", to: true)
        try Patience.until("the bridge to serve", report: anna.logTail) {
            try anna.call("guest.list")["port"]?.integer == 53_317
        }
        let open = try check()
        #expect(open.ok && open.about(.localsendHeard) == ["port": 53_317], "\(open.findings)")
        #expect(open.advises(.scanForDevices), "no device is near")
        // The bridge runs on: what came back before counts no more.
        for words in Self.closing { try run(words, on: host) }
        let closed = try check()
        #expect(!closed.ok && closed.about(.nftablesKeepsOut) == ["chains": ["inet wall in"]], "\(closed.findings)")
        #expect(closed.about(.localsendUnheard)?["interfaces"]?.array?.count == 1, "\(closed.findings)")
        let commands = try #require(closed.commands).replacing(" && ", with: "\n").split(separator: "\n")
        let wanted = ["udp", "tcp"].map { "sudo nft insert rule inet wall in \($0) dport 53317 accept" }
        #expect(commands.map(String.init) == wanted)
        for command in commands {
            try run(command.split(separator: " ").dropFirst().map(String.init), on: host)
        }
        let mended = try check()
        #expect(mended.ok && mended.about(.localsendHeard) != nil, "\(mended.findings)")
        // A rule for what goes out is found, too.
        try run(
            ["nft", "add", "chain", "inet", "wall", "out", "{ type filter hook output priority 0 ; policy accept ; }"],
            on: host)
        try run(["nft", "add", "rule", "inet", "wall", "out", "udp", "dport", "53317", "drop"], on: host)
        let silenced = try check()
        #expect(!silenced.ok && silenced.about(.nftablesKeepsIn) != nil, "\(silenced.findings)")
    }

    private static let mostGroups = "/proc/sys/net/ipv4/igmp_max_memberships"

    @Test(
        "An interface on which multicast is refused is named, no firewall is blamed for it, and a scan is advised",
        .enabled(if: access(mostGroups, W_OK) == 0, "the kernel's parameters can't be set here"))
    func unjoined() throws {
        let network = try TestNetwork(hosts: 1)
        try network.addSecondNetwork(to: [network.hosts[0]])
        var host = network.hosts[0]
        host.interfaces = ["eth0", "eth1"]
        // A socket may join on one interface only: the first.
        try run(["sh", "-c", "echo 1 > \(Self.mostGroups)"], on: host)
        var options = DaemonProcess.Options(discoveryPort: 15426)
        options.namespace = host
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        try anna.set("localsend.enabled", to: true)
        try Patience.until("the bridge to serve", report: anna.logTail) {
            try anna.call("guest.list")["port"]?.integer == 53_317
        }
        let check = try self.check("localsend", of: anna)
        let named = check.about(.localsendUnjoined)?["interfaces"]?.array
        #expect(!check.ok && named == ["eth1"], "\(check.findings)")
        #expect(check.about(.localsendUnheard) == nil && check.about(.localsendHeard) == nil, "\(check.findings)")
        #expect(check.advises(.scanForDevices) && !check.advises(.letLocalsendThrough), "\(check.advice)")
    }

    private func check(_ name: String, of daemon: DaemonProcess) throws -> DoctorCheck {
        let checks = try daemon.client.call("system.doctor", [:], timeout: .seconds(90))["checks"]?.array ?? []
        return try #require(try checks.map { try DoctorCheck(json: $0) }.first { $0.name == name })
    }

    /// Bert's host is closed, and he sees no peer. His doctor knows why, and its commands change that exactly as they
    /// are printed.
    private func follow(
        closing: [[String]], finding: Remark<DoctorFinding>, andLater: [String]
    ) throws {
        let network = try TestNetwork(hosts: 2)
        for words in closing { try run(words, on: network.hosts[1]) }
        let daemons = try zip(["Anna", "Bert"], network.hosts).map { name, host in
            var options = DaemonProcess.Options(discoveryPort: 15426)
            options.namespace = host
            return try DaemonProcess.launch(name: name, options: options)
        }
        let (anna, bert) = (daemons[0], daemons[1])
        func check() throws -> DoctorCheck { try self.check("firewall", of: bert) }
        let closed = try check()
        #expect(!closed.ok && closed.findings.contains(finding), "\(closed.findings)")
        #expect(try bert.peers.isEmpty)
        let hint = try #require(closed.commands)
        let commands = hint.replacing(" && ", with: "\n").split(separator: "\n")
        #expect(commands.count == 2, "\(hint)")
        for command in commands {
            let words = command.split(separator: " ").map(String.init)
            #expect(words.first == "sudo")
            try run(Array(words.dropFirst()), on: network.hosts[1])
        }
        #expect(try check().ok)
        // Her doctor greets the network, as her daemon would in half a minute anyway.
        _ = try anna.client.call("system.doctor", [:], timeout: .seconds(90))
        try bert.waitToSee(anna)
        try anna.waitToSee(bert)
        try anna.befriend(bert)
        let sent = try MessageProcessTests.send("through the wall", from: anna, to: bert.account.id)
        try MessageProcessTests.waitForState(.delivered, of: sent.id, at: anna)
        // Connections still come in, but the doctor must report that announcements don't.
        try run(andLater, on: network.hosts[1])
        let half = try check()
        #expect(
            !half.ok && half.commands?.contains("udp dport 15426 accept") == true
                && half.commands?.contains("tcp") == false)
    }
}

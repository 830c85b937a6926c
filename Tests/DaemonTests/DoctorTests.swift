import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

@testable import Daemon
@testable import Doctor
@testable import Runtime

@Suite("The doctor's checks, and metrics")
struct DoctorTests {
    private let ports = ["15426/udp", "15427/tcp"]

    @Test("ufw: the doctor tells whether it is on, and which of our ports have no rule")
    func ufw() {
        #expect(Firewall.isOn("# a comment\nENABLED=yes\nLOGLEVEL=low\n"))
        #expect(Firewall.isOn("enabled = YES"))
        #expect(!Firewall.isOn("ENABLED=no\n#ENABLED=yes\n"))
        #expect(!Firewall.isOn(""))
        let rules = """
            ### tuple ### allow udp 15426 0.0.0.0/0 any 0.0.0.0/0 in
            -A ufw-user-input -p udp --dport 15426 -j ACCEPT
            ### tuple ### deny tcp 15427 0.0.0.0/0 any 0.0.0.0/0 in
            """
        let finding = Firewall.ufw(ports, rules)
        #expect(finding.hint == "sudo ufw allow 15427/tcp")
        #expect(Firewall.ufw(["15426/udp"], rules).hint == nil)
        #expect(Firewall.ufw(ports, nil).hint == "sudo ufw allow 15426/udp && sudo ufw allow 15427/tcp")
        #expect(Firewall.ufw(["80/tcp"], "### tuple ### allow any 80 0.0.0.0/0 any 0.0.0.0/0 in").hint == nil)
    }

    @Test("nftables: only chains for incoming packets count, and rules that let our ports through")
    func nftables() {
        let closed = """
            table inet filter {
            \tset known {
            \t\ttype ipv4_addr
            \t}
            \tchain input {
            \t\ttype filter hook input priority filter; policy drop;
            \t\tct state established,related accept
            \t\ttcp dport 22 accept
            \t}
            \tchain forward {
            \t\ttype filter hook forward priority filter; policy drop;
            \t}
            \tchain output {
            \t\ttype filter hook output priority filter; policy accept;
            \t}
            }
            """
        #expect(PacketRules.closingChains(closed).map(\.name) == ["inet filter input"])
        let finding = PacketRules.nftables(closed, .init(udp: 15426, tcp: 15426))
        #expect(finding.hint?.contains("sudo nft insert rule inet filter input udp dport 15426 accept") == true)
        #expect(finding.hint?.contains("sudo nft insert rule inet filter input tcp dport 15426 accept") == true)
        let half = closed.replacing("tcp dport 22 accept", with: "tcp dport { 22, 15426 } accept")
        #expect(PacketRules.nftables(half, .init(udp: 15426, tcp: 15426)).hint?.contains("tcp dport") == false)
        #expect(PacketRules.nftables(half, .init(udp: nil, tcp: 15426)).hint == nil)
        let open = closed.replacing("policy drop", with: "policy accept")
        #expect(PacketRules.closingChains(open).isEmpty)
        #expect(
            PacketRules.nftables(open, .init(udp: 1, tcp: 1))
                == Firewall.Finding([.init(.nftablesOpen)])
        )
        let rejects = open.replacing(
            "tcp dport 22 accept", with: "tcp dport 22 accept\n\t\treject with icmpx admin-prohibited")
        #expect(PacketRules.closingChains(rejects).map(\.name) == ["inet filter input"])
        #expect(PacketRules.nftables(rejects, .init(udp: nil, tcp: 15426)).hint != nil)
        // The first rule that names a port decides; a port that no rule names is treated as the chain ends.
        let drops = open.replacing("tcp dport 22 accept", with: "udp dport 15426 drop\n\t\tudp dport 15426 accept")
        let hint = PacketRules.nftables(drops, .init(udp: 15426, tcp: 15426)).hint
        #expect(hint?.contains("udp dport 15426 accept") == true && hint?.contains("tcp") == false)
        #expect(PacketRules.nftables(drops, .init(udp: 15427, tcp: 15426)).hint == nil)
        for harmless in [
            "ct state invalid drop", "ip saddr @bans reject",
            "tcp dport 15426 ct state new limit rate over 10/second drop",
            "iifname \"wan0\" udp dport 15426 drop", "tcp dport != { 22, 80 } accept",
        ] {
            let rules = open.replacing("tcp dport 22 accept", with: harmless)
            #expect(PacketRules.nftables(rules, .init(udp: 15426, tcp: 15426)).hint == nil, "\(harmless)")
        }
        let inside = open.replacing(
            "type filter hook output priority filter; policy accept;",
            with: "type filter hook output priority filter; policy accept;\n\t\tudp dport 15426 drop")
        #expect(
            PacketRules.nftables(inside, .init(udp: 15426, tcp: 15426)).hint == nil,
            "chains for outgoing packets don't count")
        let out = PacketRules.nftables(inside, .init(udp: 15426, tcp: 15426), hooks: ["input", "output"])
        #expect(out.findings == [.init(.nftablesKeepsIn, ["chains": ["inet filter output"]])])
        #expect(out.hint?.contains("insert rule inet filter output udp dport 15426 accept") == true)
        for (rule, opens) in [
            ("udp dport 15426 accept", true), ("udp dport 15000-16000 counter packets 1 bytes 2 accept", true),
            ("iifname \"eth0\" udp dport { 22, 15000-16000 } accept", true), ("th dport 15426 accept", true),
            ("udp dport 15427-16000 accept", false), ("udp dport 115426 accept", false),
            ("udp sport 15426 accept", false),
            ("udp dport 15426 counter packets 15426 bytes 9 drop", false), ("tcp dport 15426 accept", false),
            ("udp dport { } accept", false), ("udp dport - accept", false), ("udp dport 1-2-99999 accept", false),
        ] {
            #expect((PacketRules.verdict(rule[...], "udp", 15426) == true) == opens, "\(rule)")
        }
        for text in ["", "}", "chain", "table", "table a b {\nchain c {", "}\n}\n}"] {
            #expect(PacketRules.closingChains(text).isEmpty)
        }
    }

    @Test("iptables: a policy or a rule closes; rules, ranges and lists open")
    func legacy() {
        func finding(_ rules: String) -> Firewall.Finding {
            PacketRules.legacy(
                "*filter\n:INPUT \(rules)\nCOMMIT\n", .init(udp: 15426, tcp: 15427), program: "iptables-legacy",
                family: "IPv4")
        }
        #expect(finding("ACCEPT [0:0]\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT").hint == nil)
        let open = "-A INPUT -p udp -m udp --dport 15000:16000 -j ACCEPT"
        let list = "-A INPUT -p tcp -m multiport --dports 22,15427 -j ACCEPT"
        #expect(finding("DROP [1:2]\n\(open)\n\(list)").hint == nil)
        let half = finding("ACCEPT [0:0]\n\(open)\n-A INPUT -j REJECT --reject-with icmp-port-unreachable")
        #expect(half.hint?.contains("sudo iptables-legacy -I INPUT -p tcp --dport 15427 -j ACCEPT") == true)
        #expect(half.hint?.contains("udp") == false)
        for bad in ["-A INPUT -p udp --dport -j", "-A INPUT -j", "-A INPUT -p udp --dport x:y -j ACCEPT", "-A"] {
            #expect(finding("DROP [0:0]\n\(bad)").hint?.contains("-p udp --dport 15426") == true)
        }
    }

    @Test(
        "Permissions: a file open to others is named with the command that closes it; a missing file is no problem"
    )
    func permissions() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("keys")
        try TextFile.write([1], to: path)
        chmod(path, 0o600)
        #expect(PermissionLook.problems([path, directory.file("missing")]).isEmpty)
        chmod(path, 0o640)
        let problems = PermissionLook.problems([path])
        #expect(problems.count == 1)
        #expect(problems.first?.finding == .init(.openToOthers, ["path": .string(path), "mode": "640"]))
        #expect(problems.first?.advice == .init(.closePath, ["path": .string(path)]))
    }

    @Test("Metrics: each name is described once, before its samples")
    func text() {
        var metrics = Metrics()
        metrics.count("kibo_b_total", ("reason", "full"))
        metrics.count("kibo_a_total")
        metrics.count("kibo_b_total", ("reason", "full"), by: 4)
        metrics.count("kibo_b_total", ("reason", "busy"))
        #expect(metrics.all.map(\.0.label) == ["", "reason=\"busy\"", "reason=\"full\""])
        #expect(metrics.all.map(\.1) == [1, 1, 5])
        var text = MetricsText()
        text.gauge("kibo_c", "What.", 3)
        text.add("kibo_b_total", .counter, "How often.", [("reason=\"busy\"", "1"), ("reason=\"full\"", "5")])
        #expect(
            text.text == """
                # HELP kibo_c What.
                # TYPE kibo_c gauge
                kibo_c 3
                # HELP kibo_b_total How often.
                # TYPE kibo_b_total counter
                kibo_b_total{reason="busy"} 1
                kibo_b_total{reason="full"} 5

                """)
    }
}

extension Firewall.Finding {
    /// The commands that open what is closed; nil where nothing is.
    fileprivate var hint: String? { advice.first?.parameters["commands"]?.string }
}

import Basics
import Glibc
import TestSupport
import Testing

@testable import Daemon

@Suite("The doctor's looks, and metrics")
struct DoctorTests {
    private let ports = ["15426/udp", "15427/tcp"]

    @Test("ufw: on or off, and which ports it has no rule for")
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
        #expect(finding.hint == "Open the ports: sudo ufw allow 15427/tcp")
        #expect(Firewall.ufw(["15426/udp"], rules).hint == nil)
        #expect(Firewall.ufw(ports, nil).hint == "Open the ports: sudo ufw allow 15426/udp && sudo ufw allow 15427/tcp")
        #expect(Firewall.ufw(["80/tcp"], "### tuple ### allow any 80 0.0.0.0/0 any 0.0.0.0/0 in").hint == nil)
    }

    @Test("nftables: only chains count that hold up what comes in, and rules that let our ports through")
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
        #expect(Firewall.closingChains(closed).map(\.name) == ["inet filter input"])
        let finding = Firewall.nftables(closed, udp: 15426, tcp: 15426)
        #expect(finding.hint?.contains("sudo nft insert rule inet filter input udp dport 15426 accept") == true)
        #expect(finding.hint?.contains("sudo nft insert rule inet filter input tcp dport 15426 accept") == true)
        let half = closed.replacing("tcp dport 22 accept", with: "tcp dport { 22, 15426 } accept")
        #expect(Firewall.nftables(half, udp: 15426, tcp: 15426).hint?.contains("tcp dport") == false)
        #expect(Firewall.nftables(half, udp: nil, tcp: 15426).hint == nil)
        let open = closed.replacing("policy drop", with: "policy accept")
        #expect(Firewall.closingChains(open).isEmpty)
        #expect(
            Firewall.nftables(open, udp: 1, tcp: 1) == Firewall.Finding(detail: "nftables keeps nothing out", hint: nil)
        )
        let rejects = open.replacing(
            "tcp dport 22 accept", with: "tcp dport 22 accept\n\t\treject with icmpx admin-prohibited")
        #expect(Firewall.closingChains(rejects).map(\.name) == ["inet filter input"])
        for text in ["", "}", "chain", "table", "table a b {\nchain c {", "}\n}\n}"] {
            #expect(Firewall.closingChains(text).isEmpty)
        }
    }

    @Test("Permissions: what others may read is named with what closes it; what isn't there is no problem")
    func permissions() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("keys")
        try TextFile.write([1], to: path)
        chmod(path, 0o600)
        #expect(PermissionLook.problems([path, directory.file("missing")]).isEmpty)
        chmod(path, 0o640)
        let problems = PermissionLook.problems([path])
        #expect(problems.count == 1)
        #expect(problems.first?.text.contains("mode 640") == true)
        #expect(problems.first?.hint == "Close it: chmod go= '\(path)'")
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

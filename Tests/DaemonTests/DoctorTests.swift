import Basics
import ControlProtocol
import Glibc
import PeerProtocol
import TestSupport
import Testing

@testable import Daemon
@testable import Doctor
@testable import Network
@testable import Runtime

@Suite("The doctor's checks, and metrics")
struct DoctorTests {
    private let ports = ["15426/udp", "15427/tcp"]
    private static let firewallFolder =
        #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/packaging/firewall/"

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
        // What ufw 0.36.2 writes for our profile.
        let profile = """
            ### tuple ### allow udp 15426 0.0.0.0/0 any 0.0.0.0/0 Kibo - in
            -A ufw-user-input -p udp --dport 15426 -j ACCEPT -m comment --comment 'dapp_Kibo'
            ### tuple ### allow tcp 15411:15426 0.0.0.0/0 any 0.0.0.0/0 Kibo - in
            """
        #expect(Firewall.ufw(["15426/udp", "15411/tcp"], profile).hint == nil)
        #expect(
            Firewall.ufw(["15425/udp", "15410/tcp"], profile).hint
                == "sudo ufw allow 15425/udp && sudo ufw allow 15410/tcp")
    }

    @Test(
        "ufw and firewalld: for LocalSend the profile is advised where it is installed, else each port that is missing")
    func profileOfLocalSend() throws {
        let needs = FirewallNeeds.localSend(udp: 53_317, tcp: 53_318)
        #expect(needs.ports == ["53317/udp", "53318/tcp"])
        // What ufw 0.36.2 writes for the profile.
        let rules = """
            ### tuple ### allow udp 53317 0.0.0.0/0 any 0.0.0.0/0 Kibo%20LocalSend - in
            ### tuple ### allow tcp 53317:53326 0.0.0.0/0 any 0.0.0.0/0 Kibo%20LocalSend - in
            """
        #expect(Firewall.ufw(needs.ports, rules, profile: needs.profile).hint == nil)
        for text in [nil, "", "### tuple ### allow udp 53317 0.0.0.0/0 any 0.0.0.0/0 in"] as [String?] {
            #expect(
                Firewall.ufw(needs.ports, text, profile: needs.profile).hint == "sudo ufw allow \"Kibo LocalSend\"")
        }
        #expect(Firewall.ufw(needs.ports, "").hint == "sudo ufw allow 53317/udp && sudo ufw allow 53318/tcp")
        #expect(
            Firewall.opening(needs.ports, service: needs.service)
                == "sudo firewall-cmd --permanent --add-service=kibo-localsend && sudo firewall-cmd --reload")
        #expect(
            Firewall.opening(["53317/udp", "53318/tcp"], service: nil)
                == "sudo firewall-cmd --permanent --add-port=53317/udp && "
                + "sudo firewall-cmd --permanent --add-port=53318/tcp && sudo firewall-cmd --reload")
        let profiles = try TextFile.text(Self.firewallFolder + "ufw")
        #expect(try Firewall.isProfile(#require(needs.profile), in: profiles))
        #expect(!Firewall.isProfile("LocalSend", in: profiles) && !Firewall.isProfile("Kibo LocalSend", in: ""))
        let kibo = FirewallNeeds.kibo(udp: nil, tcp: 15_426)
        #expect(kibo.ports == ["15426/tcp"] && kibo.profile == nil && kibo.service == "kibo")
    }

    @Test("firewalld: the ports of our service count, as firewall-cmd prints them; other words are no ports")
    func firewalld() {
        let printed = "kibo\n  ports: 15426/udp 15411-15426/tcp\n  protocols: \n  source-ports: 5/tcp\n"
        let ports = Firewall.ports(ofService: printed)
        #expect(ports == ["15426/udp", "15411-15426/tcp"])
        #expect(Firewall.ports(ofService: "kibo\n  ports: \n").isEmpty && Firewall.ports(ofService: "").isEmpty)
        for (rule, port, isOpen) in [
            ("15426/udp", "15426/udp", true), ("15426/udp", "15426/tcp", false), ("15411-15426/tcp", "15411/tcp", true),
            ("15411-15426/tcp", "15426/tcp", true), ("15411-15426/tcp", "15410/tcp", false),
            ("15411-15426/tcp", "15427/tcp", false), ("-/tcp", "1/tcp", false), ("99999/tcp", "1/tcp", false),
            ("x-5/tcp", "1/tcp", false), ("1", "1/tcp", false), ("", "1/tcp", false),
        ] { #expect(Firewall.covers(rule, port) == isOpen, "\(rule) \(port)") }
    }

    @Test("The firewall profiles open the ports that the users of a host share out among them")
    func profiles() throws {
        let ports = ListenPlace.ports(of: nil, kept: nil)
        let (last, first) = try (#require(ports.last), #require(ports.first))
        #expect(try TextFile.text(Self.firewallFolder + "ufw").contains("\nports=\(first)/udp|\(last):\(first)/tcp\n"))
        let service = try TextFile.text(Self.firewallFolder + "firewalld.xml")
        #expect(service.contains("<port protocol=\"udp\" port=\"\(first)\"/>"))
        #expect(service.contains("<port protocol=\"tcp\" port=\"\(last)-\(first)\"/>"))
    }

    @Test("The ports of a user: the one kept first, if it is of the range; none twice, none below 1")
    func portsOfUser() throws {
        #expect(ListenPlace.ports(of: nil, kept: nil) == Array((15_411...15_426).reversed()))
        #expect(ListenPlace.ports(of: nil, kept: 15_424).prefix(4) == [15_424, 15_426, 15_425, 15_423])
        #expect(ListenPlace.ports(of: nil, kept: 15_424).count == 16)
        for kept in [nil, 0, 15_427, 15_410, 65_535] as [UInt16?] {
            #expect(ListenPlace.ports(of: nil, kept: kept).first == 15_426)
        }
        let low = try #require(ListenPlace("192.0.2.7:3")?.forAllUsers)
        #expect(ListenPlace.ports(of: low, kept: 2) == [2, 3, 1])
        #expect(ListenPlace("192.0.2.7:5") == SocketAddress("192.0.2.7:5").map { .exactly($0) })
        #expect(ListenPlace("::1") == SocketAddress("[::1]:15426").map { .from($0) })
        for bad in ["", "x", "192.0.2.7:", "192.0.2.7:70000", "[::1]", "eth0"] { #expect(ListenPlace(bad) == nil) }
    }

    /// What `nft --json list ruleset` says of a table with three chains.
    private func ruleset(
        _ rules: [JSONValue], policy: String = "accept", outgoing: [JSONValue] = []
    ) -> JSONValue {
        func chain(_ name: String, _ policy: String) -> JSONValue {
            [
                "chain": [
                    "family": "inet", "table": "filter", "name": .string(name), "type": "filter", "hook": .string(name),
                    "prio": 0, "policy": .string(policy),
                ]
            ]
        }
        func rule(_ chain: String, _ statements: JSONValue) -> JSONValue {
            ["rule": ["family": "inet", "table": "filter", "chain": .string(chain), "expr": statements]]
        }
        let head: [JSONValue] = [
            ["metainfo": ["version": "1.0.6", "json_schema_version": 1]],
            ["table": ["family": "inet", "name": "filter"]],
            chain("input", policy), chain("forward", "drop"), chain("output", "accept"),
            ["chain": ["family": "inet", "table": "filter", "name": "other"]],
        ]
        return [
            "nftables": .array(
                head + rules.map { rule("input", $0) } + outgoing.map { rule("output", $0) }
                    + [rule("other", [["drop": nil]])])
        ]
    }

    private func port(_ kind: String, _ right: JSONValue, op: String = "==", field: String = "dport") -> JSONValue {
        [
            "match": [
                "op": .string(op), "left": ["payload": ["protocol": .string(kind), "field": .string(field)]],
                "right": right,
            ]
        ]
    }

    @Test("nftables: only chains for incoming packets count, and rules that let our ports through")
    func nftables() {
        let both = PacketRules.Ports(udp: 15426, tcp: 15426)
        let state: JSONValue = ["match": ["op": "in", "left": ["ct": ["key": "state"]], "right": ["established"]]]
        let closed = ruleset([[state, ["accept": nil]], [port("tcp", 22), ["accept": nil]]], policy: "drop")
        let finding = PacketRules.finding(in: closed, both)
        #expect(finding.findings == [.init(.nftablesKeepsOut, ["chains": ["inet filter input"]])])
        #expect(finding.hint?.contains("sudo nft insert rule inet filter input udp dport 15426 accept && ") == true)
        #expect(finding.hint?.contains("sudo nft insert rule inet filter input tcp dport 15426 accept") == true)
        let half = ruleset([[port("tcp", ["set": [22, 15426]]), ["accept": nil]]], policy: "drop")
        #expect(PacketRules.finding(in: half, both).hint?.contains("tcp dport") == false)
        #expect(PacketRules.finding(in: half, .init(udp: nil, tcp: 15426)).hint == nil)
        #expect(
            PacketRules.finding(in: ruleset([[port("tcp", 22), ["accept": nil]]]), both)
                == Firewall.Finding([.init(.nftablesOpen)]))
        let counter: JSONValue = ["counter": ["packets": 15426, "bytes": 9]]
        let reject: JSONValue = ["reject": ["type": "icmpx", "expr": "admin-prohibited"]]
        let rejects = ruleset([[port("tcp", 22), ["accept": nil]], [counter, ["log": nil], reject]])
        #expect(PacketRules.finding(in: rejects, .init(udp: nil, tcp: 15426)).hint != nil)
        // The first rule that names a port decides; a port that no rule names is treated as the chain ends.
        let drops = ruleset([[port("udp", 15426), ["drop": nil]], [port("udp", 15426), ["accept": nil]]])
        let hint = PacketRules.finding(in: drops, both).hint
        #expect(hint?.contains("udp dport 15426 accept") == true && hint?.contains("tcp") == false)
        #expect(PacketRules.finding(in: drops, .init(udp: 15427, tcp: 15426)).hint == nil)
        let jumps = ruleset([[port("udp", 1), reject], [["jump": ["target": "other"]]]])
        #expect(PacketRules.finding(in: jumps, both).findings.last == .init(.chainsNotFollowed))
        let out = ruleset([], outgoing: [[port("udp", 15426), ["drop": nil]]])
        #expect(PacketRules.finding(in: out, both).hint == nil, "chains for outgoing packets don't count")
        let outgoing = PacketRules.finding(in: out, both, hooks: ["input", "output"])
        #expect(outgoing.findings == [.init(.nftablesKeepsIn, ["chains": ["inet filter output"]])])
        #expect(outgoing.hint?.contains("insert rule inet filter output udp dport 15426 accept") == true)
    }

    /// `nft --json list ruleset` of nftables 1.0.6, of rules that were made with nft in a network namespace, one object a line.
    private static let recorded = #"""
        {"nftables": [{"metainfo": {"version": "1.0.6", "release_name": "Lester Gooch #5", "json_schema_version": 1}},
        {"table": {"family": "inet", "name": "filter", "handle": 1}},
        {"set": {"family": "inet", "name": "known", "table": "filter", "type": "ipv4_addr", "handle": 4, "elem": ["192.0.2.1"]}},
        {"chain": {"family": "inet", "table": "filter", "name": "services", "handle": 1}},
        {"chain": {"family": "inet", "table": "filter", "name": "input", "handle": 2, "type": "filter", "hook": "input", "prio": 0, "policy": "drop"}},
        {"chain": {"family": "inet", "table": "filter", "name": "output", "handle": 3, "type": "filter", "hook": "output", "prio": 0, "policy": "accept"}},
        {"rule": {"family": "inet", "table": "filter", "chain": "services", "handle": 5, "expr": [{"match": {"op": "==", "left": {"payload": {"protocol": "udp", "field": "dport"}}, "right": 9999}}, {"accept": null}]}},
        {"rule": {"family": "inet", "table": "filter", "chain": "input", "handle": 6, "expr": [{"match": {"op": "in", "left": {"ct": {"key": "state"}}, "right": ["established", "related"]}}, {"accept": null}]}},
        {"rule": {"family": "inet", "table": "filter", "chain": "input", "handle": 7, "expr": [{"match": {"op": "==", "left": {"meta": {"key": "iifname"}}, "right": "lo"}}, {"accept": null}]}},
        {"rule": {"family": "inet", "table": "filter", "chain": "input", "handle": 10, "expr": [{"match": {"op": "==", "left": {"payload": {"protocol": "tcp", "field": "dport"}}, "right": {"set": [22, {"range": [15000, 16000]}]}}}, {"counter": {"packets": 0, "bytes": 0}}, {"accept": null}]}},
        {"rule": {"family": "inet", "table": "filter", "chain": "input", "handle": 11, "expr": [{"match": {"op": "==", "left": {"payload": {"protocol": "udp", "field": "dport"}}, "right": {"range": [15427, 16000]}}}, {"accept": null}]}},
        {"rule": {"family": "inet", "table": "filter", "chain": "input", "handle": 13, "expr": [{"match": {"op": "==", "left": {"payload": {"protocol": "ip", "field": "saddr"}}, "right": "@known"}}, {"match": {"op": "==", "left": {"payload": {"protocol": "udp", "field": "dport"}}, "right": 15426}}, {"drop": null}]}},
        {"rule": {"family": "inet", "table": "filter", "chain": "input", "handle": 14, "expr": [{"match": {"op": "in", "left": {"ct": {"key": "state"}}, "right": "new"}}, {"limit": {"rate": 10, "burst": 5, "per": "second", "inv": true}}, {"drop": null}]}},
        {"rule": {"family": "inet", "table": "filter", "chain": "input", "handle": 15, "expr": [{"jump": {"target": "services"}}]}},
        {"rule": {"family": "inet", "table": "filter", "chain": "input", "handle": 16, "expr": [{"counter": {"packets": 0, "bytes": 0}}, {"log": null}, {"reject": {"type": "icmpx", "expr": "admin-prohibited"}}]}},
        {"rule": {"family": "inet", "table": "filter", "chain": "output", "handle": 17, "expr": [{"match": {"op": "==", "left": {"payload": {"protocol": "udp", "field": "dport"}}, "right": 15426}}, {"drop": null}]}},
        {"table": {"family": "ip", "name": "nat", "handle": 2}},
        {"chain": {"family": "ip", "table": "nat", "name": "post", "handle": 1, "type": "nat", "hook": "postrouting", "prio": 100, "policy": "accept"}},
        {"rule": {"family": "ip", "table": "nat", "chain": "post", "handle": 2, "expr": [{"match": {"op": "==", "left": {"meta": {"key": "oifname"}}, "right": "wan0"}}, {"masquerade": null}]}}]}
        """#

    @Test("nftables: the recorded output of nft is read; no cut or changed byte of it traps")
    func recordedRules() throws {
        let ruleset = try JSONParser.parse(Self.recorded)
        func commands(_ udp: UInt16?, _ tcp: UInt16, hooks: [String] = ["input"]) -> String? {
            PacketRules.finding(in: ruleset, .init(udp: udp, tcp: tcp), hooks: hooks).hint
        }
        #expect(commands(15500, 15426) == nil, "both are open")
        #expect(commands(15426, 15426) == "sudo nft insert rule inet filter input udp dport 15426 accept")
        #expect(commands(nil, 14999) == "sudo nft insert rule inet filter input tcp dport 14999 accept")
        #expect(
            commands(15426, 22, hooks: ["input", "output"])
                == "sudo nft insert rule inet filter input udp dport 15426 accept "
                + "&& sudo nft insert rule inet filter output udp dport 15426 accept")
        let open = PacketRules.finding(in: ruleset, .init(udp: nil, tcp: 22))
        #expect(open.findings.map(\.code) == [.nftablesLetsThrough, .chainsNotFollowed])
        let bytes = Array(Self.recorded.utf8)
        for index in stride(from: 0, to: bytes.count, by: 7) {
            var changed = bytes
            changed[index] = UInt8(ascii: "0")
            for text in [Array(bytes[..<index]), changed] {
                guard let value = try? JSONParser.parse(text) else { continue }
                _ = PacketRules.finding(in: value, .init(udp: 15426, tcp: 15426), hooks: ["input", "output"])
            }
        }
    }

    @Test("nftables: what a rule says about a port")
    func rules() {
        let accept: JSONValue = ["accept": nil]
        let drop: JSONValue = ["drop": nil]
        let counter: JSONValue = ["counter": ["packets": 15426, "bytes": 9]]
        let limit: JSONValue = ["limit": ["rate": 10, "per": "second", "inv": true]]
        let card: JSONValue = ["match": ["op": "==", "left": ["meta": ["key": "iifname"]], "right": "wan0"]]
        func protocolIs(_ name: JSONValue) -> JSONValue {
            ["match": ["op": "==", "left": ["meta": ["key": "l4proto"]], "right": name]]
        }
        let range: JSONValue = ["range": [15000, 16000]]
        for (statements, verdict) in [
            ([port("udp", 15426), accept], true), ([port("udp", range), counter, accept], true),
            ([card, port("udp", ["set": [22, range]]), accept], true), ([port("th", 15426), accept], true),
            ([protocolIs("udp"), port("th", 15426), drop], false), ([protocolIs("tcp"), port("th", 15426), drop], nil),
            ([port("udp", 15426), counter, drop], false), ([port("udp", range), ["reject": nil]], false),
            ([port("udp", 15426), limit, drop], nil), ([card, port("udp", 15426), drop], nil),
            ([port("udp", ["range": [15427, 16000]]), accept], nil), ([port("udp", 15426, op: "!="), accept], nil),
            ([port("udp", 15426, field: "sport"), accept], nil), ([port("tcp", 15426), accept], nil),
            ([port("udp", ["set": []]), accept], nil), ([port("udp", ["range": [1, 2, 99999]]), accept], nil),
            ([port("udp", "@ours"), accept], nil), ([accept], nil), ([drop], nil), ([], nil), ([nil, 5, "drop"], nil),
        ] as [([JSONValue], Bool?)] {
            #expect(PacketRules.Rule(statements: statements).verdict("udp", 15426) == verdict, "\(statements)")
        }
        for value: JSONValue in [nil, 5, [], [:], ["nftables": 5], ["nftables": [5, ["chain": 5], ["rule": nil]]]] {
            #expect(PacketRules.finding(in: value, .init(udp: 1, tcp: 1)).hint == nil)
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
        #expect(PermissionCheck.problems([path, directory.file("missing")]).isEmpty)
        chmod(path, 0o640)
        let problems = PermissionCheck.problems([path])
        #expect(problems.count == 1)
        #expect(problems.first?.finding == .init(.openToOthers, ["path": .string(path), "mode": "640"]))
        #expect(problems.first?.advice == .init(.closePath, ["path": .string(path)]))
    }

    @Test("A friend who connected before a firewall closed doesn't hide that dialling back fails now")
    func closedSince() {
        func friend(_ outcome: ReachBody.Outcome?, hasDialled: Bool = true) -> FriendAnswers.Friend {
            let body = outcome.map {
                ReachBody(number: 1, outcome: $0, time: WallTime(milliseconds: 1), address: "192.0.2.1:1", detail: nil)
            }
            return .init(
                name: "Ben", answer: body.map { .init(body: $0, clockAhead: .zero) }, hasDialled: hasDialled)
        }
        let closed = FriendAnswers(all: [friend(.failed)]).reachable(port: 15425)
        #expect(!closed.ok && closed.findings.first?.code == .notReached)
        // Without a try, and beside a friend who can, the connection counts.
        for all in [[friend(nil)], [friend(.failed, hasDialled: false), friend(.notTried)]] {
            #expect(FriendAnswers(all: all).reachable(port: 15425).findings.first?.code == .wasDialled)
        }
    }
}

extension Firewall.Finding {
    /// The commands that open what is closed; nil where nothing is.
    fileprivate var hint: String? { advice.first?.parameters["commands"]?.string }
}

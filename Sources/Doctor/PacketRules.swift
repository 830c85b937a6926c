import Basics
import ControlProtocol
import Glibc
import Media

/// Rules of the kernel's packet filters, where no firewall program is on that would know them: nftables, and the older
/// tables of iptables beside it. Blocking, and only looks.
enum PacketRules {
    /// - Parameters:
    ///   - udp: of announcements; nil where they are off.
    ///   - tcp: where we listen.
    ///   - goesOut: whether what we send is known to get out; else what it goes through is looked at too.
    static func look(udp: UInt16?, tcp: UInt16, goesOut: Bool) -> Firewall.Finding {
        let ports = Ports(udp: udp, tcp: tcp)
        let hooks = goesOut ? ["input"] : ["input", "output"]
        var findings = [run(["nft", "list", "ruleset"]).map { nftables($0, ports, hooks: hooks) }].compactMap(\.self)
        // Asking for tables that nobody uses would make them.
        for (names, program, family) in [
            ("/proc/net/ip_tables_names", "iptables-legacy", "IPv4"),
            ("/proc/net/ip6_tables_names", "ip6tables-legacy", "IPv6"),
        ] {
            guard Firewall.contents(names)?.split(separator: "\n").contains("filter") == true,
                let rules = run([program + "-save", "-t", "filter"])
            else { continue }
            findings.append(legacy(rules, ports, program: program, family: family))
        }
        guard !findings.isEmpty else {
            return Firewall.Finding([.init(.firewallUnreadable)])
        }
        let closing = findings.filter { !$0.advice.isEmpty }
        return Firewall.Finding(
            (closing.isEmpty ? findings : closing).flatMap(\.findings), advice: closing.flatMap(\.advice))
    }

    /// What has to be open.
    struct Ports: Equatable {
        let udp: UInt16?
        let tcp: UInt16

        var wanted: [(kind: String, port: UInt16)] { [udp.map { ("udp", $0) }, ("tcp", tcp)].compactMap(\.self) }
    }

    private static func run(_ words: [String]) -> String? {
        try? CommandRun(words: words, input: [], patience: .seconds(5), keeps: 1 << 20).run()
    }

    // MARK: nftables

    /// A chain of an nft ruleset through which everything goes that comes in (or out), and which drops or rejects some of it.
    struct Chain: Equatable {
        /// As nft wants it: `inet filter input`.
        let name: String
        let rules: [Substring]

        /// Whether it stops what no rule names the port of.
        var closesOthers: Bool {
            rules.contains { rule in
                rule.contains("policy drop") || ["drop", "reject"].contains { PacketRules.isBare(rule, ending: $0) }
            }
        }
    }

    /// Reads `nft list ruleset`, one statement a line.
    static func closingChains(_ ruleset: String, hooks: [String] = ["input"]) -> [Chain] {
        var found: [Chain] = []
        var (table, chain, lines): (String, String?, [Substring]) = ("", nil, [])
        for raw in ruleset.split(separator: "\n") {
            let line = raw.drop { $0 == " " || $0 == "\t" }
            let words = line.split(separator: " ")
            if words.first == "table", words.count >= 3 {
                table = words[1...2].joined(separator: " ")
            } else if words.first == "chain", words.count >= 2 {
                (chain, lines) = (String(words[1]), [])
            } else if words == ["}"] {
                let closes = lines.contains { line in
                    ["policy drop", " drop", " reject"].contains { (" " + line).contains($0) }
                }
                if let chain, closes, lines.contains(where: { line in hooks.contains { line.contains("hook \($0)") } })
                {
                    found.append(Chain(name: "\(table) \(chain)", rules: lines))
                }
                chain = nil
            } else if chain != nil {
                lines.append(line)
            }
        }
        return found
    }

    static func nftables(_ ruleset: String, _ ports: Ports, hooks: [String] = ["input"]) -> Firewall.Finding {
        let chains = closingChains(ruleset, hooks: hooks)
        guard !chains.isEmpty else { return Firewall.Finding([.init(.nftablesOpen)]) }
        // The first rule that names the port is taken to decide: whether it does, the check from outside tells.
        let missing = chains.flatMap { chain in
            ports.wanted.filter { kind, port in
                !(chain.rules.lazy.compactMap { verdict($0, kind, port) }.first ?? !chain.closesOthers)
            }.map { "sudo nft insert rule \(chain.name) \($0) dport \($1) accept" }
        }
        let outgoing = chains.filter { chain in chain.rules.contains { $0.contains("hook output") } }
        let incoming = chains.filter { !outgoing.contains($0) }
        func names(_ chains: [Chain]) -> JSONObject { ["chains": .strings(chains.map(\.name))] }
        guard !missing.isEmpty else {
            // What stands in other chains is not followed.
            let isPartial = chains.contains { $0.rules.contains { $0.contains("jump ") || $0.contains("goto ") } }
            return Firewall.Finding(
                [.init(.nftablesLetsThrough, names(chains))] + (isPartial ? [.init(.chainsNotFollowed)] : []))
        }
        let closing: [(DoctorFinding, [Chain])] = [(.nftablesKeepsOut, incoming), (.nftablesKeepsIn, outgoing)]
        return Firewall.Finding(
            closing.filter { !$1.isEmpty }.map { .init($0, names($1)) },
            advice: [.init(.openPortsInNftables, ["commands": .string(missing.joined(separator: " && "))])])
    }

    /// `udp dport 15426 accept`, `tcp dport { 22, 15000-16000 } counter packets 0 bytes 0 accept`.
    /// - Returns: whether it lets a port through; nil if it says nothing about it.
    static func verdict(_ rule: Substring, _ kind: String, _ port: UInt16) -> Bool? {
        guard let place = rule.firstRange(of: "dport "),
            rule[..<place.lowerBound].contains(kind) || rule[..<place.lowerBound].contains("th ")
        else { return nil }
        let rest = rule[place.upperBound...]
        let items = rest.first == "{" ? rest.dropFirst().prefix { $0 != "}" } : rest.prefix { $0 != " " }
        guard covers(items, rangesBy: "-", port) else { return nil }
        if rest.contains("accept") { return true }
        // A drop under further conditions (so many a second, from there) doesn't close the port.
        let isAlone = [kind, "th", "meta l4proto \(kind) th"].contains { rule[..<place.lowerBound] == $0 + " " }
        let end = rest.first == "{" ? rest.firstIndex(of: "}").map { rest.index(after: $0) } : rest.firstIndex(of: " ")
        guard isAlone, let end else { return nil }
        return ["drop", "reject"].contains { isBare(rest[end...].drop { $0 == " " }, ending: $0) } ? false : nil
    }

    /// Whether a rule does this to everything: `counter packets 0 bytes 0 log drop`, `reject with icmpx admin-prohibited`.
    private static func isBare(_ rule: Substring, ending verdict: String) -> Bool {
        let words = rule.split(separator: " ")
        guard let place = words.firstIndex(where: { $0 == verdict }) else { return false }
        let harmless: Set<Substring> = ["counter", "packets", "bytes", "log"]
        return words[..<place].allSatisfy { harmless.contains($0) || UInt64($0) != nil }
    }

    /// Whether a port is among numbers and ranges with commas between them.
    private static func covers(_ items: Substring, rangesBy separator: Character, _ port: UInt16) -> Bool {
        items.split(separator: ",").contains { item in
            let ends = item.filter { !$0.isWhitespace }.split(separator: separator).map { UInt16($0) }
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2 else { return false }
            return first <= port && port <= last
        }
    }

    // MARK: The tables of iptables

    /// Reads what `iptables-legacy-save -t filter` prints.
    static func legacy(_ rules: String, _ ports: Ports, program: String, family: String) -> Firewall.Finding {
        let lines = rules.split(separator: "\n")
        let closes = lines.contains {
            $0.hasPrefix(":INPUT DROP")
                || $0.hasPrefix("-A INPUT ") && ["-j DROP", "-j REJECT"].contains(where: $0.contains)
        }
        guard closes else {
            return Firewall.Finding([.init(.tablesOpen, ["family": .string(family)])])
        }
        let missing = ports.wanted.filter { kind, port in
            !lines.contains { $0.hasPrefix("-A INPUT ") && opensLegacy($0, kind, port) }
        }.map { "sudo \(program) -I INPUT -p \($0) --dport \($1) -j ACCEPT" }
        guard !missing.isEmpty else {
            return Firewall.Finding([.init(.tablesLetIn, ["family": .string(family)])])
        }
        return Firewall.Finding(
            [.init(.tablesKeepOut, ["family": .string(family)])],
            advice: [.init(.openPortsInTables, ["commands": .string(missing.joined(separator: " && "))])])
    }

    /// `-A INPUT -p udp -m udp --dport 15000:16000 -j ACCEPT`, or a list after `--dports`.
    private static func opensLegacy(_ rule: Substring, _ kind: String, _ port: UInt16) -> Bool {
        let words = rule.split(separator: " ")
        func value(after option: Substring) -> Substring? {
            words.firstIndex(of: option).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
        }
        guard value(after: "-j") == "ACCEPT", value(after: "-p").map({ $0 == kind }) == true,
            let items = value(after: "--dport") ?? value(after: "--dports")
        else { return false }
        return covers(items, rangesBy: ":", port)
    }
}

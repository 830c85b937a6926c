import ControlProtocol
import Media

/// The rules of nftables, where no firewall program manages them. It blocks, and only reads.
enum PacketRules {
    /// - Parameters:
    ///   - udp: the port of announcements; nil where they are off.
    ///   - tcp: the port where we listen.
    ///   - goesOut: whether our packets are known to get out; if not, the rules for outgoing packets are read, too.
    static func look(udp: UInt16?, tcp: UInt16, goesOut: Bool) -> Firewall.Finding {
        let command = CommandRun(
            words: ["nft", "--json", "list", "ruleset"], input: [], patience: DoctorLimits.commandPatience,
            keeps: DoctorLimits.rulesetBytes)
        guard let text = try? command.run(),
            let ruleset = try? JSONParser.parse(text, maximumBytes: DoctorLimits.rulesetBytes)
        else { return Firewall.Finding([.init(.firewallUnreadable)]) }
        return finding(in: ruleset, Ports(udp: udp, tcp: tcp), hooks: goesOut ? ["input"] : ["input", "output"])
    }

    /// The ports that have to be open.
    struct Ports: Equatable {
        let udp: UInt16?
        let tcp: UInt16

        var wanted: [(kind: String, port: UInt16)] { [udp.map { ("udp", $0) }, ("tcp", tcp)].compactMap(\.self) }
    }

    /// A chain that all incoming (or outgoing) packets go through.
    private struct Chain {
        /// The name as nft wants it: `inet filter input`.
        let name: String
        let hook: String
        let dropsTheRest: Bool
        let rules: [Rule]

        /// Whether it drops or rejects any packets.
        var closesSome: Bool { dropsTheRest || rules.contains(where: \.closesSome) }
        /// Whether it stops packets to a port that no rule names.
        var closesOthers: Bool { dropsTheRest || rules.contains(where: \.closesAll) }
    }

    /// What `nft --json list ruleset` says about the ports.
    static func finding(in ruleset: JSONValue, _ ports: Ports, hooks: [String] = ["input"]) -> Firewall.Finding {
        let chains = closingChains(ruleset, hooks)
        guard !chains.isEmpty else { return Firewall.Finding([.init(.nftablesOpen)]) }
        // The first rule that names the port is taken to decide: the check from outside tells whether it does.
        let missing = chains.flatMap { chain in
            ports.wanted.filter { kind, port in
                !(chain.rules.lazy.compactMap { $0.verdict(kind, port) }.first ?? !chain.closesOthers)
            }.map { "sudo nft insert rule \(chain.name) \($0) dport \($1) accept" }
        }
        func names(_ chains: [Chain]) -> JSONObject { ["chains": .strings(chains.map(\.name))] }
        guard !missing.isEmpty else {
            let isPartial = chains.contains { $0.rules.contains(where: \.leadsOn) }
            return Firewall.Finding(
                [.init(.nftablesLetsThrough, names(chains))] + (isPartial ? [.init(.chainsNotFollowed)] : []))
        }
        let closing: [(DoctorFinding, [Chain])] = [
            (.nftablesKeepsOut, chains.filter { $0.hook == "input" }),
            (.nftablesKeepsIn, chains.filter { $0.hook == "output" }),
        ]
        return Firewall.Finding(
            closing.filter { !$1.isEmpty }.map { .init($0, names($1)) },
            advice: [.init(.openPortsInNftables, ["commands": .string(missing.joined(separator: " && "))])])
    }

    private static func closingChains(_ ruleset: JSONValue, _ hooks: [String]) -> [Chain] {
        let items = ruleset["nftables"]?.array ?? []
        func name(_ object: JSONValue, _ last: String) -> String {
            ["family", "table", last].map { object[$0]?.string ?? "" }.joined(separator: " ")
        }
        let rules = Dictionary(grouping: items.compactMap { $0["rule"] }) { name($0, "chain") }
        return items.compactMap { item -> Chain? in
            guard let chain = item["chain"], let hook = chain["hook"]?.string, hooks.contains(hook) else { return nil }
            let own = name(chain, "name")
            let added = Chain(
                name: own, hook: hook, dropsTheRest: chain["policy"]?.string == "drop",
                rules: (rules[own] ?? []).map { Rule(statements: $0["expr"]?.array ?? []) })
            return added.closesSome ? added : nil
        }
    }

    /// A rule: its statements (libnftables-json(5)), in order.
    struct Rule {
        let statements: [JSONValue]

        private static let closing = ["drop", "reject"]
        private static let harmless = ["counter", "log"]

        private var fields: [JSONObject.Field] { statements.compactMap { $0.object?.fields.first } }

        var closesSome: Bool { fields.contains { Self.closing.contains($0.name) } }
        var closesAll: Bool { closesSome && fields.allSatisfy { (Self.closing + Self.harmless).contains($0.name) } }
        var leadsOn: Bool { fields.contains { ["jump", "goto"].contains($0.name) } }

        /// Whether it lets packets to a port through; nil if it says nothing about the port.
        func verdict(_ kind: String, _ port: UInt16) -> Bool? {
            var (namesPort, hasConditions) = (false, false)
            for field in fields {
                switch field.name {
                case "accept": return namesPort ? true : nil
                // A drop under further conditions, such as a rate or a source, doesn't close the port.
                case "drop", "reject": return namesPort && !hasConditions ? false : nil
                case "match":
                    let left = field.value["left"]
                    let isEqual = field.value["op"] == "=="
                    if left?["meta"]?["key"] == "l4proto" {
                        guard isEqual, field.value["right"]?.string == kind else { return nil }
                    } else if let payload = left?["payload"], payload["field"] == "dport",
                        payload["protocol"] == .string(kind) || payload["protocol"] == "th"
                    {
                        guard isEqual, let right = field.value["right"], Self.covers(right, Int64(port)) else {
                            return nil
                        }
                        namesPort = true
                    } else {
                        hasConditions = true
                    }
                default: if !Self.harmless.contains(field.name) { hasConditions = true }
                }
            }
            return nil
        }

        /// Whether a port is this number, or in this range or set.
        private static func covers(_ right: JSONValue, _ port: Int64) -> Bool {
            if let set = right["set"]?.array { return set.contains { covers($0, port) } }
            if let ends = right["range"]?.array?.compactMap(\.integer), ends.count == 2 {
                return ends[0] <= port && port <= ends[1]
            }
            return right.integer == port
        }
    }
}

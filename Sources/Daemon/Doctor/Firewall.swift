import Basics
import Glibc

/// What stands between this host's ports and its network, as far as an ordinary user may see. Blocking, and only looks.
enum Firewall {
    struct Finding: Equatable {
        let detail: String
        /// What opens the ports; nil where nothing seems to be closed.
        let hint: String?
    }

    /// - Parameters:
    ///   - udp: of announcements; nil where they are off.
    ///   - tcp: where we listen.
    static func look(udp: UInt16?, tcp: UInt16) -> Finding {
        let ports = [udp.map { "\($0)/udp" }, "\(tcp)/tcp"].compactMap(\.self)
        if contents("/etc/ufw/ufw.conf").map(isOn) == true { return ufw(ports, contents("/etc/ufw/user.rules")) }
        if let finding = firewalld(ports) { return finding }
        let rules = CommandRun(words: ["nft", "list", "ruleset"], input: [], patience: .seconds(5), keeps: 1 << 20)
        guard let text = try? rules.run() else {
            return Finding(
                detail:
                    "no ufw and no firewalld is on; nftables can't be looked at by this user (sudo nft list ruleset shows it)",
                hint: nil)
        }
        return nftables(text, udp: udp, tcp: tcp)
    }

    // MARK: ufw

    /// `ENABLED=yes` of its configuration, which everybody may read.
    static func isOn(_ configuration: String) -> Bool {
        configuration.split(separator: "\n").contains { $0.filter { !$0.isWhitespace }.lowercased() == "enabled=yes" }
    }

    /// - Parameter rules: what root's file says; nil where it can't be read.
    static func ufw(_ ports: [String], _ rules: String?) -> Finding {
        let missing = ports.filter { port in
            let parts = port.split(separator: "/")
            // ### tuple ### allow tcp 15426 0.0.0.0/0 any 0.0.0.0/0 in
            return rules?.split(separator: "\n").contains {
                $0.contains("### allow \(parts[1]) \(parts[0]) ") || $0.contains("### allow any \(parts[0]) ")
            } != true
        }
        if missing.isEmpty {
            return Finding(detail: "ufw is on, and lets \(ports.joined(separator: ", ")) in", hint: nil)
        }
        let commands = missing.map { "sudo ufw allow \($0)" }.joined(separator: " && ")
        let what =
            rules == nil
            ? "ufw is on; its rules can't be read by this user"
            : "ufw is on, and has no rule for \(missing.joined(separator: ", "))"
        return Finding(detail: what, hint: "Open the ports: \(commands)")
    }

    // MARK: firewalld

    private static func firewalld(_ ports: [String]) -> Finding? {
        func says(_ arguments: [String]) -> Bool {
            let run = CommandRun(words: ["firewall-cmd"] + arguments, input: [], patience: .seconds(5))
            return (try? run.run()) != nil
        }
        guard says(["--state"]) else { return nil }
        let missing = ports.filter { !says(["--query-port=\($0)"]) }
        guard !missing.isEmpty else {
            return Finding(detail: "firewalld is on, and lets \(ports.joined(separator: ", ")) in", hint: nil)
        }
        let commands = missing.map { "sudo firewall-cmd --permanent --add-port=\($0)" }.joined(separator: " && ")
        return Finding(
            detail: "firewalld is on, and doesn't let \(missing.joined(separator: ", ")) into its default zone",
            hint: "Open the ports: \(commands) && sudo firewall-cmd --reload")
    }

    // MARK: nftables

    /// A chain of an nft ruleset through which everything goes that comes in, and which drops or rejects some of it.
    struct Chain: Equatable {
        /// As nft wants it: `inet filter input`.
        let name: String
        let text: String
    }

    /// Reads `nft list ruleset`, one statement a line.
    static func closingChains(_ ruleset: String) -> [Chain] {
        var found: [Chain] = []
        var (table, chain, lines): (String, String?, [String]) = ("", nil, [])
        for raw in ruleset.split(separator: "\n") {
            let line = raw.drop { $0 == " " || $0 == "\t" }
            let words = line.split(separator: " ")
            if words.first == "table", words.count >= 3 {
                table = words[1...2].joined(separator: " ")
            } else if words.first == "chain", words.count >= 2 {
                (chain, lines) = (String(words[1]), [])
            } else if words == ["}"] {
                let text = lines.joined(separator: "\n")
                let closes = ["policy drop", " drop", " reject"].contains(where: text.contains)
                if let chain, text.contains("hook input"), closes {
                    found.append(Chain(name: "\(table) \(chain)", text: text))
                }
                chain = nil
            } else if chain != nil {
                lines.append(" " + line)
            }
        }
        return found
    }

    static func nftables(_ ruleset: String, udp: UInt16?, tcp: UInt16) -> Finding {
        let chains = closingChains(ruleset)
        guard !chains.isEmpty else { return Finding(detail: "nftables keeps nothing out", hint: nil) }
        let wanted = [udp.map { ("udp", $0) }, ("tcp", tcp)].compactMap(\.self)
        // A rule that names the port is taken to open it: whether it does, the check from outside tells.
        let missing = chains.flatMap { chain in
            wanted.filter { kind, port in
                !chain.text.split(separator: "\n").contains {
                    $0.contains(kind) && $0.contains("dport") && $0.contains("\(port)") && $0.contains("accept")
                }
            }.map { "sudo nft insert rule \(chain.name) \($0) dport \($1) accept" }
        }
        let names = chains.map(\.name).joined(separator: ", ")
        guard !missing.isEmpty else { return Finding(detail: "nftables lets the ports in (\(names))", hint: nil) }
        return Finding(
            detail: "nftables keeps things out (\(names)) and has no rule for our ports",
            hint:
                "Open the ports: \(missing.joined(separator: " && ")); and write it into /etc/nftables.conf to keep it")
    }

    private static func contents(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 20 {
            let count = read(file, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

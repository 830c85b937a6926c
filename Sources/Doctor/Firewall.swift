import ControlProtocol
import Glibc
import Media

/// Looks for a firewall that closes this host's ports, as far as this user may see one. Blocking; changes nothing.
enum Firewall {
    struct Finding: Equatable {
        let findings: [Remark<DoctorFinding>]
        /// How to open the ports; empty if none seems closed.
        let advice: [Remark<DoctorAdvice>]

        init(_ findings: [Remark<DoctorFinding>], advice: [Remark<DoctorAdvice>] = []) {
            self.findings = findings
            self.advice = advice
        }
    }

    /// - Parameter goesOut: whether our packets are known to get out.
    static func look(_ needs: FirewallNeeds, goesOut: Bool) -> Finding {
        if contents("/etc/ufw/ufw.conf").map(isOn) == true {
            let profile = needs.profile.flatMap { name in
                contents("/etc/ufw/applications.d/kibo").flatMap { isProfile(name, in: $0) ? name : nil }
            }
            return ufw(needs.ports, contents("/etc/ufw/user.rules"), profile: profile)
        }
        if let finding = firewalld(needs) { return finding }
        return PacketRules.look(udp: needs.udp, tcp: needs.tcp, goesOut: goesOut)
    }

    // MARK: ufw

    /// Looks for `ENABLED=yes` in its configuration, which every user may read.
    static func isOn(_ configuration: String) -> Bool {
        configuration.split(separator: "\n").contains { $0.filter { !$0.isWhitespace }.lowercased() == "enabled=yes" }
    }

    /// Whether a file of profiles has one of this name: a line `[Kibo LocalSend]`.
    static func isProfile(_ name: String, in profiles: String) -> Bool {
        profiles.split(separator: "\n").contains { $0 == "[\(name)]" }
    }

    /// - Parameters:
    ///   - rules: the text of root's file; nil where it can't be read.
    ///   - profile: what is to be allowed if a port is missing; nil for each missing port.
    static func ufw(_ ports: [String], _ rules: String?, profile: String? = nil) -> Finding {
        // ### tuple ### allow tcp 15411:15426 0.0.0.0/0 any 0.0.0.0/0 Kibo - in
        let open = (rules ?? "").split(separator: "\n").flatMap { line -> [String] in
            let words = line.split(separator: " ")
            guard words.count > 5, words[..<3] == ["###", "tuple", "###"], words[3] == "allow" else { return [] }
            return words[5].split(separator: ",").map { "\($0)/\(words[4])" }
        }
        let missing = ports.filter { port in !open.contains { covers($0, port) } }
        if missing.isEmpty {
            return Finding([.init(.ufwOpen, ["ports": .strings(ports)])])
        }
        let commands =
            profile.map { "sudo ufw allow \"\($0)\"" }
            ?? missing.map { "sudo ufw allow \($0)" }.joined(separator: " && ")
        return Finding(
            [rules == nil ? .init(.ufwUnreadable) : .init(.ufwClosed, ["ports": .strings(missing)])],
            advice: [.init(.openPorts, ["commands": .string(commands)])])
    }

    // MARK: firewalld

    private static func firewalld(_ needs: FirewallNeeds) -> Finding? {
        let ports = needs.ports
        func answer(_ argument: String) -> String? {
            try? CommandRun(words: ["firewall-cmd", argument], input: [], patience: DoctorLimits.commandPatience).run()
        }
        guard answer("--state") != nil else { return nil }
        let service = answer("--info-service=\(needs.service)")
        let open = answer("--query-service=\(needs.service)") == nil ? [] : Self.ports(ofService: service ?? "")
        let missing = ports.filter { port in
            !open.contains { covers($0, port) } && answer("--query-port=\(port)") == nil
        }
        guard !missing.isEmpty else {
            return Finding([.init(.firewalldOpen, ["ports": .strings(ports)])])
        }
        let wholeService = needs.profile == nil || service == nil ? nil : needs.service
        return Finding(
            [.init(.firewalldClosed, ["ports": .strings(missing)])],
            advice: [.init(.openPorts, ["commands": .string(opening(missing, service: wholeService))])])
    }

    /// The commands that make firewalld let ports in, now and after a start.
    /// - Parameter service: what is to be let in as a whole; nil for each port.
    static func opening(_ ports: [String], service: String?) -> String {
        let added = service.map { ["--add-service=\($0)"] } ?? ports.map { "--add-port=\($0)" }
        return added.map { "sudo firewall-cmd --permanent \($0) && " }.joined() + "sudo firewall-cmd --reload"
    }

    /// The ports in what `firewall-cmd --info-service` prints: a line `  ports: 15426/udp 15411-15426/tcp` among others.
    static func ports(ofService text: String) -> [String] {
        text.split(separator: "\n").first { $0.drop(while: \.isWhitespace).hasPrefix("ports:") }
            .map { $0.split(separator: " ").dropFirst().map(String.init) } ?? []
    }

    /// Whether a rule such as `15411:15426/tcp`, `15411-15426/tcp` or `15426/any` lets a port such as `15425/tcp` in.
    static func covers(_ rule: String, _ port: String) -> Bool {
        let (rule, port) = (rule.split(separator: "/"), port.split(separator: "/"))
        guard rule.count == 2, port.count == 2, rule[1] == port[1] || rule[1] == "any" else { return false }
        let ends = rule[0].split { $0 == ":" || $0 == "-" }.map { UInt16($0) }
        guard let number = UInt16(port[0]), let first = ends.first ?? nil, let last = ends.last ?? nil else {
            return false
        }
        return first <= number && number <= last
    }

    /// At most a megabyte of a file; nil if it can't be read.
    static func contents(_ path: String) -> String? {
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

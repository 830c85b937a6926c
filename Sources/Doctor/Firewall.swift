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

    /// - Parameters:
    ///   - udp: the port of announcements; nil where they are off.
    ///   - tcp: the port where we listen.
    ///   - goesOut: whether our packets are known to get out.
    static func look(udp: UInt16?, tcp: UInt16, goesOut: Bool) -> Finding {
        let ports = [udp.map { "\($0)/udp" }, "\(tcp)/tcp"].compactMap(\.self)
        if contents("/etc/ufw/ufw.conf").map(isOn) == true { return ufw(ports, contents("/etc/ufw/user.rules")) }
        if let finding = firewalld(ports) { return finding }
        return PacketRules.look(udp: udp, tcp: tcp, goesOut: goesOut)
    }

    // MARK: ufw

    /// Looks for `ENABLED=yes` in its configuration, which every user may read.
    static func isOn(_ configuration: String) -> Bool {
        configuration.split(separator: "\n").contains { $0.filter { !$0.isWhitespace }.lowercased() == "enabled=yes" }
    }

    /// - Parameter rules: the text of root's file; nil where it can't be read.
    static func ufw(_ ports: [String], _ rules: String?) -> Finding {
        let missing = ports.filter { port in
            let parts = port.split(separator: "/")
            // ### tuple ### allow tcp 15426 0.0.0.0/0 any 0.0.0.0/0 in
            return rules?.split(separator: "\n").contains {
                $0.contains("### allow \(parts[1]) \(parts[0]) ") || $0.contains("### allow any \(parts[0]) ")
            } != true
        }
        if missing.isEmpty {
            return Finding([.init(.ufwOpen, ["ports": .strings(ports)])])
        }
        let commands = missing.map { "sudo ufw allow \($0)" }.joined(separator: " && ")
        return Finding(
            [rules == nil ? .init(.ufwUnreadable) : .init(.ufwClosed, ["ports": .strings(missing)])],
            advice: [.init(.openPorts, ["commands": .string(commands)])])
    }

    // MARK: firewalld

    private static func firewalld(_ ports: [String]) -> Finding? {
        func says(_ arguments: [String]) -> Bool {
            let run = CommandRun(words: ["firewall-cmd"] + arguments, input: [], patience: DoctorLimits.commandPatience)
            return (try? run.run()) != nil
        }
        guard says(["--state"]) else { return nil }
        let missing = ports.filter { !says(["--query-port=\($0)"]) }
        guard !missing.isEmpty else {
            return Finding([.init(.firewalldOpen, ["ports": .strings(ports)])])
        }
        let commands = missing.map { "sudo firewall-cmd --permanent --add-port=\($0)" }.joined(separator: " && ")
        return Finding(
            [.init(.firewalldClosed, ["ports": .strings(missing)])],
            advice: [.init(.openPorts, ["commands": .string("\(commands) && sudo firewall-cmd --reload")])])
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

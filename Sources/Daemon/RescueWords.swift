import Store

/// Says what a repair has saved and lost.
enum RescueWords {
    /// What users know, and the tables that hold it. All other tables are records of the daemon.
    private static let kinds: [(name: String, tables: [String])] = [
        ("profile", ["account"]),
        ("contacts", ["contact"]),
        ("conversations", ["conversation"]),
        ("messages", ["message"]),
        ("reactions", ["reaction"]),
        ("marks who has a message", ["recipient"]),
        ("what waits to be sent", ["outbox", "outbox_body", "log_draft"]),
        ("groups", ["group_chat"]),
        ("changes and members of groups", ["group_entry", "group_member", "group_device"]),
        ("entries of groups' logs", ["log_entry"]),
        ("files sent and received", ["transfer"]),
        ("address book", ["address_entry"]),
        ("settings", ["setting"]),
        ("previews", ["asset"]),
    ]

    static func text(_ report: RepairReport) -> String {
        let named = Set(kinds.flatMap(\.tables))
        let others = report.tables.map(\.name).filter { !named.contains($0) }
        let rows = (kinds + [("records of the daemon", others)]).compactMap { kind in
            line(kind.tables.map { report[$0] }).map { (kind.name, $0) }
        }
        let width = rows.map(\.0.count).max() ?? 0
        var lines = ["What could be read of the damaged database is in a new one:", ""]
        for (name, words) in rows {
            lines.append("  " + name + String(repeating: " ", count: width - name.count + 2) + words)
        }
        lines.append("")
        lines += advice(report)
        lines.append("The damaged files are unchanged: \(report.damagedPath)*")
        lines.append("Remove them once you miss nothing. Start the daemon again: systemctl --user start kibod")
        return lines.joined(separator: "\n") + "\n"
    }

    /// - Returns: nil if there was nothing of this kind.
    private static func line(_ tables: [RepairReport.Table]) -> String? {
        func sum(_ part: (RepairReport.Table) -> Int) -> Int { max(0, tables.map(part).reduce(0, +)) }
        let (lost, leftOut, rebuilt) = (sum(\.lost), sum(\.leftOut), sum(\.rebuilt))
        let saved = sum(\.saved) + rebuilt
        let mayHaveLostMore = tables.contains(where: \.mayHaveLostMore)
        guard saved > 0 || !tables.allSatisfy(\.isWhole) else { return nil }
        var parts = ["\(saved) saved"]
        if lost > 0 {
            parts.append(mayHaveLostMore ? "\(lost) or more can't be read" : "\(lost) can't be read")
        } else if mayHaveLostMore {
            parts.append("some can't be read")
        }
        if leftOut > 0 { parts.append("\(leftOut) left out, because what they belong to is lost") }
        if rebuilt > 0 { parts.append("\(rebuilt) of them put together from what was left") }
        return parts.joined(separator: ", ")
    }

    private static func advice(_ report: RepairReport) -> [String] {
        var lines: [String] = []
        func isDamaged(_ table: String) -> Bool { !report[table].isWhole }
        if report.isAccountRebuilt {
            lines.append(
                "Your profile was lost; your account and its keys are there. Say who you are: kibo profile --name NAME")
        }
        if isDamaged("contact") {
            lines.append(
                "Look through your contacts: kibo contacts. Names come back when you meet; compare numbers again with kibo verify, and who is missing is added again with kibo add."
            )
        }
        if isDamaged("setting") {
            lines.append(
                "Some settings may be at their defaults again, also who may see you (discovery.mode): kibo settings")
        }
        if isDamaged("outbox") || isDamaged("outbox_body") {
            lines.append("Messages that were still to go and are lost say so: kibo retry sends them again.")
        }
        for name in report.groups {
            lines.append("The group \(name) comes back from a friend who is in it; its messages are there.")
        }
        if isDamaged("log_entry") { lines.append("What is missing in groups is asked of their other members.") }
        if isDamaged("message") {
            lines.append("Messages between you and a friend don't come back by themselves; your friend has them.")
        }
        return lines
    }
}

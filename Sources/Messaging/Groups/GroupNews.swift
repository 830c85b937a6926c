import Basics
import PeerProtocol

/// What people read about a change of a group, in its conversation.
///
/// The words are made once, when the change comes to this host, with the names that people have here at that moment.
package struct GroupNews {
    package let own: AccountID
    /// What somebody is called here.
    package let name: (AccountID) -> String

    /// - Parameters:
    ///   - entry: one that counts.
    ///   - group: as it is called after it.
    /// - Returns: nil for what nobody needs to read.
    package func text(of entry: MembershipEntry, in group: String) -> String? {
        let author = subject(entry.author)
        switch entry.operation {
        case .create(let name, _, _, _, let members):
            let with = members.isEmpty ? "" : " with \(list(members.map(\.account)))"
            return "\(author) made the group “\(name)”\(with)"
        case .add(let seeds, _): return "\(author) added \(list(seeds.map(\.account)))"
        case .remove(let account): return "\(author) removed \(object(account))"
        case .role(let account, let role):
            switch role {
            case .owner: return "\(author) made \(object(account)) an owner"
            case .admin: return "\(author) made \(object(account)) an admin"
            case .member: return "\(author) made \(object(account)) an ordinary member"
            }
        case .leave: return "\(author) left"
        case .rename(let name): return "\(author) renamed the group to “\(name)”"
        case .describe(let text):
            return text.isEmpty ? "\(author) removed the description" : "\(author) changed the description: \(text)"
        case .logo(let digest):
            return digest == nil ? "\(author) removed the group's picture" : "\(author) changed the group's picture"
        case .history(let count):
            return count == 0
                ? "\(author) decided that new members see what is written after they have joined"
                : "\(author) decided that new members see the last \(count) messages"
        case .device, .unknown: return nil
        }
    }

    /// A change that counted, and does not any more: somebody's removal, made at the same time, has come to be known.
    package func undone(_ entry: MembershipEntry, in group: String) -> String? {
        text(of: entry, in: group).map {
            "Undone, because of a removal that was made at the same time: \($0)"
        }
    }

    /// Nobody was left to own the group.
    package func inherited(by account: AccountID) -> String {
        account == own ? "You are the group's owner now" : "\(name(account)) is the group's owner now"
    }

    /// Two different messages under one number prove that somebody's copy was restored, or that they lie.
    package func forked(by account: AccountID) -> String {
        "\(account == own ? "Your" : "\(name(account))'s") device has said two different things under one number: either "
            + "its data was brought back from an older copy, or somebody cheats"
    }

    private func subject(_ account: AccountID) -> String { account == own ? "You" : name(account) }
    private func object(_ account: AccountID) -> String { account == own ? "you" : name(account) }

    /// The first few, and how many there are beside them.
    private func list(_ accounts: [AccountID]) -> String {
        let shown = accounts.count > Self.listed + 1 ? Array(accounts.prefix(Self.listed)) : accounts
        var words = shown.map(object)
        if shown.count < accounts.count { words.append("\(accounts.count - shown.count) others") }
        guard let last = words.popLast() else { return "" }
        return words.isEmpty ? last : words.joined(separator: ", ") + " and " + last
    }

    private static let listed = 5
}

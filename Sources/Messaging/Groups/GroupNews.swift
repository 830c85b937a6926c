import Basics
import PeerProtocol
import Vocabulary

/// Makes the lines that a group's conversation has about changes of the group.
package struct GroupNews {
    let own: AccountID
    /// What an account is called here.
    let name: (AccountID) -> String

    /// How many people a line names. Others are only counted.
    private static let listed = 5

    /// - Parameter entry: an entry that counts.
    /// - Returns: nil for an entry that no user needs to read.
    func line(of entry: MembershipEntry) -> SystemMessage? {
        func line(_ action: LineAction, _ accounts: [AccountID] = []) -> SystemMessage {
            var line = SystemMessage(action, by: person(entry.author))
            let shown = accounts.count > Self.listed + 1 ? Array(accounts.prefix(Self.listed)) : accounts
            line.subjects = shown.map(person)
            line.more = UInt64(accounts.count - shown.count)
            return line
        }
        var made: SystemMessage
        switch entry.operation {
        case .create(let name, _, _, _, let members):
            made = line(.created, members.map(\.account))
            made.value = name
        case .add(let seeds, _): made = line(.added, seeds.map(\.account))
        case .remove(let account): made = line(.removed, [account])
        case .role(let account, let role):
            made = line(.roleChanged, [account])
            made.role = role
        case .leave: made = line(.left)
        case .rename(let name):
            made = line(.renamed)
            made.value = name
        case .describe(let text):
            made = line(.described)
            made.value = text.isEmpty ? nil : text
        case .avatar(let digest):
            made = line(.avatarChanged)
            made.isGone = digest == nil
        case .history(let count):
            made = line(.historyChanged)
            made.count = UInt64(clamping: count)
        case .device, .unknown: return nil
        }
        return made
    }

    /// The line for a change that counted once and doesn't any more.
    func undone(_ entry: MembershipEntry) -> SystemMessage? {
        var line = line(of: entry)
        line?.isUndone = true
        return line
    }

    /// The line for a group that had no owner left and got a new one.
    func inherited(by account: AccountID) -> SystemMessage { SystemMessage(.inherited, by: person(account)) }

    /// The line for two different messages with one number.
    func forked(by account: AccountID) -> SystemMessage { SystemMessage(.forked, by: person(account)) }

    private func person(_ account: AccountID) -> SystemMessage.Person {
        SystemMessage.Person(account: account, name: name(account), isOwn: account == own)
    }
}

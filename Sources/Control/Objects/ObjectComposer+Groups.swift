import Basics
import ControlProtocol
import Store
import Vocabulary

extension ObjectComposer {
    /// A group as it is in this transaction.
    func group(_ row: GroupRow, in transaction: ReadTransaction) throws -> Group {
        let own = try transaction.ownAccount()
        var members: [Group.Member] = []
        var former: [Group.Former] = []
        for member in try transaction.members(of: row.id, former: true) {
            let contact = try transaction.contact(member.account)
            let name =
                member.account == own?.account ? own?.displayName ?? member.name : contact?.shownName ?? member.name
            guard member.isPresent else {
                former.append(Group.Former(id: member.account.description, displayName: name))
                continue
            }
            members.append(
                Group.Member(
                    id: member.account.description, displayName: name, role: member.role,
                    presence: presence(of: member.account, contact, own), joinedAt: member.joinedAt.milliseconds,
                    forked: member.hasForked))
        }
        return Group(
            id: row.id.description, name: row.name, description: row.description,
            avatar: row.shownAvatar.map(avatarPath), picture: row.shownAvatar.map { Hex.encode($0) }, members: members,
            former: former,
            online: Int64(members.filter { $0.presence != .offline }.count), createdAt: row.createdAt.milliseconds,
            epoch: row.entries, conversation: row.conversation?.description, history: row.history,
            state: row.state, role: row.ownRole,
            addedBy: row.addedBy?.description)
    }

    /// Friends tell their presence. The presence of other members is whether their device is on the network.
    private func presence(of account: AccountID, _ contact: ContactRow?, _ own: AccountRow?) -> Presence {
        if let own, account == own.account { return self.account(own).presence }
        if contact?.relation == .friend { return contacts.presence(account) }
        if contact?.relation == .blocked { return .offline }
        return groups.isHere(account) ? .online : .offline
    }
}

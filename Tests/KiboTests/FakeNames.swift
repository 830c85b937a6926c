import Basics
import ControlProtocol
import Vocabulary

@testable import Control
@testable import Store

/// Names mean the same in the scripts as in the daemon: the rule is the daemon's own, the people are those of the
/// lists.
extension FakeDaemon {
    func answerNames() {
        answer("name.resolve") { [weak self] params, _ in
            guard let self else { return [:] }
            let word = params.string("name")
            var lookup = NameLookup(hint: .seeContacts)
            let purpose = params.choice("for", as: NamePurpose.self) ?? .chat
            if purpose == .member {
                let group = try Group(json: self.ask("group.get", ["id": .string(params.string("group"))]))
                for member in group.members {
                    lookup.add(
                        stranger: member.id, name: member.displayName, isKnown: true, since: WallTime(milliseconds: 0))
                }
            }
            if purpose != .group, purpose != .member { try self.addPeople(purpose, to: &lookup) }
            if purpose == .chat || purpose == .group { try self.addGroups(to: &lookup) }
            if purpose != .group, purpose != .member, let id = AccountID(word) { lookup.addUnknown(id) }
            let isUnsigned = purpose == .group && word.first != NameRule.groupSign
            return try lookup.resolve(isUnsigned ? ":\(word)" : word, isStrict: params.bool("strict")).json
        }
        answer("group.get") { [weak self] params, _ in
            let groups = try self?.ask("group.list")["groups"]?.array ?? []
            guard let group = groups.first(where: { $0["id"]?.string == params.string("id") }) else {
                throw RPCError(ControlError(.notFound, "there is no such group"))
            }
            return group
        }
        answer("conversation.get") { [weak self] params, _ in
            for archived in [false, true] {
                let all = try self?.ask("conversation.list", archived ? ["archived": true] : [:])
                let found = all?["conversations"]?.array?.first { $0["id"]?.string == params.string("id") }
                if let found { return found }
            }
            throw RPCError(ControlError(.notFound, "there is no such conversation"))
        }
    }

    private func addPeople(_ purpose: NamePurpose, to lookup: inout NameLookup) throws {
        for json in try ask("contact.list")["contacts"]?.array ?? [] {
            let contact = try Contact(json: json)
            let isMeant =
                switch purpose {
                case .chat: contact.relation == .friend || contact.conversation != nil
                case .request: [.incoming, .requested].contains(contact.relation) || contact.reason != nil
                case .blocked: contact.relation == .blocked
                default: true
                }
            guard isMeant, let account = AccountID(contact.id) else { continue }
            lookup.add(
                ContactNameRow(
                    account: account, displayName: contact.displayName, alias: contact.alias,
                    relation: contact.relation, trust: contact.trust,
                    namedAt: WallTime(milliseconds: Cast.noon - 86_400_000),
                    conversation: contact.conversation.flatMap { UUIDv7($0) }, isRefused: contact.reason != nil))
        }
        guard purpose == .anybody else { return }
        for json in try ask("peer.list")["peers"]?.array ?? [] {
            let peer = try Peer(json: json)
            lookup.add(
                stranger: peer.account, name: peer.displayName, isKnown: false,
                since: WallTime(milliseconds: Cast.noon))
        }
    }

    private func addGroups(to lookup: inout NameLookup) throws {
        for json in try ask("group.list")["groups"]?.array ?? [] {
            let group = try Group(json: json)
            guard let id = UUIDv7(group.id), group.state == .member || group.conversation != nil else { continue }
            var row = GroupRow(id: id, root: [], name: group.name, createdAt: WallTime(milliseconds: 0))
            row.state = .member
            lookup.add(
                row, conversation: group.conversation, members: group.members.count, addedBy: nil)
        }
    }
}

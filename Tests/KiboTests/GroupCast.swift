import ControlProtocol
import Vocabulary

@testable import kibo

/// A group of us, Anna, Bella and Dora, who is no contact; Emil has left.
extension Cast {
    static let dora = account(6)
    static let emil = account(7)
    static let hikers = "019ac0de-7777-7000-8000-000000000001"
    static let hikersChat = "019ac0de-7778-7000-8000-000000000002"

    static func group(
        _ state: GroupStanding = .member, role: GroupRole? = .owner, conversation: String? = hikersChat
    )
        -> Group
    {
        Group(
            id: hikers, name: "Hikers", description: "On Sundays",
            members: [
                .init(id: own, displayName: "Me", role: .owner, presence: .online, joinedAt: noon - 86_400_000),
                .init(id: anna, displayName: "Anna", role: .admin, presence: .online, joinedAt: noon - 86_400_000),
                .init(id: annabel, displayName: "Bella", role: .member, joinedAt: noon - 3_600_000),
                .init(id: dora, displayName: "Dora", role: .member, joinedAt: noon - 3_600_000, forked: true),
            ],
            former: [.init(id: emil, displayName: "Emil")], online: 2, createdAt: noon - 86_400_000, epoch: 5,
            conversation: conversation, history: 20, state: state, role: role)
    }

    /// A message in the group; one of ours is for the three others.
    static func said(
        _ text: String, by sender: String = own, kind: MessageKind = .text, states: [MessageState] = [],
        state: MessageState = .delivered
    ) -> Message {
        Message(
            id: "019ac0de-8888-7000-8000-000000000001", conversation: hikersChat, sender: sender, kind: kind,
            text: text,
            sentAt: noon, position: "p1", state: sender == own && kind == .text ? state : .received,
            recipients: zip([anna, annabel, dora], states).map { .init(id: $0, state: $1, at: noon) })
    }

    static func groupConversation(_ last: Message? = nil) -> Conversation {
        Conversation(
            id: hikersChat, kind: .group, title: "Hikers", group: hikers, unread: 1, lastMessage: last, updatedAt: noon)
    }
}

extension FakeDaemon {
    /// A daemon that knows the group and its conversation.
    static func withGroup(_ group: Group = Cast.group(), last: Message? = nil) -> FakeDaemon {
        let daemon = FakeDaemon()
        daemon.answer("group.list") { _, _ in ["groups": [group.json]] }
        daemon.answer("group.get") { _, _ in group.json }
        if group.conversation != nil {
            daemon.answer("conversation.list") { params, _ in
                let all = Cast.conversations + [Cast.groupConversation(last)]
                return ["conversations": .array(params.bool("archived") ? [] : all.map(\.json))]
            }
        }
        return daemon
    }
}

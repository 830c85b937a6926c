import PeerProtocol

/// A page whose signatures were checked, with what can be said of it without the graph and the disk.
package struct CheckedGroupPage: Sendable {
    package let body: GroupEntriesBody
    package let membership: Result<[MembershipEntry], WireError>
    package let log: LogPage

    package init(_ body: GroupEntriesBody, asked question: GroupQuestion) {
        self.body = body
        membership = GroupReceiver.read(body.membership).entries
        log = LogPage(checking: body, asked: question)
    }
}

import Basics
import PeerProtocol
import Store
import Vocabulary

extension GroupReceiver {
    /// Tells people that a member has signed two entries for one place.
    package func tellOfFork(_ fork: LogFork, _ graph: GroupGraph, _ row: GroupRow) throws {
        // The message that has come with it may have brought the conversation back.
        guard let conversation = try transaction.conversation(of: row.id)?.id,
            let entry = try transaction.logEntry(fork.second, of: row.id)
        else { return }
        let forked = try LogEntry(trusting: entry.header, signature: entry.signature, content: nil)
        guard let author = graph.author(of: forked) else { return }
        let name = try transaction.contact(author)?.shownName ?? transaction.member(author, of: row.id)?.name
        let line = GroupNews(own: scope.own) { _ in name ?? Names.placeholder(for: author) }.forked(by: author)
        var random = random
        let row = MessageRow(
            id: UUIDv7(at: transaction.wallTime, using: &random), conversation: conversation, sender: author,
            senderDevice: entry.device, kind: .system, text: line.searchText, sentAt: forked.at,
            receivedAt: transaction.wallTime, hlc: forked.time, state: .received, detail: line.stored)
        _ = try transaction.insertSystem(row)
    }
}

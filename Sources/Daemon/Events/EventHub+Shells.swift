import Basics
import ControlProtocol
import Messaging
import Network
import Store
import Transfer
import Transfers

/// Events that are not kept, of what stands in no database.
extension EventHub: NetworkObserver {
    func appeared(_ peer: PeerDirectory.Entry) { ephemeral(.peerAppeared, .insert, composer.peer(peer).json) }
    func vanished(_ peer: PeerDirectory.Entry) { ephemeral(.peerVanished, .delete, composer.peer(peer).json) }
    func presenceChanged(_ contact: ContactRow) {
        ephemeral(.presenceChanged, .update, composer.contact(contact).json)
    }

    func typingChanged(_ account: AccountID, in conversation: UUIDv7, isTyping: Bool) {
        ephemeral(
            .typingChanged, .update,
            Typing(conversation: conversation.description, account: account.description, typing: isTyping).json)
    }
}

extension EventHub: TransferObserver {
    func progressed(_ row: TransferRow, rate: Int64, _ progress: TransferProgress?) {
        ephemeral(
            .transferProgress, .update,
            composer.transfer(
                row, rate: rate, bytesDone: progress.map { Int64(clamping: $0.bytesShown) },
                filesDone: progress.map { Int64($0.filesDone) }
            ).json)
    }
}

extension EventHub: AddressBookObserver {
    func entriesChanged(added: Int64, updated: Int64, removed: Int64) {
        ephemeral(
            .addressBookChanged, .update,
            ["added": .integer(added), "updated": .integer(updated), "removed": .integer(removed)])
    }

    func matched(_ entry: AddressBookEntry) { ephemeral(.addressBookMatched, .update, entry.json) }
}

extension ObjectComposer {
    /// A peer as clients see it.
    func peer(_ entry: PeerDirectory.Entry) -> Peer {
        Peer(
            account: entry.account?.description ?? "", device: entry.device.description,
            displayName: entry.displayName ?? entry.account.map(Names.placeholder) ?? "",
            address: entry.address?.description ?? "",
            relation: entry.account.map { contacts.relation($0) } ?? .none,
            lastHeard: entry.lastHeard.milliseconds, entry: entry.account.flatMap(matches.entry))
    }
}

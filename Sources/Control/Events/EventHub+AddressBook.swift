import ControlProtocol

extension EventHub: AddressBookObserver {
    package func entriesChanged(added: Int64, updated: Int64, removed: Int64) {
        ephemeral(
            .addressBookChanged, .update,
            ["added": .integer(added), "updated": .integer(updated), "removed": .integer(removed)])
    }

    package func matched(_ entry: AddressBookEntry) { ephemeral(.addressBookMatched, .update, entry.json) }
}

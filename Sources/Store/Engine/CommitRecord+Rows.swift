extension WriteTransaction {
    /// Reads the rows for ``CommitRecord/rows``, once each. A commit of messages alone marks none of them.
    func changedRows() throws(StoreError) -> ChangedRows {
        var rows = ChangedRows()
        var seen: Set<StoredObject> = []
        for mark in changes.all where mark.hearers != .clients {
            let object = mark.change.object
            switch object {
            case .contact(let account):
                guard seen.insert(object).inserted else { continue }
                if let row = try contact(account) { rows.contacts.append(row) } else { rows.forgotten.append(account) }
            case .transfer(let id):
                guard seen.insert(object).inserted, let row = try transfer(id) else { continue }
                rows.transfers.append(row)
            case .account, .conversation, .message, .group, .setting: continue
            }
        }
        return rows
    }
}

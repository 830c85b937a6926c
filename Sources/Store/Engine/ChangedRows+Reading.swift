extension ChangedRows {
    /// Reads the rows that a transaction has changed so far, once each. A commit of messages alone marks none of them.
    init(_ transaction: WriteTransaction) throws(StoreError) {
        self.init()
        var seen: Set<StoredObject> = []
        for mark in transaction.changes.all where mark.hearers != .clients {
            let object = mark.change.object
            switch object {
            case .contact(let account):
                guard seen.insert(object).inserted else { continue }
                if let row = try transaction.contact(account) {
                    contacts.append(row)
                } else {
                    forgotten.append(account)
                }
            case .transfer(let id):
                guard seen.insert(object).inserted, let row = try transaction.transfer(id) else { continue }
                transfers.append(row)
            case .group(let id):
                guard seen.insert(object).inserted, let row = try transaction.group(id) else { continue }
                groups.append(try transaction.whole(row))
            case .account, .conversation, .message, .setting: continue
            }
        }
    }
}

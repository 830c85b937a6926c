import Basics

private let rosterOfSigner = SQL("SELECT version, text, came_at FROM roster WHERE signer = ?")
private let rosterUpdate = SQL(
    """
    INSERT INTO roster (signer, version, text, came_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (signer) DO UPDATE SET version = excluded.version, text = excluded.text, came_at = excluded.came_at
    """)

/// The newest roster of a signer that this daemon has acted upon.
public struct RosterRow: Hashable, Sendable {
    public let signer: AccountID
    /// Milliseconds since 1970, as the signer has signed them.
    public let version: Int64
    /// The file as text, with its signature.
    public let text: [UInt8]
    /// When this host first acted upon it.
    public let cameAt: WallTime

    public init(signer: AccountID, version: Int64, text: [UInt8], cameAt: WallTime) {
        self.signer = signer
        self.version = version
        self.text = text
        self.cameAt = cameAt
    }
}

extension ReadTransaction {
    /// The newest roster of a signer that this daemon has acted upon; nil if there is none.
    public func roster(of signer: AccountID) throws(StoreError) -> RosterRow? {
        try connection.first(rosterOfSigner, signer.bytes) { row in
            RosterRow(signer: signer, version: row.integer(0), text: row.bytes(1), cameAt: row.time(2))
        }
    }
}

extension WriteTransaction {
    /// Stores a roster in place of the former one. The caller has made sure that it is newer.
    public func save(_ row: RosterRow) throws(StoreError) {
        try connection.run(rosterUpdate, row.signer.bytes, row.version, row.text, row.cameAt)
    }
}

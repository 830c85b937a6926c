import Basics
import PeerProtocol
import Store
import Vocabulary

/// Why an account's words are not taken now. The account sends them again, and they are taken then.
package enum PutOff: Hashable, Sendable {
    /// The account has said as much today as the settings allow.
    case day
    /// The disk is nearly full, and the account has already used its part of what is left.
    case room

    package var refusal: Refusal {
        switch self {
        case .day: Refusal(.busy, detail: "enough has come from this account today")
        case .room: Refusal(.noSpace, detail: "the disk is nearly full")
        }
    }
}

/// Decides whether what comes unasked is taken now, by how much the account that answers for it has said today and by
/// the room on the disk. A value for one transaction; what is stored is counted in the transaction.
package struct Intake: Sendable {
    /// The account that answers for something that comes.
    package struct Payer: Hashable, Sendable {
        package let account: AccountID
        package var kind = UnaskedKind.words
        /// The author, if that is not a contact. Such authors get a part of what the account may bring.
        package var author: AccountID?

        package init(_ account: AccountID, _ kind: UnaskedKind = .words, author: AccountID? = nil) {
            self.account = account
            self.kind = kind
            self.author = author
        }
    }

    /// Bytes of words that are taken of one account within its day.
    private let limit: Int64
    /// Bytes that one account may have used where room is short; nil where there is enough.
    private let share: Int64?

    /// Takes everything: for simulations, and for what was asked for.
    package static let open = Intake(limit: .max, share: nil)

    package init(limit: Int64, share: Int64?) {
        self.limit = limit
        self.share = share
    }

    package init(_ space: DataSpace, by choices: TransactionSettings, in transaction: ReadTransaction) throws {
        self.init(
            limit: try choices.wordsADay(transaction), share: try space.share(by: choices, in: transaction))
    }

    /// Whether only the user's own words are taken.
    package var isShut: Bool { share == 0 }

    /// Why nothing more from this account is taken now; nil if it is taken.
    package func obstacle(to payer: Payer, in transaction: WriteTransaction) -> PutOff? {
        let said = transaction.unasked(payer.kind, of: payer.account)
        let files = payer.kind == .words ? transaction.unasked(.files, of: payer.account) : 0
        if let share {
            let (sum, overflow) = said.addingReportingOverflow(files)
            if overflow || sum >= share { return .room }
        }
        if said >= limit { return .day }
        if let author = payer.author, transaction.unasked(.words, of: author) >= limit / MessagingLimits.partOfStranger
        {
            return .day
        }
        return nil
    }

    /// Counts what was stored.
    package static func count(_ bytes: Int64, of payer: Payer, in transaction: WriteTransaction) {
        transaction.countUnasked(bytes, payer.kind, of: payer.account)
        if let author = payer.author { transaction.countUnasked(bytes, .words, of: author) }
    }

    // MARK: What things take

    /// Approximate bytes on the disk: the content, its words in the index, and rows with their places in the trees.
    package static func cost(ofContent bytes: Int) -> Int64 {
        let (twice, overflow) = Int64(clamping: bytes).multipliedReportingOverflow(by: 2)
        return overflow ? .max : max(twice, twice &+ MessagingLimits.bytesOfRows)
    }

    /// Bytes by which a frame makes the database longer; nil for a frame that changes what is there. Entries of groups
    /// are counted where their author is known.
    package static func cost(of content: DurableFrame.Content) -> Int64? {
        switch content {
        case .message(let body):
            cost(ofContent: body.attachments.reduce(body.text.utf8.count) { $0 + bytes(of: $1) })
        case .edit(let body): cost(ofContent: body.text.utf8.count)
        case .reaction, .deletion: cost(ofContent: 0)
        // Parcels have bounds of their own, and what is in one is counted when it is opened.
        case .contactRequest, .contactAnswer, .contactRemoval, .fileStatus, .seen, .groupSeen, .groupChange,
            .groupEntry, .parcel, .parcelNews, .had:
            nil
        }
    }

    private static func bytes(of offer: AttachmentBody) -> Int {
        let leftOut = (offer.leftOut?.items ?? []).reduce(0) {
            $0 + $1.path.utf8.count + Int(MessagingLimits.bytesOfRows)
        }
        return Int(MessagingLimits.bytesOfRows) + offer.name.utf8.count + (offer.preview?.count ?? 0) + leftOut
    }
}

/// What a transaction has found about the accounts that answer for what came.
package struct IntakeNews: Sendable {
    /// The accounts whose words were put off, with the last reason.
    package var putOff: [AccountID: PutOff] = [:]
    /// The accounts whose words were taken.
    package var taken: Set<AccountID> = []

    package init() {}

    package mutating func add(_ other: IntakeNews) {
        putOff.merge(other.putOff) { $1 }
        taken.formUnion(other.taken)
    }
}

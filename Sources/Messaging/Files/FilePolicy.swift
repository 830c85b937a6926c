import Basics
import PeerProtocol
import Store
import Vocabulary

/// Decides which files are sent and received, as the settings say at one moment.
package struct FilePolicy: Sendable {
    /// A file that is not sent or not taken, and why, in words for both sides.
    package struct Objection: Hashable, Sendable {
        package let reason: Reason
        package let detail: String

        package init(reason: Reason, detail: String) {
            self.reason = reason
            self.detail = detail
        }

        package var refusal: Refusal { Refusal(reason, detail: detail) }
    }

    package let types: FileTypes
    /// Whether the user has said that files of any type are sent this once; the offer names their types, and receivers decide.
    package var sendsAnyType = false
    /// The bytes that one message may offer.
    package let maxSend: UInt64
    package let maxReceive: UInt64
    /// The bytes that stay free where received files are stored.
    package let freeSpaceReserve: UInt64
    package let downloads: DownloadPolicy

    package init(
        types: FileTypes, maxSend: UInt64, maxReceive: UInt64, freeSpaceReserve: UInt64, downloads: DownloadPolicy
    ) {
        self.types = types
        self.maxSend = maxSend
        self.maxReceive = maxReceive
        self.freeSpaceReserve = freeSpaceReserve
        self.downloads = downloads
    }

    /// The policy for notes to oneself: a file that is sent to nobody else is refused neither for its type nor for its size.
    package var forNotes: FilePolicy {
        FilePolicy(
            types: FileTypes(["*"]), maxSend: .max, maxReceive: maxReceive, freeSpaceReserve: freeSpaceReserve,
            downloads: downloads)
    }

    // MARK: Sending

    /// The types of files that are sent.
    package var typesSent: FileTypes { sendsAnyType ? types.withEveryName : types }

    package func objection(toSendingName name: String) -> Objection? {
        typesSent.allows(name: name) ? nil : Self.wrongType(name, "not sent")
    }

    package func objection(toSendingBytes size: UInt64) -> Objection? {
        guard size > maxSend else { return nil }
        return Objection(
            reason: .tooLarge, detail: "it has \(SizeText.text(size)), and at most \(SizeText.text(maxSend)) are sent")
    }

    // MARK: Receiving

    /// Why a file of that name and size is not taken, judged by the settings alone; nil if it may be.
    package func objection(toReceiving name: String, size: UInt64) -> Objection? {
        if !types.allows(name: name) { return Self.wrongType(name, "not received") }
        guard size <= maxReceive else {
            return Objection(reason: .tooLarge, detail: "at most \(SizeText.text(maxReceive)) are received")
        }
        return nil
    }

    /// The answer to an offer.
    package enum Verdict: Hashable, Sendable {
        case refused(Objection)
        /// The file is taken without asking, into this directory.
        case taken(directory: String)
        case asked
        /// The user is asked, and has to say as well that files of these types are taken anyway.
        case held([String])
    }

    /// Decides what is done with an offer.
    /// - Parameters:
    ///   - contact: the sender; nil for a member of a group that is no contact.
    ///   - promised: the bytes that other transfers, which wait or come in, will still need in the same place.
    ///   - today: the bytes that were taken from this sender without asking within a day.
    package func verdict(
        on offer: AttachmentBody, from contact: ContactRow?, destination: Destination, promised: UInt64,
        today: UInt64 = 0
    ) -> Verdict {
        let unlisted = offer.unlisted.filter { !types.allows(unlisted: $0) }
        if offer.kind != .folder, !types.allows(name: offer.name), !unlisted.contains(FileType.offered(offer.name)) {
            return .refused(Self.wrongType(offer.name, "not received"))
        }
        guard offer.size <= maxReceive else {
            return .refused(
                Objection(reason: .tooLarge, detail: "at most \(SizeText.text(maxReceive)) are received"))
        }
        let folder = downloads.folder(for: contact)
        let place = folder.map { destination.folders[$0] ?? Destination() } ?? destination
        if place.isWritable, let free = place.freeBytes, !fits(offer.size, in: free, promised: 0) {
            return .refused(Objection(reason: .noSpace, detail: "the receiver has not enough free space for it"))
        }
        guard unlisted.isEmpty else { return .held(unlisted) }
        guard downloads.accepts(offer, from: contact, isMetered: destination.isMetered), place.isWritable,
            let free = place.freeBytes, fits(offer.size, in: free, promised: promised),
            downloads.hasRoom(for: offer.size, today: today, from: contact)
        else { return .asked }
        return .taken(directory: folder ?? downloads.directory)
    }

    /// Whether `size` bytes can be received while the reserve of the settings stays free.
    package func fits(_ size: UInt64, in free: UInt64, promised: UInt64) -> Bool {
        let (taken, overflow) = size.addingReportingOverflow(promised)
        let (sum, overflowToo) = taken.addingReportingOverflow(freeSpaceReserve)
        return !overflow && !overflowToo && sum <= free
    }

    private static func wrongType(_ name: String, _ fate: String) -> Objection {
        let what = FileTypes.type(ofName: name).map { "files of type \($0.prefix(SharedLimits.fileTypeBytes)) are" }
        return Objection(reason: .typeNotAllowed, detail: "\(what ?? "files without an extension are") \(fate)")
    }
}

/// Decides which files are taken without asking the user.
package struct DownloadPolicy: Sendable {
    package let from: DownloadSenders
    package let kinds: Set<AttachmentKind>
    /// The bytes of the largest offer that is taken.
    package let maximum: UInt64
    /// The bytes that are taken from one sender in a day.
    package let daily: UInt64
    package let onMetered: Bool
    /// The directory where received files are stored.
    package let directory: String
    /// The folders into which everything of a friend goes.
    package var folders: [AccountID: String] = [:]
    /// That for all friends who have none of their own.
    package var folderForAll: String?

    package init(
        from: DownloadSenders, kinds: Set<AttachmentKind>, maximum: UInt64, daily: UInt64 = .max, onMetered: Bool,
        directory: String
    ) {
        self.from = from
        self.kinds = kinds
        self.maximum = maximum
        self.daily = daily
        self.onMetered = onMetered
        self.directory = directory
    }

    /// The folder into which everything goes that a friend sends; nil if there is none.
    package func folder(for contact: ContactRow?) -> String? {
        guard let contact, contact.relation == .friend, contact.autoDownload != .never else { return nil }
        return folders[contact.account] ?? folderForAll
    }

    /// Whether so much more may come from this sender today without asking. A sender whose files the user always takes
    /// has no limit.
    package func hasRoom(for size: UInt64, today: UInt64, from contact: ContactRow?) -> Bool {
        if contact?.autoDownload == .always || folder(for: contact) != nil { return true }
        let (sum, overflow) = today.addingReportingOverflow(size)
        return !overflow && sum <= daily
    }

    /// Whether the file may be taken without asking the user, judging by kind, size, sender and link.
    /// - Parameter contact: nil for a member of a group that is no contact.
    package func accepts(_ offer: AttachmentBody, from contact: ContactRow?, isMetered: Bool) -> Bool {
        guard let contact, contact.relation == .friend, contact.trust != .changed, onMetered || !isMetered else {
            return false
        }
        switch contact.autoDownload {
        case .never: return false
        case .always: return true
        case .default: if folder(for: contact) != nil { return true }
        }
        switch from {
        case .never: return false
        case .verified: guard contact.trust == .verified else { return false }
        case .friends: break
        }
        // The kind follows from the name and not from the sender's word.
        let kind = offer.kind == .folder ? .folder : MediaType(ofName: offer.name).kind
        return kinds.contains(kind) && offer.size <= maximum
    }
}

import Basics
import PeerProtocol
import Store
import Vocabulary

/// Decides which files go and come, as the settings say at one moment.
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
    /// Bytes that one message may offer.
    package let maxSend: UInt64
    package let maxReceive: UInt64
    /// Bytes that stay free where files go.
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

    // MARK: Sending

    package func objection(toSendingName name: String) -> Objection? {
        types.allows(name: name) ? nil : Self.wrongType(name, "not sent")
    }

    package func objection(toSendingBytes size: UInt64) -> Objection? {
        guard size > maxSend else { return nil }
        return Objection(
            reason: .tooLarge, detail: "it has \(SizeText.text(size)), and at most \(SizeText.text(maxSend)) are sent")
    }

    // MARK: Receiving

    /// What becomes of an offer.
    package enum Verdict: Hashable, Sendable {
        case refused(Objection)
        /// The file is taken without asking, into this directory.
        case taken(directory: String)
        case asked
    }

    /// - Parameters:
    ///   - promised: bytes that other transfers, which wait or come in, will still need where files go.
    package func verdict(
        on offer: AttachmentBody, from contact: ContactRow?, destination: Destination, promised: UInt64
    ) -> Verdict {
        if offer.kind != .folder, !types.allows(name: offer.name) {
            return .refused(Self.wrongType(offer.name, "not received"))
        }
        guard offer.size <= maxReceive else {
            return .refused(
                Objection(reason: .tooLarge, detail: "at most \(SizeText.text(maxReceive)) are received"))
        }
        if destination.isWritable, let free = destination.freeBytes, !fits(offer.size, in: free, promised: 0) {
            return .refused(Objection(reason: .noSpace, detail: "the receiver has not enough free space for it"))
        }
        guard downloads.takes(offer, from: contact, isMetered: destination.isMetered), destination.isWritable,
            let free = destination.freeBytes, fits(offer.size, in: free, promised: promised)
        else { return .asked }
        return .taken(directory: downloads.directory)
    }

    /// Whether that many bytes can be received without touching what is to stay free.
    package func fits(_ size: UInt64, in free: UInt64, promised: UInt64) -> Bool {
        let (taken, overflow) = size.addingReportingOverflow(promised)
        let (sum, overflowToo) = taken.addingReportingOverflow(freeSpaceReserve)
        return !overflow && !overflowToo && sum <= free
    }

    private static func wrongType(_ name: String, _ fate: String) -> Objection {
        let what = FileTypes.type(ofName: name).map { "files of type \($0.prefix(MessagingLimits.fileTypeBytes)) are" }
        return Objection(reason: .typeNotAllowed, detail: "\(what ?? "files without an extension are") \(fate)")
    }
}

/// Decides what is taken without asking.
package struct DownloadPolicy: Sendable {
    /// The senders whose files are taken.
    package enum Senders: Sendable { case nobody, verified, friends }

    package let from: Senders
    package let kinds: Set<AttachmentKind>
    /// Bytes of the largest offer that is taken.
    package let maximum: UInt64
    package let onMetered: Bool
    /// The directory where files go.
    package let directory: String

    package init(
        from: Senders, kinds: Set<AttachmentKind>, maximum: UInt64, onMetered: Bool, directory: String
    ) {
        self.from = from
        self.kinds = kinds
        self.maximum = maximum
        self.onMetered = onMetered
        self.directory = directory
    }

    /// Whether the user needn't be asked, as far as kind, size, sender and link go.
    /// - Parameter contact: nil for a member of a group that is no contact.
    package func takes(_ offer: AttachmentBody, from contact: ContactRow?, isMetered: Bool) -> Bool {
        guard let contact, contact.relation == .friend, contact.trust != .changed, onMetered || !isMetered else {
            return false
        }
        switch contact.autoDownload {
        case .never: return false
        case .always: return true
        case .default: break
        }
        switch from {
        case .nobody: return false
        case .verified: guard contact.trust == .verified else { return false }
        case .friends: break
        }
        // The kind follows from the name and not from the sender's word.
        let kind = offer.kind == .folder ? .folder : MediaType(ofName: offer.name).kind
        return kinds.contains(kind) && offer.size <= maximum
    }
}

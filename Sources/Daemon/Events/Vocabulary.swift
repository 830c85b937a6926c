import ControlProtocol
import PeerProtocol
import Store

// The same words in the database, on the control socket and between peers: exhaustive switches, so that a new one in one
// place doesn't compile until it has its meaning in the others.

extension Relation {
    init(_ stored: ContactRow.Relation) {
        switch stored {
        case .none: self = .none
        case .requested: self = .requested
        case .incoming: self = .incoming
        case .friend: self = .friend
        case .blocked: self = .blocked
        }
    }
}

extension Trust {
    init(_ stored: ContactRow.Trust) {
        switch stored {
        case .unverified: self = .unverified
        case .verified: self = .verified
        case .changed: self = .changed
        }
    }
}

extension Presence {
    /// - Parameter peer: nil for one without a session.
    init(_ peer: PeerPresence?) {
        switch peer {
        case nil: self = .offline
        case .online: self = .online
        case .away: self = .away
        }
    }
}

extension PeerPresence {
    init(_ stored: AccountRow.Presence) {
        switch stored {
        case .online: self = .online
        case .away: self = .away
        }
    }
}

extension AccountRow.Presence {
    init(_ shown: PeerPresence) {
        switch shown {
        case .online: self = .online
        case .away: self = .away
        }
    }
}

extension AutoDownload {
    init(_ stored: ContactRow.AutoDownload) {
        switch stored {
        case .standard: self = .default
        case .never: self = .never
        case .always: self = .always
        }
    }
}

extension ContactRow.AutoDownload {
    init(_ word: AutoDownload) {
        switch word {
        case .default: self = .standard
        case .never: self = .never
        case .always: self = .always
        }
    }
}

extension MessageKind {
    init(_ stored: MessageRow.Kind) {
        switch stored {
        case .text: self = .text
        case .file: self = .file
        case .call: self = .call
        case .system: self = .system
        }
    }
}

extension MessageState {
    init(_ stored: MessageRow.State) {
        switch stored {
        case .queued: self = .queued
        case .sent: self = .sent
        case .delivered: self = .delivered
        case .read: self = .read
        case .failed: self = .failed
        case .received: self = .received
        }
    }
}

extension TransferPause {
    /// Nil where nobody holds it.
    init?(_ stored: TransferLife.Sides) {
        switch (stored.contains(.us), stored.contains(.peer)) {
        case (true, true): self = .both
        case (true, false): self = .us
        case (false, true): self = .peer
        case (false, false): return nil
        }
    }
}

extension TransferState {
    init(_ stored: TransferRow.State) {
        switch stored {
        case .offered: self = .offered
        case .queued: self = .queued
        case .active: self = .active
        case .paused: self = .paused
        case .done: self = .done
        case .declined: self = .declined
        case .cancelled: self = .cancelled
        case .failed: self = .failed
        }
    }
}

extension TransferRow.State {
    init(_ shown: TransferState) {
        switch shown {
        case .offered: self = .offered
        case .queued: self = .queued
        case .active: self = .active
        case .paused: self = .paused
        case .done: self = .done
        case .declined: self = .declined
        case .cancelled: self = .cancelled
        case .failed: self = .failed
        }
    }
}

extension TransferRow.Direction {
    init(_ shown: TransferDirection) {
        switch shown {
        case .incoming: self = .incoming
        case .outgoing: self = .outgoing
        }
    }
}

extension AttachmentKind {
    init(_ stored: TransferRow.Kind) {
        switch stored {
        case .other: self = .other
        case .document: self = .document
        case .image: self = .image
        case .audio: self = .audio
        case .video: self = .video
        case .folder: self = .folder
        }
    }
}

extension EventChange {
    init(_ stored: ChangeKind) {
        switch stored {
        case .insert: self = .insert
        case .update: self = .update
        case .delete: self = .delete
        }
    }
}

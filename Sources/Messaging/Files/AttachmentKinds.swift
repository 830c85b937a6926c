import PeerProtocol
import Store

extension TransferRow.Kind {
    package init(_ wire: AttachmentBody.Kind) {
        switch wire {
        case .other: self = .other
        case .document: self = .document
        case .image: self = .image
        case .audio: self = .audio
        case .video: self = .video
        case .folder: self = .folder
        }
    }
}

extension AttachmentBody.Kind {
    package init(_ stored: TransferRow.Kind) {
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

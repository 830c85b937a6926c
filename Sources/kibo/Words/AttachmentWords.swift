import Basics
import ControlProtocol

/// Describes a file of a message for people: its kind, and how far it has come.
enum AttachmentWords {
    /// `[report.pdf, 2.0 MiB]`, `[photos, folder, 12.0 MiB]`, `[song.mp3, audio, 3:05, 4.0 MiB]`.
    static func label(_ file: Attachment) -> String {
        var parts = [Words.name(file.name)]
        switch file.kind {
        case .document, .other: break
        case .image: parts.append("picture")
        case .audio, .video, .folder: parts.append(file.kind.rawValue)
        }
        if let length = file.duration, length > 0 { parts.append(Humane.clock(seconds: length / 1000)) }
        parts.append(Humane.size(file.size))
        return "[" + parts.joined(separator: ", ") + "]"
    }

    /// How far it has come, with the reason in words.
    static func state(_ file: Attachment, isOwn: Bool) -> String {
        let because = Words.because(file.reason, file.detail)
        if file.removed { return "removed here, because nobody opened it for a long time" }
        switch file.state {
        case .offered where file.heldBack != nil: return Words.heldBack(file.unlisted) + leftOut(file)
        case .offered: return (isOwn ? "waits for an answer" : "offered") + leftOut(file)
        case .paused: return (file.reason == nil ? "paused" : "waits") + because
        case .done where file.skipped > 0: return "done, \(file.skipped) left out"
        case .cancelled: return Words.cancelled(by: file.cancelledBy, file.detail)
        case .queued, .active, .done, .declined, .failed: return file.state.rawValue + because
        }
    }

    /// Says how many files of a folder are not in the offer; empty if all are.
    static func leftOut(_ file: Attachment) -> String { file.skipped > 0 ? ", \(file.skipped) left out" : "" }
}

import ControlProtocol
import Vocabulary

/// Files as messages take them: as many at once as one message may have, in the order in which the user named them.
enum FilePortions {
    static func of(_ files: [SentFile]) -> [[SentFile]] {
        stride(from: 0, to: files.count, by: SharedLimits.attachments).map { start in
            Array(files[start..<min(files.count, start + SharedLimits.attachments)])
        }
    }

    /// Adds the files of one message to the parameters of `message.send`.
    static func add(_ files: [SentFile], to params: inout JSONObject) {
        guard !files.isEmpty else { return }
        params["files"] = .strings(files.map(\.path))
        if files.contains(where: { $0.name != nil }) { params["names"] = .strings(files.map { $0.name ?? "" }) }
    }

    /// What the user is told when the files need several messages.
    static func words(_ messages: Int) -> String {
        "A message takes \(SharedLimits.attachments) files: they go in \(messages) messages, in this order."
    }
}

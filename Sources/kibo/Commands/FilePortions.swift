import Vocabulary

/// Files as messages take them: as many at once as one message may have, in the order in which the user named them.
enum FilePortions {
    static func of(_ files: [String]) -> [[String]] {
        stride(from: 0, to: files.count, by: SharedLimits.attachments).map { start in
            Array(files[start..<min(files.count, start + SharedLimits.attachments)])
        }
    }

    /// What the user is told of several messages.
    static func words(_ messages: Int) -> String {
        "A message takes \(SharedLimits.attachments) files: they go in \(messages) messages, in this order."
    }
}

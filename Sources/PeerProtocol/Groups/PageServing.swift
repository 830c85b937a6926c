import Vocabulary

/// The peer's questions. One is answered at a time. A peer that keeps to the rules asks no more than that; if it asks
/// more, the last question counts.
struct PageServing: Sendable {
    /// The question whose answer is being read.
    private(set) var current: GroupWantBody?
    /// The peer has asked for this meanwhile.
    private(set) var waiting: GroupWantBody?

    /// Takes a question.
    /// - Returns: whether its answer is to be read now.
    mutating func accept(_ want: GroupWantBody) -> Bool {
        guard current == nil else {
            waiting = want
            return false
        }
        current = want
        return true
    }

    /// The current question is answered or given up.
    /// - Returns: the question that has waited.
    mutating func finish() -> GroupWantBody? {
        current = nil
        return waiting.take()
    }

    /// Forgets the question that waits, if it is about this group.
    mutating func forgetNext(of root: EntryHash) { if waiting?.root == root { waiting = nil } }
}

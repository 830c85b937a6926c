/// What is known of the place where files go, and of the way there, when an offer comes.
struct ReceivingPlace: Hashable, Sendable {
    /// That an unprivileged user may fill; nil if it can't be told.
    var freeBytes: UInt64?
    /// Whether files can be made there, as far as permissions go.
    var isWritable = false
    /// Whether the link costs by the byte.
    var isMetered = false
}

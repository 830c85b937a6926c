/// The bounds of an examination, with unit and reason.
enum DoctorLimits {
    /// How long our own announcement may take to come back: three go out in that time.
    static let echo = Duration.seconds(4)
    /// Friends that are asked to dial us, one after another until one has reached us.
    static let askedFriends = 3
    /// Couriers, and friends without one, that are named at most.
    static let shownNames = 20
    /// Clocks that differ by more are reported: messages then seem to come from the past or the future.
    static let clockApart = Duration.seconds(60)
    /// Free bytes below which the database soon can't grow.
    static let wantedDataBytes: UInt64 = 100 << 20
    /// How long a program that lists rules may take, and the bytes of its output that are read: ten thousand rules.
    static let commandPatience = Duration.seconds(5)
    static let rulesetBytes = 4 << 20
    /// How long the examination of the database may take: some gigabytes.
    static let databaseCheck = Duration.seconds(30)
}

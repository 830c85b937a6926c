/// The bounds of this module, with unit and reason. The bounds of calls themselves stand in PeerProtocol.
enum CallLimits {
    /// How long a device that takes part in a call, and that has no session with this one, is not looked for again: the planner of
    /// dials tries several times by itself.
    static let seekPause = Duration.seconds(10)
}

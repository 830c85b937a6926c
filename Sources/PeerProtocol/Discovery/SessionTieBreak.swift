import Basics

/// Decides which of two sessions between the same two devices stays. Both sides ask with what both can see, and agree.
public enum SessionTieBreak {
    /// Whether the session whose handshake has just finished takes the place of the one that is open. The other one is
    /// closed (by the side that finds out first).
    ///
    /// A second session to a settled one is opened on purpose: to renew its keys, or because the peer has lost the first
    /// (it crashed, its address changed). So it stays. Two that finish close together are dials that crossed: the one
    /// dialled by the device with the smaller key stays. Two dials of one device: the later stays.
    /// - Parameters:
    ///   - oldAge: time since the open session's handshake. Where the two sides see it on different sides of
    ///     ``DiscoveryLimits/crossingDials`` both sessions may go; the dial planners then open another.
    ///   - isOtherRun: whether the peer proved another Noise static key in the new handshake than in the old one. Then
    ///     its daemon was restarted, and nobody is at the other end of the old session. False if that isn't known.
    public static func keepsNew(
        own: DeviceID, peer: DeviceID, newIsDialledByUs: Bool, oldIsDialledByUs: Bool, oldAge: Duration,
        isOtherRun: Bool = false
    ) -> Bool {
        if isOtherRun || oldAge >= DiscoveryLimits.crossingDials { return true }
        if newIsDialledByUs == oldIsDialledByUs { return true }
        return newIsDialledByUs == (own < peer)
    }
}

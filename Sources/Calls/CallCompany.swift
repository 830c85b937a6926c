import Basics
import Network
import Reactor

/// Looks for the devices that take part in the group's call of this one and have no session with it: only others tell of them, and
/// no window can be connected with theirs.
///
/// A group keeps a few sessions for each member, which is enough for its log. In a call each member needs one with each other.
@ReactorActor final class CallCompany {
    private unowned let finder: any DeviceFinder
    /// When each device was looked for last. There are no more of them than take part.
    private var soughtAt: [DeviceID: Instant] = [:]

    init(finder: any DeviceFinder) { self.finder = finder }

    /// Looks for the devices that are missing in a call that has changed. A device that has not been reached is looked for again after
    /// ``CallLimits/seekPause``, so that many changes don't make many dials.
    /// - Parameter devices: those without a session in the call in which this device takes part.
    func look(for devices: [DeviceID], now: Instant) {
        let missing = devices.filter(finder.isPresent)
        soughtAt = soughtAt.filter { missing.contains($0.key) && now - $0.value < CallLimits.seekPause }
        for device in missing where soughtAt[device] == nil {
            soughtAt[device] = now
            finder.seek(device)
        }
    }
}

import Basics
import Network
import Reactor

/// Dials the devices that take part in this device's group call but have no session with it. We hear of them only from
/// others, and no window here can connect with theirs.
///
/// A group keeps a few sessions for each member, which is enough for its log. In a call each member needs one with each other.
@ReactorActor final class CallCompany {
    /// How long a device is not looked for again: the planner of dials tries several times by itself.
    nonisolated static let seekPause = Duration.seconds(10)

    private unowned let finder: any DeviceFinder
    /// When each device was last looked for. Only devices that take part are in here.
    private var soughtAt: [DeviceID: Instant] = [:]

    init(finder: any DeviceFinder) { self.finder = finder }

    /// Looks for the devices that are missing in a call that has changed. A device that has not been reached is looked for again after
    /// ``seekPause``, so that many changes don't make many dials.
    /// - Parameter devices: the devices in this device's call that have no session with it.
    func look(for devices: [DeviceID], now: Instant) {
        let missing = devices.filter(finder.isPresent)
        soughtAt = soughtAt.filter { missing.contains($0.key) && now - $0.value < Self.seekPause }
        for device in missing where soughtAt[device] == nil {
            soughtAt[device] = now
            finder.seek(device)
        }
    }
}

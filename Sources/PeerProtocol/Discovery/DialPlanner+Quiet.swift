import Basics

extension DialPlanner {
    /// What waits for devices that may not be dialled is no reason any more.
    /// - Returns: for which of them something waits.
    public mutating func unpend(unless mayDial: (DeviceID) -> Bool) -> Set<DeviceID> {
        var left: Set<DeviceID> = []
        for case (.device(let device), let entry) in entries where entry.isPending && !mayDial(device) {
            left.insert(device)
        }
        for device in left.sorted() {
            entries[.device(device)]?.isPending = false
            if !isWanted(.device(device)) { unplan(.device(device)) }
            forgetStranger(device)
        }
        return left
    }

    /// The device has turned us away for something that passes slowly: whatever else is a reason to dial it waits for a while.
    public mutating func putOff(_ device: DeviceID, now: Instant) {
        let pause = DiscoveryLimits.copyPause
        let calm = now + pause * 3 / 4 + .random(in: pause / 2, using: &random)
        let residences = fixed.map { DialTarget.address($0) }.filter { entries[$0]?.resident == device }
        for target in [.device(device)] + residences where entries[target] != nil {
            entries[target]?.calmUntil = calm
            unplan(target)
            plan(target, after: .zero, now: now)
        }
    }

    /// From now on no stranger is looked at of our own accord: what was planned for that is dropped. What somebody has asked
    /// for, and what something waits for, stays.
    public mutating func lookAtNobody() {
        for target in entries.filter(\.value.isUnseen).map(\.key).sorted() {
            entries[target]?.isUnseen = false
            if !isWanted(target) { unplan(target) }
        }
    }
}

extension DialPlanner {
    /// From now on no stranger is looked at of our own accord: what was planned for that is dropped. What somebody has asked
    /// for, and what something waits for, stays.
    public mutating func lookAtNobody() {
        for target in entries.filter(\.value.isUnseen).map(\.key).sorted() {
            entries[target]?.isUnseen = false
            if !isWanted(target) { unplan(target) }
        }
    }
}

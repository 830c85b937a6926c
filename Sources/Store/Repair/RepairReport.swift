/// What a repair has saved and lost.
public struct RepairReport: Sendable, Equatable {
    /// What became of one table.
    public struct Table: Sendable, Equatable {
        public let name: String
        /// Rows of the new database that were there before.
        public var saved = 0
        /// Rows that can't be read, as far as an index knows of them.
        public var lost = 0
        /// Whether there may be more of them than ``lost`` says.
        public var mayHaveLostMore = false
        /// Rows that could be read and were left out, because they contradict others or belong to rows that are lost.
        public var leftOut = 0
        /// Rows that were put together again from an index or from other rows.
        public var rebuilt = 0

        public var isWhole: Bool { lost == 0 && leftOut == 0 && rebuilt == 0 && !mayHaveLostMore }
    }

    public var tables: [Table] = []
    /// The names of groups whose membership is damaged: they are fetched again from a friend who is in them.
    public var groups: [String] = []
    /// Whether this account's row was made again from the file of keys.
    public var isAccountRebuilt = false
    /// Where the damaged files are now.
    public var damagedPath = ""

    public var isWhole: Bool { tables.allSatisfy(\.isWhole) && groups.isEmpty && !isAccountRebuilt }

    public subscript(name: String) -> Table {
        get { tables.first { $0.name == name } ?? Table(name: name) }
        set {
            if let index = tables.firstIndex(where: { $0.name == name }) {
                tables[index] = newValue
            } else {
                tables.append(newValue)
            }
        }
    }
}

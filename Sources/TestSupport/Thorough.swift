import Glibc

/// Whether tests may take the time that `scripts/test --thorough` gives them.
public enum Thorough {
    /// `KIBO_THOROUGH` is set.
    public static let isWanted = getenv("KIBO_THOROUGH") != nil

    /// All of these, or of many only some, spread evenly.
    public static func sample<Element>(_ all: [Element], usual: Int) -> [Element] {
        guard !isWanted, all.count > usual, usual > 0 else { return all }
        return (0..<usual).map { all[$0 * all.count / usual] }
    }
}

import Glibc

/// Whether tests may take the time that `scripts/test --thorough` gives them.
public enum Thorough {
    /// Whether `KIBO_THOROUGH` is set.
    public static let isWanted = getenv("KIBO_THOROUGH") != nil
}

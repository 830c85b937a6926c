import Glibc

/// An open descriptor that is closed when the last owner lets it go.
public final class Descriptor: Sendable {
    /// The number, to be used while this value lives, and not to be closed.
    public let number: CInt

    /// Takes over an open descriptor, which nothing else may close.
    public init(adopting number: CInt) { self.number = number }

    deinit { close(number) }
}

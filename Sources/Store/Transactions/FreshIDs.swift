import Basics

extension WriteTransaction {
    /// An id for a row whose own id belongs to another account's row here. Nobody can know it in advance, so nobody can
    /// take it.
    func freshID() -> UUIDv7 {
        var random = SystemRandomNumberGenerator()
        return UUIDv7(at: wallTime, using: &random)
    }
}

import Basics

extension WriteTransaction {
    /// An id for a row whose own id belongs to another account's row here. No one can know it before, so no one can take it.
    func freshID() -> UUIDv7 {
        var random = SystemRandomNumberGenerator()
        return UUIDv7(at: wallTime, using: &random)
    }
}

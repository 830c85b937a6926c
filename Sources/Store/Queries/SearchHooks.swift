extension WriteTransaction {
    /// Before a message's text changes or its row goes.
    func textWillChange(_ number: Int64) throws(StoreError) {}

    /// After a message's text has changed.
    func textChanged(_ number: Int64) throws(StoreError) {}
}

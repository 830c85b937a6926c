/// The calls that a stream makes to its owner. All of them come on the reactor thread from the loop itself, never from
/// inside a call that the owner makes to the stream.
@ReactorActor public protocol StreamHandler: AnyObject {
    /// An outgoing connection is established. Not called for adopted descriptors.
    func streamDidConnect()

    /// Bytes arrived; never empty. A slice that is kept keeps a buffer of 64 KiB: copy small things out.
    func streamDidReceive(_ bytes: ArraySlice<UInt8>)

    /// The peer has finished writing, and everything before that was delivered. The stream can still send until it is
    /// closed: the owner has to call `finish()`, `close()` or `closeAfterFlush(deadline:)` at some time.
    func streamDidEnd()

    /// The stream is over. This is called exactly once, as the last call, but not for a detached stream.
    /// - Parameter error: nil for a close of our own, or after both sides had finished.
    func streamDidClose(_ error: SocketError?)

    /// The queued output has fallen below 256 KiB after it was above 1 MiB.
    func streamDidDrain()
}

extension StreamHandler {
    public func streamDidConnect() {}
    public func streamDidDrain() {}
}

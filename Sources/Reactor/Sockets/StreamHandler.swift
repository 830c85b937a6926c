/// What a stream tells its owner. All calls come on the reactor thread from the loop itself, never from inside a call that the
/// owner makes to the stream.
@ReactorActor public protocol StreamHandler: AnyObject {
    /// An outgoing connection stands. Not called for adopted descriptors.
    func streamDidConnect()

    /// Bytes arrived; never empty. The slice may be kept, but it then keeps a buffer of 64 KiB: copy small things out.
    func streamDidReceive(_ bytes: ArraySlice<UInt8>)

    /// The peer has finished writing, and everything before that was delivered. The stream can still send until it is closed:
    /// call `finish()`, `close()` or `closeAfterFlush(deadline:)` some time.
    func streamDidEnd()

    /// The stream is over: exactly once, and the last call. Not called for a detached stream.
    /// - Parameter error: nil for a close of our own, or after both sides had finished.
    func streamDidClose(_ error: SocketError?)

    /// What was queued has fallen under 256 KiB after having been over 1 MiB.
    func streamDidDrain()
}

extension StreamHandler {
    public func streamDidConnect() {}
    public func streamDidDrain() {}
}

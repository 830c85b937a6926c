import CLinux

/// How an executor recognises its own thread: the thread is claimed once, and compared by identity afterwards.
public enum ThreadOwnership {
    /// Marks the calling thread as `owner`'s for the rest of the thread's life. The owner must outlive the thread.
    public static func claimCurrentThread(for owner: AnyObject) {
        kibo_thread_claim(UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque()))
    }

    /// Whether the calling thread was claimed for `owner`.
    public static func currentThreadBelongs(to owner: AnyObject) -> Bool {
        kibo_thread_owner() == UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
    }
}

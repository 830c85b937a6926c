import Glibc

/// The file mode creation mask (umask(2)) with which the daemon was started. Received files get none of the permissions
/// that it takes away. The daemon's own files are for its user only, so from the first look at this value on its own
/// mask is 077.
package enum UserMask {
    package static let bits = UInt16(truncatingIfNeeded: umask(0o077) & 0o777)
}

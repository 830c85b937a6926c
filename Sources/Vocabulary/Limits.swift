import Basics

/// The limits that the wire and the contract have in common, each with its unit and its reason.
public enum SharedLimits {
    /// Bytes of a message's text in UTF-8: a frame takes it, and a request does.
    public static let textBytes = 64 << 10
    /// Attachments of one message, and paths of one `transfer.send`.
    public static let attachments = 32
    /// Bytes of an attachment's name: what file systems allow one component.
    public static let attachmentNameBytes = 255
    /// Bytes of a file's extension; anything longer doesn't count as a type.
    public static let fileTypeBytes = 16
    /// Types that an offer names as not on the usual list: more than a folder of any program's sources has.
    public static let unlistedTypes = 64
    /// Characters of the note in a contact request.
    public static let noteCharacters = 500
    /// Characters of the display name that our user chooses, at least and at most: Bo and 李明 are whole names.
    public static let displayNameMinimum = 1
    public static let displayNameCharacters = 50
    /// Characters of a peer's name, whose client may allow more than ours, and of the alias that replaces it.
    public static let foreignNameCharacters = 128
    /// Characters of a status text.
    public static let statusTextCharacters = 256
    /// Bytes of an e-mail address (RFC 5321 §4.5.3.1.3, without the angle brackets).
    public static let emailBytes = EmailAddress.bytes
    /// Members of a group: each of them keeps all that the others write.
    public static let groupMembers = 256
    /// Characters of a group's name.
    public static let groupNameCharacters = 128
    /// Characters of a group's description, which may have lines.
    public static let groupDescriptionCharacters = 512
    /// Messages from before their time that new members see, at most: a hundred years of talk are fewer.
    public static let groupHistory = 100_000
}

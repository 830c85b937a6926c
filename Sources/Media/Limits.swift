import PeerProtocol

/// The bounds that the shells of this module keep, each with its unit and reason.
package enum MediaLimits {
    // MARK: Address book

    /// How long a command that sends an invitation may take: a mail server may answer slowly.
    package static let command = Duration.seconds(30)
    /// Bytes kept of a command's output, and characters of it that are shown.
    static let commandOutput = 4 << 10
    static let commandWords = 200

    // MARK: Files

    /// Bytes of a file's beginning that tell its type: a chunk of a transfer.
    static let mediaBeginning = 1 << 20
    /// How long telling a type may take, on a machine that is busy; then the worker is killed.
    static let mediaAnswer = Duration.seconds(10)
    /// How many idle type-telling processes are kept for further files. Each takes 20 MiB and serves one sender.
    static let idleMediaWorkers = 4
    /// Bytes of the largest picture that gets a preview: kibo-media takes no more.
    static let previewedPicture: UInt64 = 64 << 20
    /// Bytes of a video's first picture, which is 320 wide.
    static let frameBytes = 4 << 20

    /// Bytes of a thumbnail with its line: kibo-media makes none that is larger.
    static let thumbnailBytes = (768 << 10) + 32

    /// How long looking for codes in a picture may take.
    package static let codesAnswer = Duration.seconds(2)
    /// Codes taken from one picture, bytes of the text of each, and bytes of everything that kibo-media says about
    /// them. The largest alphanumeric code has 4,296 characters; characters that a code stores in two bytes take three
    /// in UTF-8.
    static let codes = 16
    static let codeText = 8 << 10
    static let codeTexts = 64 << 10

    // MARK: Avatars

    /// Bytes of an avatar: what the wire takes.
    package static let avatarBytes = PeerLimits.avatarBytes
}

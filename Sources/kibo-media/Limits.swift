/// All limits of this program, each with its unit and reason.
enum MediaLimits {
    /// Bytes of a file's beginning that are enough to tell its type: one chunk of a transfer.
    static let beginning = 1 << 20
    /// Milliseconds of waiting for the next question. Then the program ends, and kibod starts it again when needed.
    static let idle: Int32 = 60_000
    /// Bytes of a picture's file. Photographs have some megabytes, and the whole file is held in memory.
    static let pictureFile = 64 << 20
    /// Pixels of a picture: at four bytes each, 64 million of them take a quarter of a gigabyte.
    static let pixels = 64 << 20
    /// Width and height of a preview.
    static let previewSide: Int32 = 320
    /// Width and height of thumbnails for a page, with the bytes that each may have.
    static let thumbnails: [Int32: Int] = [320: 64 << 10, 1280: 768 << 10]
    /// Bytes of a preview at most, as the wire allows.
    static let previewBytes = 32 << 10

    /// Pixels of a picture that the user chooses as an avatar: more than cameras make unless set to their maximum.
    static let avatarPixels = 40_000_000
    /// Pixels on one side of a friend's avatar, and bytes of its file, as the wire allows.
    static let peerAvatarSide = 4096
    static let peerAvatarFile = 256 << 10
    /// Width and height of an avatar, and bytes of its file.
    static let avatarSide: Int32 = 512
    static let avatarBytes = 256 << 10

    /// Pixels on one side of a picture that is looked through for codes: a code that a camera sees well has some 200.
    static let codeSide: ClosedRange<Int32> = 1...512
    /// Codes that are reported for one picture, and bytes of all their texts.
    static let codes: Int32 = 16
    static let codeTexts: Int32 = 64 << 10
    /// Bytes of address space for codes: the libraries of this program, the picture, and what is searched.
    static let codesMemory: UInt64 = 512 << 20
    /// Seconds of processor time for a picture: one with a thousand halves of codes would take minutes.
    static let codesTime: UInt64 = 2

    /// Bytes of address space for telling types: libmagic's database and a megabyte.
    static let typesMemory: UInt64 = 512 << 20
    /// Bytes of address space for a picture: the file, its pixels, and as much again for the decoder.
    static let pictureMemory: UInt64 = 1 << 30
    /// Bytes of address space for a program that takes a frame out of a video.
    static let videoMemory: UInt64 = 2 << 30
    /// Seconds of processor time for a worker that lives long, and for a single task.
    static let workerTime: UInt64 = 3600
    static let taskTime: UInt64 = 10
}

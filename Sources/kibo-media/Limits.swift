/// Every bound of this program, with its unit and reason.
enum MediaLimits {
    /// Bytes of a file's beginning whose type is asked for: a chunk of a transfer.
    static let beginning = 1 << 20
    /// How long it waits for the next question, in milliseconds: then it ends, and is started again when needed.
    static let idle: Int32 = 60_000
    /// Bytes of a picture's file: photographs have some megabytes, and all of it is held in memory.
    static let pictureFile = 64 << 20
    /// Pixels of a picture: 64 million of four bytes are a quarter of a gigabyte.
    static let pixels = 64 << 20
    /// Width and height of a preview.
    static let previewSide: Int32 = 320
    /// Bytes of a preview: what the wire takes.
    static let previewBytes = 32 << 10

    /// Pixels of a picture that somebody wants for an avatar: more than cameras make, unless asked for all they can.
    static let avatarPixels = 40_000_000
    /// Pixels on one side of a picture that a friend has for an avatar, and bytes of its file: what the wire takes.
    static let peerAvatarSide = 4096
    static let peerAvatarFile = 256 << 10
    /// Width and height of an avatar, and bytes of its file.
    static let avatarSide: Int32 = 512
    static let avatarBytes = 256 << 10

    /// Bytes of address space for telling types: the database of libmagic and a megabyte.
    static let typesMemory: UInt64 = 512 << 20
    /// For a picture: the file, its pixels, and as much again for the decoder.
    static let pictureMemory: UInt64 = 1 << 30
    /// For a program that takes a frame out of a video.
    static let videoMemory: UInt64 = 2 << 30
    /// Seconds of processor time: of a worker that lives for long, and of one task.
    static let workerTime: UInt64 = 3600
    static let taskTime: UInt64 = 10
}

import CLinux

/// Tells whether a file system keeps its files' numbers (inodes) from one mount to the next and stores their owners.
/// Others make up both when they are mounted.
enum FileNumbers {
    /// FAT, exFAT, FUSE, CIFS, SMB2, 9p and VirtualBox's shares (statfs(2)) make up inode numbers when they are mounted.
    private static let passing: Set<Int64> = [
        0x4D44, 0x2011_BAB0, 0x6573_5546, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997,
        0x786F_4256,
    ]

    /// - Parameter type: the magic number of a file system.
    static func last(onType type: Int64) -> Bool { !passing.contains(type) }

    /// - Parameter descriptor: any file or folder on that file system.
    static func last(at descriptor: CInt) -> Bool { last(onType: kibo_file_system_type(descriptor)) }
}

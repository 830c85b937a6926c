import Glibc

/// Width and height of a JPEG that kibo-media has made, as its frame header says (ITU-T T.81, B.2.2).
struct JPEGSize {
    let width: Int64
    let height: Int64

    /// - Parameter file: open for reading; its position stays.
    init?(of file: CInt) {
        var head = [UInt8](repeating: 0, count: 4096)
        let count = pread(file, &head, head.count, 0)
        guard count > 4, head[0] == 0xFF, head[1] == 0xD8 else { return nil }
        var place = 2
        while place + 9 <= count, head[place] == 0xFF {
            let marker = head[place + 1]
            // The frames SOF0 to SOF2 have the size; the length of any other segment leads to the next one.
            if 0xC0...0xC2 ~= marker {
                height = Int64(head[place + 5]) << 8 | Int64(head[place + 6])
                width = Int64(head[place + 7]) << 8 | Int64(head[place + 8])
                return
            }
            place += 2 + (Int(head[place + 2]) << 8 | Int(head[place + 3]))
        }
        return nil
    }
}

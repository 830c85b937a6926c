/// The header of a frame of MPEG audio (ISO/IEC 11172-3 2.4.2.3, 13818-3).
struct MPEGFrame {
    /// Bits per second.
    let bitRate: Int
    /// Samples per second, and samples in one frame.
    let sampleRate: Int
    let samples: Int
    /// Bytes between the header and the place where encoders write the number of frames.
    let sideInformation: Int

    /// Nil for bytes that are no such header, and for layer I or a free bit rate.
    init?(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        guard first == 0xFF, second & 0xE0 == 0xE0 else { return nil }
        let version = second >> 3 & 3  // 0: 2.5, 2: 2, 3: 1
        let layer = second >> 1 & 3  // 1: III, 2: II
        let rate = Int(third >> 4)
        let frequency = Int(third >> 2 & 3)
        guard version != 1, layer == 1 || layer == 2, 1...14 ~= rate, frequency < 3, fourth & 3 != 2 else { return nil }
        let isFirst = version == 3
        let table =
            switch (isFirst, layer) {
            case (true, 1): [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
            case (true, _): [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
            case (false, _): [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
            }
        bitRate = table[rate - 1] * 1000
        sampleRate = [44100, 48000, 32000][frequency] >> (isFirst ? 0 : version == 2 ? 1 : 2)
        samples = layer == 1 && !isFirst ? 576 : 1152
        let isMono = fourth >> 6 == 3
        sideInformation = isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
    }
}

import Basics
import ControlProtocol
import LocalSend

/// What a LocalSend device may send: a datagram, a body, the first line of a request. What is read is bounded, and is read again
/// as it was written.
enum FuzzTarget {
    static let seeds: [[UInt8]] = [
        #"{"alias":"Nice Orange","version":"2.0","deviceModel":"Samsung","deviceType":"mobile","fingerprint":"AB","port":53317,"protocol":"https","download":true,"announce":true}"#,
        #"{"info":{"alias":"a","version":"2.1","fingerprint":"b"},"files":{"x":{"id":"x","fileName":"a/b.png","size":3,"fileType":"image/png","preview":null,"metadata":{"modified":"2021-01-01T12:34:56Z"}}}}"#,
        #"{"info":{"alias":"a","fingerprint":"b"},"files":{"t":{"id":"t","fileName":"t.txt","size":3,"fileType":"text/plain","preview":"abc"}}}"#,
        "POST /api/localsend/v2/upload?sessionId=s&fileId=f%20g&token=t", "GET /api/localsend/v2/info?fingerprint=a",
        "POST /api/localsend/v2/prepare-upload?pin=1+2",
    ].map { Array($0.utf8) }

    static func run(_ bytes: [UInt8]) {
        if let heard = Announcement(datagram: bytes) {
            check(heard.info)
            let again = Announcement(datagram: heard.datagram)
            require(again?.info.alias == heard.info.alias, "a name is read as it was written")
            require(again?.info.fingerprint == heard.info.fingerprint, "so is a fingerprint")
            require(again?.wantsAnswers == heard.wantsAnswers, "and whether answers are wanted")
        }
        if let offer = try? UploadOffer(body: bytes) {
            check(offer.sender)
            require(1...LocalSendLimits.files ~= offer.items.count, "an offer has files, not too many")
            require(Set(offer.items.map(\.id)).count == offer.items.count, "no two files have one id")
            for item in offer.items {
                require(item.size >= 0 && !item.name.isEmpty, "a file has a size and a name")
                require(item.name.utf8.count <= LocalSendLimits.nameBytes, "a name is bounded")
                require(item.preview.map { $0.utf8.count <= LocalSendLimits.textBytes } ?? true, "a text is bounded")
            }
            require(offer.size >= 0, "a size is no less than nothing")
        }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 1)
        if words.count == 2 { _ = LocalSendRoute(method: String(words[0]), target: String(words[1])) }
    }

    private static func check(_ info: DeviceInfo) {
        require(
            ForeignText.isLabel(info.alias, maximumCharacters: LocalSendLimits.aliasCharacters),
            "a name shows something")
        require(info.port > 0, "a device has a port")
        require(info.fingerprint.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "a fingerprint is printable")
    }
}

extension Catalogue {
    static let codeMethods: [MethodSpec] = [
        // Nothing that a code is for can be done while the account is locked.
        MethodSpec(
            "code.read",
            "The texts of the QR codes in a picture, at most 16, for a client that can't read codes itself; the picture goes nowhere else. "
                + "A picture that takes longer than two seconds has none that can be read.",
            [
                .required("width", .integer(ProtocolLimits.codeSide), "pixels"),
                .required("height", .integer(ProtocolLimits.codeSide), "pixels"),
                .required(
                    "luma", .token(maximumBytes: ProtocolLimits.codePictureBytes),
                    "its greys, a byte for each pixel, row by row, 0 for black, in base64"),
            ],
            result: .fields([
                .required(
                    "texts", .results(.text(.bytes(ProtocolLimits.codeTextBytes))),
                    "each once, as anybody may have written them")
            ]), errors: [.busy, .invalid, .unsupported])
    ]
}

extension Catalogue {
    static let codeMethods: [MethodSpec] = [
        // Nothing that a code is for can be done while the account is locked.
        MethodSpec(
            "code.read",
            "Reads the QR codes in a picture, at most 16, for a client that can't read codes itself. The picture goes "
                + "nowhere else. If a picture takes longer than two seconds, no codes are found.",
            [
                .required("width", .integer(ProtocolLimits.codeSide), "pixels"),
                .required("height", .integer(ProtocolLimits.codeSide), "pixels"),
                .required(
                    "luma", .token(maximumBytes: ProtocolLimits.codePictureBytes),
                    "its grey values, one byte per pixel, row by row, 0 for black, in base64"),
            ],
            result: .fields([
                .required(
                    "texts", .results(.text(.bytes(ProtocolLimits.codeTextBytes))),
                    "each text once; anybody may have written it")
            ]), errors: [.busy, .invalid, .unsupported])
    ]
}

import Vocabulary

extension Catalogue {
    private static let offer = FieldSpec.required("offer", .uuid, "the offer")

    static let guestMethods: [MethodSpec] = [
        MethodSpec(
            "guest.list",
            "The devices nearby that speak LocalSend, such as phones, with what they offer you and what you offer "
                + "them. Finished offers stay for some minutes.",
            [
                .optional(
                    "look", .boolean, "also ask all devices who they are; answers arrive as guest.changed",
                    standard: false)
            ],
            result: .fields([
                .required("on", .boolean, "whether this host takes part, as `localsend.enabled` says"),
                .required("name", .name, "what it is called in the devices' lists"),
                .required("port", .nullable(.integer(1...65_535)), "its TCP port; null: it isn't listening"),
                .required("problem", .nullable(.words), "why it doesn't work; null: it works or is off"),
                .required("devices", .results(.object("GuestDevice")), "sorted by name"),
                .required("offers", .results(.object("GuestOffer")), "what devices offer, the oldest first"),
                .required("given", .results(.object("GuestOffer")), "what you offer to devices, the oldest first"),
            ])),
        MethodSpec(
            "guest.scan",
            "Asks each address around this host whether a device is there, for networks that keep devices from finding "
                + "each other. It answers when all addresses have had time to reply, up to a minute later; devices "
                + "found meanwhile arrive as guest.changed. The same request during a scan waits for that scan's "
                + "answer.",
            [
                .optional(
                    "address", .line,
                    "an IPv4 address on this network, to ask only that one; absent: up to 254 of each network in use"
                )
            ],
            effect: .writes,
            result: .fields([
                .required("asked", .count, "how many addresses were asked"),
                .required("found", .count, "how many devices have answered"),
            ]),
            errors: [.offline, .busy, .invalid, .notAllowed]),
        MethodSpec(
            "guest.take",
            "Takes what a device offers. A text becomes a note at once. Files go to the download directory, one offer "
                + "after another, and then appear in your notes.",
            [
                offer,
                .optional(
                    "items",
                    .list(
                        .integer(0...Int64(ProtocolLimits.guestItems)), minimum: 1, maximum: ProtocolLimits.guestItems),
                    "the numbers of the wanted files; absent: all files that the settings allow"),
            ],
            effect: .writes, result: .fields([]), errors: [.notFound, .busy, .typeNotAllowed]),
        MethodSpec(
            "guest.decline",
            "Declines an offer, stops one whose files are coming in (those already here stay), or takes back an offer "
                + "of yours.",
            [offer], effect: .writes, result: .fields([]), errors: [.notFound]),
        MethodSpec(
            "guest.give",
            "Offers files or a text to a device, whose user is asked. Nothing is queued for a device that is away. "
                + "What the device took appears in your notes.",
            [
                .required("device", .label(minimum: 16, maximum: 16), "the device's `id`"),
                .optional("text", .text(.bytes(SharedLimits.textBytes)), "the text"),
                .optional(
                    "files", .list(.file, minimum: 1, maximum: SharedLimits.attachments), "files and folders to give"),
                .optional(
                    "names",
                    .list(
                        .label(minimum: 0, maximum: SharedLimits.attachmentNameBytes), minimum: 0,
                        maximum: SharedLimits.attachments),
                    "the names to send them under, as in `message.send`"),
                .optional(
                    "anyType", .boolean, "also allow types that `files.allowedTypes` doesn't have", standard: false),
                .optional(
                    "pin", .label(minimum: 1, maximum: ProtocolLimits.pinCharacters), "the PIN that the device asks for"
                ),
            ],
            exactlyOne: [["text", "files"]], effect: .writes, result: .object("GuestOffer"),
            errors: [.notFound, .busy, .invalid, .tooLarge, .typeNotAllowed, .notAllowed, .offline, .unsupported],
            sendsFiles: false),
    ]
}

/// The settings of LocalSend.
extension SettingsCatalogue {
    public static let localSendEnabled = SettingKey<Bool>(
        "localsend.enabled", false,
        "take part in LocalSend, so that phones and other devices on this network see this host under your name and "
            + "can offer it files; everything they offer waits until you take it")
    public static let localSendPIN = SettingKey<String>(
        "localsend.pin", .label(minimum: 0, maximum: ProtocolLimits.pinCharacters), "",
        "the PIN that devices need before they can offer anything; empty: none")
    public static let localSendPlain = SettingKey<Bool>(
        "localsend.plain", false,
        "speak without encryption, for devices that don't speak TLS: anybody on the network can then read along")

    static let localSend: [SettingSpec] = [localSendEnabled.spec, localSendPIN.spec, localSendPlain.spec]
}

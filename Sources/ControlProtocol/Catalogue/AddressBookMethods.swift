extension Catalogue {
    private static let region = ValueType.label(minimum: 1, maximum: ProtocolLimits.countryCharacters)
    private static let entries = FieldSpec.required(
        "entries", .list(.uuid, minimum: 1, maximum: ProtocolLimits.invited), "entries of the address book")

    private static let invitation: [FieldSpec] = [
        entries,
        .required("via", .choice(of: InviteVia.self), "by `email` or by `sms`"),
        .optional(
            "text", .text(.characters(ProtocolLimits.inviteCharacters)),
            "the text, with the placeholders {name}, {me} and {link}; absent: the setting `invite.text`"),
        .optional(
            "subject", .label(minimum: 1, maximum: ProtocolLimits.subjectCharacters),
            "the subject of an e-mail, with the same placeholders; absent: \"{me} invites you to Kibo\""),
        .optional(
            "evenOnKibo", .boolean, "invite people who are already on Kibo, too; otherwise they are in `failed`",
            standard: false),
    ]

    static let addressBookMethods: [MethodSpec] = [
        MethodSpec(
            "addressBook.import",
            "Imports a vCard file (2.1, 3.0 or 4.0) into the address book, all at once or not at all. Importing the "
                + "same file again changes nothing.",
            [
                .required("path", .file, "the file"),
                .optional(
                    "defaultCountry", region,
                    "the country of numbers without +: `DE`, `49` or `Germany`; absent: that of the user's own number, "
                        + "or else of the daemon's locale"),
                .optional(
                    "replace", .boolean,
                    "remove entries that the file doesn't have; otherwise they stay", standard: false),
            ],
            result: .object("AddressBookImport"), errors: [.notFound, .invalid, .tooLarge]),
        MethodSpec(
            "addressBook.list", "The address book, in alphabetical order.",
            [
                .optional("onKibo", .boolean, "true: only people found on Kibo; false: only the others"),
                .optional(
                    "query", .label(minimum: 0, maximum: ProtocolLimits.queryCharacters),
                    "only entries whose name, e-mail or number matches; case and accents don't matter"),
                .limit,
                .optional("after", .token(maximumBytes: ProtocolLimits.tokenBytes), "`next` of the previous page"),
            ],
            whileLocked: .history,
            result: .fields([
                .required("entries", .results(.object("AddressBookEntry")), "sorted by name"),
                .optional(
                    "next", .token(maximumBytes: ProtocolLimits.tokenBytes),
                    "where the next page begins; absent on the last"),
                .required("total", .count, "how many entries there are on all pages"),
            ]), errors: [.invalid]),
        MethodSpec(
            "addressBook.remove", "Removes entries of the address book.",
            [entries], result: .fields([.required("removed", .count, "how many were removed")])),
        MethodSpec(
            "addressBook.countries", "The countries with their calling codes.",
            whileLocked: .answered,
            result: .fields([
                .required(
                    "countries",
                    .results(
                        .fields([
                            .required("region", region, "ISO 3166-1 alpha-2"),
                            .required("name", .label(minimum: 1, maximum: 128), "its name in English"),
                            .required("callingCode", .token(maximumBytes: 3), "digits"),
                            .required(
                                "trunkPrefix", .text(.characters(8)),
                                "the digits dialled before a national number, which aren't part of it; empty if there "
                                    + "are none"),
                        ])), "all of them"),
                .required(
                    "default", .nullable(region), "the country assumed for numbers without +; null if unknown"),
                .required(
                    "defaultFrom", .nullable(.choice(["profile", "locale"])),
                    "where the default comes from: the user's own number, or the locale"),
            ])),
    ]

    static let inviteMethods: [MethodSpec] = [
        MethodSpec(
            "invite.compose", "Writes invitations as links that open a program for e-mail or SMS.",
            invitation + [
                .optional(
                    "together", .boolean,
                    "one link for everybody, who then see each other; refused if the text has {name}", standard: false)
            ],
            result: .fields([
                .required(
                    "links", .results(.token(maximumBytes: ProtocolLimits.linkBytes)),
                    "`mailto:` or `sms:`, one for each recipient"),
                .required(
                    "text", .text(.characters(ProtocolLimits.inviteCharacters)),
                    "the text before its placeholders were filled in"),
                .required("recipients", [Invitations.Recipient].contractType, "who is invited"),
                .required("failed", [Invitations.Failed].contractType, "who can't be invited"),
            ]), errors: [.invalid]),
        MethodSpec(
            "invite.send", "Sends invitations with the commands of `invite.emailCommand` and `invite.smsCommand`.",
            invitation,
            result: .fields([
                .required("sent", .count, "how many invitations were handed over"),
                .required("recipients", [Invitations.Recipient].contractType, "who was invited"),
                .required("failed", [Invitations.Failed].contractType, "who was not invited"),
            ]), errors: [.invalid, .unsupported, .busy]),
    ]
}

/// The way a person is invited.
public enum InviteVia: String, Hashable, Sendable, CaseIterable { case email, sms }

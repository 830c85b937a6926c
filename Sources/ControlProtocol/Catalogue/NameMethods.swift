import Vocabulary

extension Catalogue {
    static let nameMethods: [MethodSpec] = [
        MethodSpec(
            "name.resolve",
            "Finds the person or group that a typed word means, by the rule under \"Names\" above. If it is refused as "
                + "`ambiguous` or `not_found`, `data.candidates` lists who may be meant, the likeliest first, each a "
                + "`Named`.",
            [
                .required(
                    "name", .label(minimum: 1, maximum: ProtocolLimits.nameWordCharacters),
                    "an alias, a name, an id or the beginning of one; with a colon in front, a group's"),
                .required(
                    "for", .choice(of: NamePurpose.self),
                    "who can be meant: `chat`: friends, former friends with a conversation, groups, and `@me` for "
                        + "oneself; `contact`: everybody in `contact.list`; `anybody`: also people on the network; "
                        + "`request`: people who asked, were asked or refused; `blocked`: blocked people; `group`: "
                        + "groups; `member`: members of a group"),
                .optional("group", .uuid, "for `member`: the group"),
                .optional(
                    "strict", .boolean,
                    "for actions that can't be taken back: only a whole name, alias or id counts, and only if nobody "
                        + "else fits",
                    standard: false),
            ],
            effect: .reads, whileLocked: .history, result: .object("Named"),
            errors: [.notFound, .ambiguous, .invalid, .blocked])
    ]
}

import Vocabulary

extension Catalogue {
    private static let count = ValueType.integer(0 ... .max)
    private static let line = ValueType.label(minimum: 0, maximum: 256)

    /// The objects of the address book, in the order of the document.
    static let addressBookObjects: [ObjectSpec] = [
        ObjectSpec(
            name: "AddressBookEntry", summary: "A person of the address book.",
            fields: [
                .required("id", .uuid, "the entry"),
                .required("name", line, "what they are called"),
                .required(
                    "phones",
                    .results(
                        .fields([
                            .required("number", line, "as it was imported"),
                            .required("e164", .nullable(line), "in international form"),
                            .required("prefix", .nullable(line), "the first part of that: `+49`"),
                            .required("national", .nullable(line), "the rest of it: `1701234567`"),
                            .required("region", .nullable(line), "the country, as ISO 3166-1 alpha-2"),
                            .required("extension", line, "what is dialled after it"),
                            .required("label", line, "what the file says of it, such as `mobile`"),
                        ])), "telephone numbers"),
                .required("emails", .results(line), "e-mail addresses"),
                .required("onKibo", .boolean, "whether an account shows one of these in its profile"),
                .required("contact", .nullable(.account), "the account that is most likely theirs"),
                .required(
                    "matches",
                    .results(
                        .fields([
                            .required("account", .account, "which"), .required("displayName", line, "its name"),
                            .required("relation", .choice(of: Relation.self), "how we stand"),
                            .required("here", .boolean, "whether it is on the network now"),
                        ])), "all such accounts, that one first"),
                .required("invitedAt", .nullable(.time), "when they were last sent an invitation"),
            ]),
        ObjectSpec(
            name: "AddressBookImport", summary: "What an import did.",
            fields: [
                .required("added", count, "new entries"),
                .required("updated", count, "entries that are different now"),
                .required("unchanged", count, "entries that were so already"),
                .required("removed", count, "entries that the file doesn't have"),
                .required(
                    "skipped", count, "cards that were not taken: groups, and such with neither number nor e-mail"),
                .required("numbersWithoutCountry", count, "numbers without + that nobody knows the country of"),
                .required("country", .nullable(line), "where numbers without + were taken to be from"),
                .required("countryFrom", .nullable(.choice(["parameter", "profile", "locale"])), "how that is known"),
                .required(
                    "problems",
                    .results(
                        .fields([
                            .required("line", count, "where in the file"), .required("name", line, "whose card"),
                            .required("text", .text(.bytes(4 << 10)), "what is wrong"),
                        ])), "the first 100 things that were wrong"),
                .required("problemCount", count, "how much was wrong in all"),
            ]),
        ObjectSpec(
            name: "AddressBookChange", summary: "What happened to the address book: list it again.",
            fields: [
                .required("added", count, "new entries"),
                .required("updated", count, "entries that are different now"),
                .required("removed", count, "entries that are gone"),
            ]),
    ]
}

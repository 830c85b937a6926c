extension Catalogue {
    static let eventMethods: [MethodSpec] = [
        MethodSpec(
            "events.subscribe", "Sends events on this connection from now on, starting with those that were missed.",
            [
                .optional(
                    "consumer", .label(minimum: 1, maximum: ProtocolLimits.consumerCharacters),
                    "a name whose cursor is remembered, see events.ack"),
                .optional("since", .integer(0 ... .max), "replay events with a greater number; 0: all that are kept"),
                .optional(
                    "epoch", .label(minimum: 1, maximum: ProtocolLimits.epochCharacters),
                    "the log that the number belongs to: the `epoch` of the subscription that it came from"),
                .optional(
                    "types",
                    .list(.choice(of: EventType.self), minimum: 1, maximum: EventType.allCases.count), "only these"),
                .optional("ephemeral", .boolean, "also send events that aren't kept", standard: true),
                .optional(
                    "notifies", .boolean,
                    "this client notifies its user itself, so Kibo shows no other notifications of this account "
                        + "meanwhile. Calls ring only while a client has this, ephemeral and call.changed; one of role "
                        + "web doesn't need notifies",
                    standard: false),
            ],
            whileLocked: .answered,
            result: .fields([
                .required("subscription", .integer(1 ... .max), "the number that its events carry"),
                .required("next", .integer(0 ... .max), "the number that the next new event gets"),
                .required("oldest", .integer(0 ... .max), "the number of the oldest event kept"),
                .required(
                    "epoch", .label(minimum: 1, maximum: ProtocolLimits.epochCharacters),
                    "this run of the daemon; keep it with the numbers of its events"),
            ]),
            errors: [.busy]),
        MethodSpec(
            "events.ack", "Remembers that a consumer has dealt with everything up to a number.",
            [
                .required("consumer", .label(minimum: 1, maximum: ProtocolLimits.consumerCharacters), "whose cursor"),
                .required("seq", .integer(0 ... .max), "the last one it has dealt with"),
                .optional(
                    "epoch", .label(minimum: 1, maximum: ProtocolLimits.epochCharacters),
                    "the log that the number belongs to; any other than the current one is refused as not_found"),
            ],
            whileLocked: .answered, result: .fields([]), errors: [.notFound, .invalid]),
        MethodSpec(
            "events.unsubscribe", "Ends a subscription of this connection.",
            [.required("subscription", .integer(1 ... .max), "the subscription")],
            whileLocked: .answered, result: .fields([]), errors: [.notFound]),
    ]
}

import ControlProtocol
import Foundation
import TestSupport
import Testing
import Vocabulary

/// The events that a real daemon sent while two people became friends, talked, made a group and parted.
///
/// `KIBO_RECORD_EVENTS=1 scripts/test --filter EveryEventProcessTests` records it anew, into `Tests/Recorded/events.jsonl`.
enum Recorded {
    /// All events, in the order in which they came.
    static let events: [Event] = {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Recorded/events.jsonl")
        let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { try? Event(json: JSONParser.parse(String($0))) }
    }()

    /// The last event of each type and change.
    private static let samples: [[String]: Event] = Dictionary(
        events.map { ([$0.type, $0.change.rawValue], $0) }, uniquingKeysWith: { $1 })

    /// A recorded event with some fields of its object put in place of the recorded ones. The result must be an event
    /// that a daemon may send.
    ///
    /// - Parameters:
    ///   - change: nil for an update, or else the only change that there is of this type.
    ///   - isHostile: the new fields have characters that the daemon never lets through.
    static func event(
        _ type: EventType, _ fields: JSONValue, _ change: ChangeKind? = nil, seq: Int64 = 5, at time: Int64 = 1_000,
        isHostile: Bool = false
    ) -> Event {
        let changes = change.map { [$0] } ?? [.update, .insert, .delete]
        guard let sample = changes.lazy.compactMap({ samples[[type.rawValue, $0.rawValue]] }).first else {
            Issue.record("no daemon has ever sent \(type.rawValue) of this change: record it (see Recorded)")
            return Event(subscription: 1, seq: seq, at: time, type: type.rawValue, change: .update, data: fields)
        }
        var object = sample.data.object ?? [:]
        for field in fields.object?.fields ?? [] { object[field.name] = field.value }
        let event = Event(
            subscription: 1, seq: type.isDurable ? seq : nil, at: time, type: type.rawValue, change: sample.change,
            data: .object(object))
        if !isHostile {
            #expect(throws: Never.self, "\(type.rawValue) as this test has it") {
                try ContractCheck.check(event: event.json)
            }
        }
        return event
    }
}

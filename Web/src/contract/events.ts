// Written from the catalogue: run DocumentTests with KIBO_WRITE_DOCS=1, change nothing here.
import type {
  EventType,
} from "./codes";
import type {
  Account, AccountId, AddressBookChange, AddressBookEntry, Call, Contact, Conversation, CourierChange, Disk, Gap,
  Group, GuestChange, GuestProgress, Message, Peer, Setting, Time, Totals, Transfer, Typing, Uuid,
} from "./types";

/** The object that an event of each type brings. */
export interface EventData {
  "account.changed": Account;
  "contact.changed": Contact;
  "conversation.changed": Conversation;
  "message.added": Message;
  "message.changed": Message;
  "message.removed": Message;
  "group.changed": Group;
  "transfer.changed": Transfer;
  "settings.changed": Setting;
  "peer.appeared": Peer;
  "peer.vanished": Peer;
  "presence.changed": Contact;
  "typing.changed": Typing;
  "transfer.progress": Transfer;
  "addressBook.changed": AddressBookChange;
  "addressBook.matched": AddressBookEntry;
  "totals.changed": Totals;
  "call.changed": Call;
  "disk.changed": Disk;
  "courier.changed": CourierChange;
  "guest.changed": GuestChange;
  "guest.progress": GuestProgress;
  "gap": Gap;
}

/** What is left of an object that was deleted. */
export interface DeletionData {
  "contact.changed": { id: AccountId };
  "conversation.changed": { id: Uuid };
  "message.removed": { id: Uuid; conversation: Uuid | null };
  "group.changed": { id: Uuid };
}

/** The types whose events are numbered, kept and replayed. */
export const keptEvents: readonly EventType[] = [
  "account.changed", "contact.changed", "conversation.changed", "message.added", "message.changed",
  "message.removed", "group.changed", "transfer.changed", "settings.changed",
];

interface EventHead {
  subscription: number;
  seq: number | null;
  at: Time;
}

/** An event as `events.subscribe` brings it, told apart by `type` and `change`. */
export type ContractEvent =
  | { [T in EventType]: EventHead & { type: T; change: "insert" | "update"; data: EventData[T] } }[EventType]
  | {
      [T in keyof DeletionData]: EventHead & { type: T; change: "delete"; data: DeletionData[T] };
    }[keyof DeletionData]
  | {
      [T in Exclude<EventType, keyof DeletionData>]: EventHead & { type: T; change: "delete"; data: EventData[T] };
    }[Exclude<EventType, keyof DeletionData>];

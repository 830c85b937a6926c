// Written from the catalogue: run DocumentTests with KIBO_WRITE_DOCS=1, change nothing here.
import type {
  AttachmentKind, AutoDownload, EventType, GroupRole, Reason, Relation, StoryState, StoryStep, TransferDirection,
  TransferState,
} from "./codes";
import type {
  Account, AccountId, AddressBookEntry, AddressBookImport, Backup, BackupStatus, Bytes, Call, CallSignal, Contact,
  Conversation, Courier, Disk, DoctorCheck, Found, Group, GuestDevice, GuestOffer, Json, Message, Named, Parcel,
  Peer, Setting, Time, Totals, Transfer, Upload, Uuid,
} from "./types";

export interface Methods {
  /** Says who is speaking on both sides; polite as a first request, not required. */
  "system.hello": {
    params: { client: string; version: string; role?: "full" | "web" };
    result: { daemon: "kibod"; version: string; protocol: number; api: number; capabilities: Array<string>; account?: AccountId };
  };
  /** How the daemon is. */
  "system.status": {
    params: Record<string, never>;
    result: { uptime: number; listen: Array<string>; interfaces: Array<string>; peers: number; sessions: number; queued: number; transfers: number; locked: boolean; data: null; databaseBytes: Bytes; disk: Disk; putOff: Array<{ account: AccountId; name?: string; reason: "day" | "room"; since: Time }>; epoch: string };
  };
  /** Looks for what may keep people from reaching each other, and says what to do. Takes seconds, with a large database half a minute. */
  "system.doctor": {
    params: Record<string, never>;
    result: { checks: Array<DoctorCheck> };
  };
  /** Counters and states in Prometheus's text format, as one string. */
  "system.metrics": {
    params: Record<string, never>;
    result: string;
  };
  /** This interface as an OpenRPC document. */
  "system.schema": {
    params: Record<string, never>;
    result: Json;
  };
  /** The same, under the name by which OpenRPC's tools ask for it. */
  "rpc.discover": {
    params: Record<string, never>;
    result: Json;
  };
  /** Reads the configuration and the roster again, as SIGHUP does. If they can't be used, the refusal says what is wrong and where, and what was in use stays in use. */
  "system.reload": {
    params: Record<string, never>;
    result: { atNextStart: Array<string> };
  };
  /** Ends the daemon as SIGTERM does; the reply comes first. */
  "system.shutdown": {
    params: Record<string, never>;
    result: Record<string, never>;
  };
  /** Makes the account of this daemon and begins to speak on the network. */
  "account.create": {
    params: { displayName: string; passphrase?: string; remember?: boolean };
    result: Account;
  };
  /** The account of this daemon, locked or not. */
  "account.get": {
    params: Record<string, never>;
    result: Account;
  };
  /** Changes what others see: all that is given, or nothing. Friends see it at once, or when they are back. */
  "account.update": {
    params: { displayName?: string; statusText?: string; email?: string; phone?: string; avatarPath?: string };
    result: Account;
  };
  /** Opens the account's keys and begins to speak on the network. */
  "account.unlock": {
    params: { passphrase: string; remember?: boolean };
    result: Account;
  };
  /** Says goodbye to everybody, drops the keys, and answers when they are gone. What needs keys is then refused. */
  "account.lock": {
    params: Record<string, never>;
    result: Account;
  };
  /** Seals the keys anew; whatever happens, the old or the new passphrase opens them. */
  "account.changePassphrase": {
    params: { old?: string; new?: string };
    result: Account;
  };
  /** The account as a link and as a QR code, for others to add. */
  "account.link": {
    params: Record<string, never>;
    result: { uri: string; qr: string };
  };
  /** The account's key as text, to be written down: anyone who has it has the account. The daemon notes that it was shown. */
  "recovery.code": {
    params: { passphrase?: string };
    result: { code: string; qr: string };
  };
  /** Whether a text is the recovery code of this account. Nothing is kept of it. */
  "recovery.check": {
    params: { code: string };
    result: { result: "right" | "other" | "damaged" | "none"; places: Array<number> };
  };
  /** Makes the account of a recovery code on a daemon that has none, with a new device. For 30 days what friends send who are not known here waits on their side, and they show up as requests. */
  "account.recover": {
    params: { code: string; displayName: string };
    result: Account;
  };
  /** Writes everything but received files into one file that the passphrase and the account's recovery code open, reads it back, and puts it in the place of an earlier backup of that name. Whoever has file and passphrase can act as this account. */
  "backup.create": {
    params: { path: null; passphrase: string };
    result: Backup;
  };
  /** Writes a backup with a new name into a folder, reads it back, and then removes the older ones there that this host has made of this account in this way. The account's recovery code opens it and nothing else does, so no passphrase is needed, and it is made while the account is locked, too. */
  "backup.rotate": {
    params: { directory: null; keep: number };
    result: { backup: Backup; removed: number };
  };
  /** How the backups of this account are: the last one, whether one is due, and one that goes on. */
  "backup.status": {
    params: Record<string, never>;
    result: BackupStatus;
  };
  /** Opens a backup, reads all of it, and says what is in it and whether it is whole. */
  "backup.check": {
    params: { path: null; passphrase: string };
    result: Backup;
  };
  /** Takes a backup into a daemon without an account, whole or not at all, as a new device of its account. The daemon starts again after the reply. The device that made the backup must not run any more. */
  "backup.restore": {
    params: { path: null; passphrase: string; evenIfCut?: boolean };
    result: Backup;
  };
  /** Who is on the network now. */
  "peer.list": {
    params: { query?: string; limit?: number; after?: string };
    result: { peers: Array<Peer>; next?: string };
  };
  /** Opens a session with whoever answers at an address. */
  "peer.connect": {
    params: { address: string };
    result: Peer;
  };
  /** The contacts in the alphabetical order of the daemon's locale, requests of both directions among them; those of relation `none` only if asked for. */
  "contact.list": {
    params: { relation?: Relation; query?: string; limit?: number; after?: string };
    result: { contacts: Array<Contact>; next?: string };
  };
  /** One contact. */
  "contact.get": {
    params: { id: AccountId };
    result: Contact;
  };
  /** Asks somebody to be friends, once more if they were asked before; one who has asked us already is accepted. What comes of it is told by `contact.changed`: relation `none` with a `reason` if the request was refused. */
  "contact.request": {
    params: { id?: AccountId; address?: string; uri?: string; note?: string };
    result: Contact;
  };
  /** Makes a friend of somebody who has asked. */
  "contact.accept": {
    params: { id: AccountId };
    result: Contact;
  };
  /** Ends a friendship, which the other side is told; messages and files that wait are not sent, the conversation stays. */
  "contact.remove": {
    params: { id: AccountId };
    result: Contact;
  };
  /** Has nothing more to do with an account, known or not: it sees this one as offline and can't ask, and is not told. */
  "contact.block": {
    params: { id: AccountId };
    result: Contact;
  };
  /** Takes a block back: there is no relation then, and both may ask. */
  "contact.unblock": {
    params: { id: AccountId };
    result: Contact;
  };
  /** Says that the account under `changedTo` is the same person with a new key: the conversation goes on with it (unless it has one), it is asked to be a friend (or accepted if it has asked), and the old one is a friend no more. */
  "contact.trustNewKey": {
    params: { id: AccountId };
    result: Contact;
  };
  /** The number that is the same on both sides if nobody sits between them, and a QR code of ours to be scanned there. */
  "contact.safetyNumber": {
    params: { id: AccountId };
    result: { number: string; qr: string };
  };
  /** Writes down that it is really them. */
  "contact.verify": {
    params: { id: AccountId; number?: string };
    result: Contact;
  };
  /** Changes what is kept here about a contact; the other side is told nothing. */
  "contact.update": {
    params: { id: AccountId; alias?: string; autoDownload?: AutoDownload };
    result: Contact;
  };
  /** Refuses somebody who has asked, of which they hear nothing; takes back what we asked; or puts away a request of ours that was refused. */
  "contact.decline": {
    params: { id: AccountId };
    result: Contact;
  };
  /** Refuses all who have asked, as when somebody asks under many names; they hear nothing of it. */
  "contact.declineAll": {
    params: { like?: AccountId };
    result: { declined: number };
  };
  /** Who or which group is meant by a word that a person has typed: the one rule for names, see above. Refused as `ambiguous` or `not_found`, `data.candidates` lists those who may be meant, the likeliest first, each a `Named`. */
  "name.resolve": {
    params: { name: string; for: "chat" | "contact" | "anybody" | "request" | "blocked" | "group" | "member"; group?: Uuid; strict?: boolean };
    result: Named;
  };
  /** Makes the signed list of an office's accounts, whose hosts are friends as soon as their `kibod.json5` names it. This account signs it and is its first member. */
  "roster.make": {
    params: { accounts: Array<AccountId>; from?: string; without?: Array<AccountId> };
    result: { roster: string; members: number };
  };
  /** Says who has signed a roster and when; refuses one that was changed after it was signed. */
  "roster.check": {
    params: { roster: string };
    result: { signer: AccountId; version: Time; members: number };
  };
  /** The friends that may keep messages for you while you are away, and those who let you keep messages for them. */
  "courier.list": {
    params: Record<string, never>;
    result: { couriers: Array<Courier>; carriedFor: Array<Courier> };
  };
  /** Lets a friend keep messages for you while you are away: friends of both leave them there, sealed, so that the courier can't read them. Your friends are told who your couriers are. */
  "courier.add": {
    params: { contact: AccountId };
    result: Courier;
  };
  /** Takes back that a friend keeps messages for you. */
  "courier.remove": {
    params: { contact: AccountId };
    result: Record<string, never>;
  };
  /** The parcels that are kept here for friends, the oldest first; their content can't be read. */
  "courier.parcels": {
    params: Record<string, never>;
    result: { parcels: Array<Parcel>; bytes: number };
  };
  /** Drops the parcels that are kept here from a friend and for them. Whoever left them is told, and sends directly as before. */
  "courier.drop": {
    params: { contact: AccountId };
    result: { dropped: number };
  };
  /** The devices nearby that speak LocalSend, such as phones, what they want to give to you, and what you give to them. Offers that are over stay for some minutes. */
  "guest.list": {
    params: { look?: boolean };
    result: { on: boolean; name: string; port: number | null; problem: string | null; devices: Array<GuestDevice>; offers: Array<GuestOffer>; given: Array<GuestOffer> };
  };
  /** Asks each address around this host whether a device is there, for networks that keep devices from finding each other. Answers when all of them had their time, up to a minute later; who was found comes as guest.changed meanwhile. Whoever asks the same while it runs waits for the same answer. */
  "guest.scan": {
    params: { address?: string };
    result: { asked: number; found: number };
  };
  /** Takes what a device offers. A text becomes a note at once; files come into the download directory, one offer after another, and then stand in your notes. */
  "guest.take": {
    params: { offer: Uuid; items?: Array<number> };
    result: Record<string, never>;
  };
  /** Declines an offer, ends one whose files come in, so that those that are here stay, or takes back what you offer. */
  "guest.decline": {
    params: { offer: Uuid };
    result: Record<string, never>;
  };
  /** Offers files or a text to a device. Its user is asked; nothing is queued for one that is away. What the device has taken stands in your notes. */
  "guest.give": {
    params: { device: string; text?: string; files?: Array<string>; names?: Array<string>; anyType?: boolean; pin?: string };
    result: GuestOffer;
  };
  /** The texts of the QR codes in a picture, at most 16, for a client that can't read codes itself; the picture goes nowhere else. A picture that takes longer than two seconds has none that can be read. */
  "code.read": {
    params: { width: number; height: number; luma: string };
    result: { texts: Array<string> };
  };
  /** Takes a vCard file (2.1, 3.0 or 4.0) into the address book, whole or not at all; the same again changes nothing. */
  "addressBook.import": {
    params: { path: string; defaultCountry?: string; replace?: boolean };
    result: AddressBookImport;
  };
  /** The address book, in alphabetical order. */
  "addressBook.list": {
    params: { onKibo?: boolean; query?: string; limit?: number; after?: string };
    result: { entries: Array<AddressBookEntry>; next?: string; total: number };
  };
  /** Removes entries of the address book. */
  "addressBook.remove": {
    params: { entries: Array<Uuid> };
    result: { removed: number };
  };
  /** The countries with their calling codes. */
  "addressBook.countries": {
    params: Record<string, never>;
    result: { countries: Array<{ region: string; name: string; callingCode: string; trunkPrefix: string }>; default: string | null; defaultFrom: "profile" | "locale" | null };
  };
  /** Writes invitations as links that open a program for e-mail or short messages. */
  "invite.compose": {
    params: { entries: Array<Uuid>; via: "email" | "sms"; text?: string; subject?: string; evenOnKibo?: boolean; together?: boolean };
    result: { links: Array<string>; text: string; recipients: Array<{ entry: Uuid; name: string; to: string; text: string }>; failed: Array<{ entry: Uuid; name: string; reason: Reason; detail: string | null }> };
  };
  /** Sends invitations with the commands of `invite.emailCommand` and `invite.smsCommand`. */
  "invite.send": {
    params: { entries: Array<Uuid>; via: "email" | "sms"; text?: string; subject?: string; evenOnKibo?: boolean };
    result: { sent: number; recipients: Array<{ entry: Uuid; name: string; to: string; text: string }>; failed: Array<{ entry: Uuid; name: string; reason: Reason; detail: string | null }> };
  };
  /** The conversations: those that are pinned, then the others, the latest activity first. */
  "conversation.list": {
    params: { before?: string; limit?: number; archived?: boolean; query?: string };
    result: { conversations: Array<Conversation>; next?: string };
  };
  /** One conversation. */
  "conversation.get": {
    params: { id: Uuid };
    result: Conversation;
  };
  /** What waits in all conversations together; changes are told by `totals.changed`. */
  "conversation.totals": {
    params: Record<string, never>;
    result: Totals;
  };
  /** The conversation with a friend or of a group, or the notes to oneself; made if there is none. */
  "conversation.open": {
    params: { contact?: AccountId; group?: Uuid };
    result: Conversation;
  };
  /** Remembers that the messages up to one have been seen, and tells their senders. */
  "conversation.markRead": {
    params: { id: Uuid; upTo: Uuid; from?: Uuid; arrival?: number };
    result: Conversation;
  };
  /** Counts the last message that others wrote as unread again, if nothing is unread; nobody is told. */
  "conversation.markUnread": {
    params: { id: Uuid };
    result: Conversation;
  };
  /** Pins, archives or mutes a conversation, or takes that back. */
  "conversation.update": {
    params: { id: Uuid; pinned?: boolean; archived?: boolean; muted?: boolean; mutedUntil?: Time; mentionsMuted?: boolean };
    result: Conversation;
  };
  /** Deletes a conversation from this host with all its messages; what waits in it to be sent is not sent. */
  "conversation.delete": {
    params: { id: Uuid; unread?: number };
    result: Record<string, never>;
  };
  /** Writes a conversation to a new file on this host, or to one without a name. */
  "conversation.export": {
    params: { id: Uuid; path?: null; descriptor?: boolean; format?: "jsonl" };
    result: { path?: null; descriptor?: boolean; messages: number };
  };
  /** Sends a message, at once or when its recipient is there; it is stored when this answers. A note to oneself is `sent` at once, has no recipients, and leaves its files where they are. */
  "message.send": {
    params: { conversation?: Uuid; to?: string; text?: string; files?: Array<string>; names?: Array<string>; anyType?: boolean; replyTo?: Uuid; key?: string };
    result: Message;
  };
  /** Messages of a conversation in their order, a page at a time. */
  "message.list": {
    params: { conversation: Uuid; before?: string; after?: string; at?: Time; limit?: number };
    result: { messages: Array<Message>; hasMore: boolean };
  };
  /** Messages of all conversations, those that were stored last first. */
  "message.recent": {
    params: { before?: string; limit?: number };
    result: { messages: Array<Message>; next?: string };
  };
  /** Messages of a conversation with pictures, files, links, sound or a pin, those that were stored last first. A pin is the reaction 📌 of anybody in the conversation. With `link`, messages that have `http` or `https` as a word; those of the last moments may be missing. */
  "message.media": {
    params: { conversation: Uuid; has: "picture" | "file" | "link" | "sound" | "pin"; before?: string; limit?: number };
    result: { messages: Array<Message>; next?: string };
  };
  /** One message, with the previews of its attachments. */
  "message.get": {
    params: { id?: Uuid; prefix?: string };
    result: Message;
  };
  /** Changes the text of a message of one's own, for everybody. */
  "message.edit": {
    params: { id: Uuid; text: string };
    result: Message;
  };
  /** Deletes a message: from this host, or one's own for everybody, where a tombstone without content stays. Of a note to oneself nothing stays in either case. */
  "message.delete": {
    params: { id: Uuid; for: "me" | "all" };
    result: Message;
  };
  /** Reacts to a message with one sign, or takes that back. */
  "message.react": {
    params: { id: Uuid; emoji: string; remove?: boolean };
    result: Message;
  };
  /** Sends a message that has failed again, and looks at once for the recipient of one that waits. */
  "message.retry": {
    params: { id: Uuid };
    result: Message;
  };
  /** Tells the story of a message: what happened to it, and what it waits for. Clients word it. */
  "message.why": {
    params: { id: Uuid };
    result: { steps: Array<{ at: Time; code: StoryStep; parameters: { [name: string]: Json } }>; now: Array<{ code: StoryState; parameters: { [name: string]: Json } }> };
  };
  /** Calls a friend or a group; takes the call that rings from there, or goes on there, just now. */
  "call.start": {
    params: { conversation: Uuid; media: "audio" | "video"; seat: Uuid; fingerprint: string };
    result: Call;
  };
  /** Takes a call that rings, or joins one that goes on in a group, for a window. */
  "call.accept": {
    params: { id: Uuid; media: "audio" | "video"; seat: Uuid; fingerprint: string };
    result: Call;
  };
  /** Declines a call that rings, with a word if one is given. */
  "call.decline": {
    params: { id: Uuid; text?: string };
    result: Call;
  };
  /** Ends a call, or leaves that of a group: takes back what rings elsewhere, declines what rings here. */
  "call.hangup": {
    params: { id: Uuid };
    result: Call;
  };
  /** Tells the other side what the window sends. */
  "call.update": {
    params: { id: Uuid; seat: Uuid; sends: Array<"microphone" | "camera" | "screen"> };
    result: Call;
  };
  /** Tells the other side's window something about the connection. */
  "call.signal": {
    params: { id: Uuid; seat: Uuid; device: string; kind: "offer" | "answer" | "candidates" | "restart"; sdp?: string; candidates?: Array<string> };
    result: Record<string, never>;
  };
  /** What the other side's windows have told this one. What came before `after` is forgotten. */
  "call.signals": {
    params: { id: Uuid; seat: Uuid; after?: number };
    result: { signals: Array<CallSignal>; next: number };
  };
  /** Gives the seat to this window: another one, or the same after it was loaded anew. */
  "call.take": {
    params: { id: Uuid; seat: Uuid; fingerprint: string };
    result: Call;
  };
  /** Says every five seconds that the window is there, and how its connections are. */
  "call.report": {
    params: { id: Uuid; seat: Uuid; peers: Array<{ [name: string]: Json }>; closes?: boolean };
    result: Record<string, never>;
  };
  /** The calls that are not over. */
  "call.list": {
    params: Record<string, never>;
    result: { calls: Array<Call> };
  };
  /** What stays of calls, of all conversations, those that were stored last first. */
  "call.history": {
    params: { before?: string; limit?: number };
    result: { messages: Array<Message>; next?: string };
  };
  /** Makes a group of which this account is the owner. Its conversation is in `conversation.list`. */
  "group.create": {
    params: { name: string; members: Array<AccountId>; description?: string; avatarPath?: string; history?: number };
    result: Group;
  };
  /** One group. */
  "group.get": {
    params: { id: Uuid };
    result: Group;
  };
  /** All groups, also those that this account is no member of any more. */
  "group.list": {
    params: Record<string, never>;
    result: { groups: Array<Group> };
  };
  /** Changes what a group is called, what it is for, or what new members see. */
  "group.update": {
    params: { id: Uuid; name?: string; description?: string; avatarPath?: string; history?: number };
    result: Group;
  };
  /** Puts friends into a group, at once; those who are in it already stay as they are. */
  "group.add": {
    params: { id: Uuid; members: Array<AccountId> };
    result: Group;
  };
  /** Takes somebody out of a group: nothing is sent to them any more by whoever knows of it. */
  "group.remove": {
    params: { id: Uuid; member: AccountId };
    result: Group;
  };
  /** Says what a member may do. */
  "group.setRole": {
    params: { id: Uuid; member: AccountId; role: GroupRole };
    result: Group;
  };
  /** Leaves a group. What was said stays here. If this account was its last owner, the longest-standing admin, else member, becomes one. */
  "group.leave": {
    params: { id: Uuid };
    result: Group;
  };
  /** Messages with all these words in the text or the names of files, those that came last first. `"words in quotes"` stand side by side; a star at the end (`wor*`) stands for any ending. In Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese any part of a sentence is found. */
  "message.search": {
    params: { query: string; conversation?: Uuid; before?: string; limit?: number };
    result: { messages: Array<Found>; next?: string };
  };
  /** Offers files and folders to a friend. */
  "transfer.send": {
    params: { to: AccountId; paths: Array<string>; text?: string; anyType?: boolean };
    result: { transfers: Array<Transfer> };
  };
  /** Transfers, the newest first. */
  "transfer.list": {
    params: { state?: TransferState; peer?: AccountId; direction?: TransferDirection; before?: string; limit?: number };
    result: { transfers: Array<Transfer>; next?: string };
  };
  /** One transfer. */
  "transfer.get": {
    params: { id: Uuid };
    result: Transfer;
  };
  /** Takes what is offered. */
  "transfer.accept": {
    params: { id: Uuid; path?: null; anyway?: boolean };
    result: Transfer;
  };
  /** Refuses what is offered. */
  "transfer.decline": {
    params: { id: Uuid };
    result: Transfer;
  };
  /** Ends a transfer for both sides. */
  "transfer.cancel": {
    params: { id: Uuid };
    result: Transfer;
  };
  /** Holds a transfer until this side resumes it; what is there stays. */
  "transfer.pause": {
    params: { id: Uuid };
    result: Transfer;
  };
  /** Takes back one's own pause, or goes on with what stands or has failed. Where the sender's file has changed, the sender's call offers it afresh: the result is the new transfer. */
  "transfer.resume": {
    params: { id: Uuid };
    result: Transfer;
  };
  /** Opens a whole file for reading: what was sent from here, or has come. Not found is what was moved away or is another file by now. */
  "transfer.open": {
    params: { id: Uuid; entry?: number };
    result: { name: string; size: Bytes; mediaType: string; modified: Time; descriptor: boolean };
  };
  /** The files of a folder that is transferred, without folders. */
  "transfer.entries": {
    params: { id: Uuid; after?: number; limit?: number };
    result: { entries: Array<{ index: number; path: string; size: Bytes; kind: AttachmentKind }>; next?: number };
  };
  /** Shows a whole file or folder in the file manager of this host's desktop, and opens nothing. */
  "transfer.reveal": {
    params: { id: Uuid };
    result: Record<string, never>;
  };
  /** A JPEG that is made here of a picture, or of the offer's preview: while the picture is not here, and of a film always. */
  "transfer.thumbnail": {
    params: { id: Uuid; entry?: number; side: "320" | "1280" };
    result: { width: number; height: number; descriptor: boolean };
  };
  /** Opens the picture of an account or a group for reading: a JPEG made here. */
  "picture.open": {
    params: { id: string };
    result: { size: Bytes; picture: string; descriptor: boolean };
  };
  /** Begins to take a file or folder into the daemon's care. Its type, its size and the room for it are checked now. It goes after a day, unless a message names it. */
  "upload.begin": {
    params: { name: string; size?: Bytes; folder?: boolean; purpose?: "message" | "picture" | "addressBook"; in?: Uuid; path?: string; anyType?: boolean };
    result: Upload;
  };
  /** Puts small files as a whole into a folder that is uploaded: a folder of a thousand takes a few requests. They are checked as `upload.begin` checks them. A file that is there already with the same bytes stays as it is. If one can't be written, those before it are there. Without `in` each file becomes an upload of its own, which is finished; all of them or none. */
  "upload.put": {
    params: { in?: Uuid; paths: Array<string>; contents: Array<string>; anyType?: boolean };
    result: { leftOut: Array<string>; ids?: Array<Uuid> };
  };
  /** Gives a stream socket for the bytes that follow in the file of an upload. Half-close it behind the last of them; then one byte comes back: 0, all is written; 1, more came than was said, and none of it counts; 2, there is no room; 3, the file can't be written. The next open, finish or cancel of the upload takes what has come until then, and ends the socket. */
  "upload.open": {
    params: { id: Uuid };
    result: { received: Bytes; descriptor: boolean };
  };
  /** Says that all of it is here: the size is compared, and the file is on the disk when this answers. A file of a folder is put into its place; its own id ends then. */
  "upload.finish": {
    params: { id: Uuid };
    result: Upload;
  };
  /** Removes an upload that no message names, a folder with all its files. */
  "upload.cancel": {
    params: { id: Uuid };
    result: Record<string, never>;
  };
  /** The uploads that no message names yet, the oldest first. */
  "upload.list": {
    params: Record<string, never>;
    result: { uploads: Array<Upload> };
  };
  /** Lets friends see whether one is here. */
  "presence.set": {
    params: { state: "online" | "away"; statusText?: string; idle?: boolean };
    result: { state: "online" | "away" };
  };
  /** Lets the friend of a conversation see that one is typing; say it again every 5 s while it lasts. Of notes nobody is told. */
  "typing.set": {
    params: { conversation: Uuid; typing: boolean };
    result: Record<string, never>;
  };
  /** All settings of this version. */
  "settings.list": {
    params: Record<string, never>;
    result: { settings: Array<Setting> };
  };
  /** One setting. */
  "settings.get": {
    params: { key: string };
    result: Setting;
  };
  /** Changes a setting; it counts when this answers. */
  "settings.set": {
    params: { key: string; value: Json };
    result: Setting;
  };
  /** Sends events on this connection from now on, and first what was missed. */
  "events.subscribe": {
    params: { consumer?: string; since?: number; epoch?: string; types?: Array<EventType>; ephemeral?: boolean; notifies?: boolean };
    result: { subscription: number; next: number; oldest: number; epoch: string };
  };
  /** Remembers that a consumer has dealt with everything up to a number. */
  "events.ack": {
    params: { consumer: string; seq: number; epoch?: string };
    result: Record<string, never>;
  };
  /** Ends a subscription of this connection. */
  "events.unsubscribe": {
    params: { subscription: number };
    result: Record<string, never>;
  };
}

export type Method = keyof Methods;
export type Params<M extends Method> = Methods[M]["params"];
export type Result<M extends Method> = Methods[M]["result"];

/** What a method does with conversations: requests that do something take effect in their order. */
export const methodEffects: Record<Method, "none" | "reads" | "writes"> = {
  "system.hello": "none",
  "system.status": "none",
  "system.doctor": "none",
  "system.metrics": "none",
  "system.schema": "none",
  "rpc.discover": "none",
  "system.reload": "none",
  "system.shutdown": "none",
  "account.create": "none",
  "account.get": "none",
  "account.update": "none",
  "account.unlock": "none",
  "account.lock": "none",
  "account.changePassphrase": "none",
  "account.link": "none",
  "recovery.code": "none",
  "recovery.check": "none",
  "account.recover": "none",
  "backup.create": "none",
  "backup.rotate": "none",
  "backup.status": "none",
  "backup.check": "none",
  "backup.restore": "none",
  "peer.list": "none",
  "peer.connect": "none",
  "contact.list": "none",
  "contact.get": "none",
  "contact.request": "none",
  "contact.accept": "none",
  "contact.remove": "none",
  "contact.block": "none",
  "contact.unblock": "none",
  "contact.trustNewKey": "none",
  "contact.safetyNumber": "none",
  "contact.verify": "none",
  "contact.update": "none",
  "contact.decline": "none",
  "contact.declineAll": "none",
  "name.resolve": "reads",
  "roster.make": "reads",
  "roster.check": "none",
  "courier.list": "none",
  "courier.add": "writes",
  "courier.remove": "writes",
  "courier.parcels": "none",
  "courier.drop": "writes",
  "guest.list": "none",
  "guest.scan": "writes",
  "guest.take": "writes",
  "guest.decline": "writes",
  "guest.give": "writes",
  "code.read": "none",
  "addressBook.import": "none",
  "addressBook.list": "none",
  "addressBook.remove": "none",
  "addressBook.countries": "none",
  "invite.compose": "none",
  "invite.send": "none",
  "conversation.list": "reads",
  "conversation.get": "reads",
  "conversation.totals": "reads",
  "conversation.open": "writes",
  "conversation.markRead": "writes",
  "conversation.markUnread": "writes",
  "conversation.update": "writes",
  "conversation.delete": "writes",
  "conversation.export": "reads",
  "message.send": "writes",
  "message.list": "reads",
  "message.recent": "reads",
  "message.media": "reads",
  "message.get": "reads",
  "message.edit": "writes",
  "message.delete": "writes",
  "message.react": "writes",
  "message.retry": "writes",
  "message.why": "reads",
  "call.start": "writes",
  "call.accept": "writes",
  "call.decline": "writes",
  "call.hangup": "writes",
  "call.update": "none",
  "call.signal": "none",
  "call.signals": "none",
  "call.take": "writes",
  "call.report": "none",
  "call.list": "none",
  "call.history": "reads",
  "group.create": "writes",
  "group.get": "reads",
  "group.list": "reads",
  "group.update": "writes",
  "group.add": "writes",
  "group.remove": "writes",
  "group.setRole": "writes",
  "group.leave": "writes",
  "message.search": "reads",
  "transfer.send": "writes",
  "transfer.list": "none",
  "transfer.get": "none",
  "transfer.accept": "none",
  "transfer.decline": "none",
  "transfer.cancel": "none",
  "transfer.pause": "none",
  "transfer.resume": "none",
  "transfer.open": "none",
  "transfer.entries": "none",
  "transfer.reveal": "none",
  "transfer.thumbnail": "none",
  "picture.open": "none",
  "upload.begin": "none",
  "upload.put": "none",
  "upload.open": "none",
  "upload.finish": "none",
  "upload.cancel": "none",
  "upload.list": "none",
  "presence.set": "none",
  "typing.set": "none",
  "settings.list": "none",
  "settings.get": "none",
  "settings.set": "none",
  "events.subscribe": "none",
  "events.ack": "none",
  "events.unsubscribe": "none",
};

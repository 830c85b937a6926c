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
  /** Introduces the client and the daemon to each other; polite as a first request, but not required. */
  "system.hello": {
    params: { client: string; version: string; role?: "full" | "web" };
    result: { daemon: "kibod"; version: string; protocol: number; api: number; capabilities: Array<string>; account?: AccountId };
  };
  /** The state of the daemon. */
  "system.status": {
    params: Record<string, never>;
    result: { uptime: number; listen: Array<string>; interfaces: Array<string>; peers: number; sessions: number; queued: number; transfers: number; locked: boolean; data: null; databaseBytes: Bytes; disk: Disk; putOff: Array<{ account: AccountId; name?: string; reason: "day" | "room"; since: Time }>; epoch: string };
  };
  /** Looks for anything that may keep people from reaching each other, and says what to do about it. This takes seconds, or half a minute with a large database. */
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
  /** The same, under the name that OpenRPC's tools ask for. */
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
  /** Creates the account of this daemon and begins to speak on the network. */
  "account.create": {
    params: { displayName: string; passphrase?: string; remember?: boolean };
    result: Account;
  };
  /** The account of this daemon, locked or not. */
  "account.get": {
    params: Record<string, never>;
    result: Account;
  };
  /** Changes what others see: everything that is given, or nothing. Friends see it at once, or when they are back. */
  "account.update": {
    params: { displayName?: string; statusText?: string; email?: string; phone?: string; avatarPath?: string };
    result: Account;
  };
  /** Opens the account's keys and begins to speak on the network. */
  "account.unlock": {
    params: { passphrase: string; remember?: boolean };
    result: Account;
  };
  /** Says goodbye to everybody, drops the keys, and answers when they are gone. Requests that need keys are then refused. */
  "account.lock": {
    params: Record<string, never>;
    result: Account;
  };
  /** Seals the keys with another passphrase. Whatever happens, either the old or the new one opens them. */
  "account.changePassphrase": {
    params: { old?: string; new?: string };
    result: Account;
  };
  /** The account as a link and as a QR code, for others to add. */
  "account.link": {
    params: Record<string, never>;
    result: { uri: string; qr: string };
  };
  /** The account's key as text, for the user to write down. Anyone who has it has the account. The daemon remembers that it was shown. */
  "recovery.code": {
    params: { passphrase?: string };
    result: { code: string; qr: string };
  };
  /** Checks whether a text is the recovery code of this account. The text is not kept. */
  "recovery.check": {
    params: { code: string };
    result: { result: "right" | "other" | "damaged" | "none"; places: Array<number> };
  };
  /** Restores an account from its recovery code, as a new device, on a daemon that has no account. For 30 days, friends who aren't known here show up as requests, and what they send waits on their side. */
  "account.recover": {
    params: { code: string; displayName: string };
    result: Account;
  };
  /** Writes everything except received files into one file, which opens with the passphrase or with the account's recovery code. Reads it back, then replaces an earlier backup of that name. Anyone with the file and the passphrase can act as this account. */
  "backup.create": {
    params: { path: null; passphrase: string };
    result: Backup;
  };
  /** Writes a backup under a new name into a folder, reads it back, and then removes older ones there that this host made of this account with this method. Only the account's recovery code opens the backup, so no passphrase is needed, and it works while the account is locked, too. */
  "backup.rotate": {
    params: { directory: null; keep: number };
    result: { backup: Backup; removed: number };
  };
  /** The state of this account's backups: the last one, whether one is due, and whether one is being made. */
  "backup.status": {
    params: Record<string, never>;
    result: BackupStatus;
  };
  /** Opens a backup, reads all of it, and says what it contains and whether it is complete. */
  "backup.check": {
    params: { path: null; passphrase: string };
    result: Backup;
  };
  /** Restores a backup on a daemon without an account, all at once or not at all, as a new device of the backup's account. The daemon restarts after the reply. The device that made the backup must not run any more. */
  "backup.restore": {
    params: { path: null; passphrase: string; evenIfCut?: boolean };
    result: Backup;
  };
  /** The people on the network now. */
  "peer.list": {
    params: { query?: string; limit?: number; after?: string };
    result: { peers: Array<Peer>; next?: string };
  };
  /** Opens a session with whoever answers at an address. */
  "peer.connect": {
    params: { address: string };
    result: Peer;
  };
  /** The contacts, in the alphabetical order of the daemon's locale, with friend requests in both directions. Those of relation `none` only if asked for. */
  "contact.list": {
    params: { relation?: Relation; query?: string; limit?: number; after?: string };
    result: { contacts: Array<Contact>; next?: string };
  };
  /** One contact. */
  "contact.get": {
    params: { id: AccountId };
    result: Contact;
  };
  /** Sends somebody a friend request, again if they were asked before. If they have already asked us, it accepts their request. `contact.changed` reports the result: relation `none` with a `reason` if the request was refused. */
  "contact.request": {
    params: { id?: AccountId; address?: string; uri?: string; note?: string };
    result: Contact;
  };
  /** Accepts somebody's friend request. */
  "contact.accept": {
    params: { id: AccountId };
    result: Contact;
  };
  /** Ends a friendship and tells the other side. Waiting messages and files are not sent; the conversation stays. */
  "contact.remove": {
    params: { id: AccountId };
    result: Contact;
  };
  /** Blocks an account, known or not: it sees this account as offline, can't send friend requests, and is not told. */
  "contact.block": {
    params: { id: AccountId };
    result: Contact;
  };
  /** Unblocks an account: there is no relation then, and both sides may send a friend request. */
  "contact.unblock": {
    params: { id: AccountId };
    result: Contact;
  };
  /** Confirms that the account in `changedTo` is the same person with a new key. The conversation goes on with that account (unless it already has one), it gets a friend request (or is accepted if it sent one), and the old account is no longer a friend. */
  "contact.trustNewKey": {
    params: { id: AccountId };
    result: Contact;
  };
  /** The number that is the same on both sides if nobody sits between them, and our QR code for them to scan. */
  "contact.safetyNumber": {
    params: { id: AccountId };
    result: { number: string; qr: string };
  };
  /** Marks a contact as verified: it is really them. */
  "contact.verify": {
    params: { id: AccountId; number?: string };
    result: Contact;
  };
  /** Changes what is kept here about a contact; the other side isn't told. */
  "contact.update": {
    params: { id: AccountId; alias?: string; autoDownload?: AutoDownload };
    result: Contact;
  };
  /** Refuses a friend request without telling the sender, takes back a request of ours, or clears a request of ours that was refused. */
  "contact.decline": {
    params: { id: AccountId };
    result: Contact;
  };
  /** Refuses all friend requests without telling the senders, for example when somebody asks under many names. */
  "contact.declineAll": {
    params: { like?: AccountId };
    result: { declined: number };
  };
  /** Finds the person or group that a typed word means, by the rule under "Names" above. If it is refused as `ambiguous` or `not_found`, `data.candidates` lists who may be meant, the likeliest first, each a `Named`. */
  "name.resolve": {
    params: { name: string; for: "chat" | "contact" | "anybody" | "request" | "blocked" | "group" | "member"; group?: Uuid; strict?: boolean };
    result: Named;
  };
  /** Makes the signed list of an office's accounts. They are friends as soon as the `kibod.json5` of their hosts names the list. This account signs it and is its first member. */
  "roster.make": {
    params: { accounts: Array<AccountId>; from?: string; without?: Array<AccountId> };
    result: { roster: string; members: number };
  };
  /** Says who signed a roster and when; refuses one that was changed after it was signed. */
  "roster.check": {
    params: { roster: string };
    result: { signer: AccountId; version: Time; members: number };
  };
  /** The friends who may keep messages for you while you are away, and those who let you keep messages for them. */
  "courier.list": {
    params: Record<string, never>;
    result: { couriers: Array<Courier>; carriedFor: Array<Courier> };
  };
  /** Lets a friend keep messages for you while you are away: your mutual friends leave them there, sealed, so that the courier can't read them. Your friends are told who your couriers are. */
  "courier.add": {
    params: { contact: AccountId };
    result: Courier;
  };
  /** Stops a friend from keeping messages for you. */
  "courier.remove": {
    params: { contact: AccountId };
    result: Record<string, never>;
  };
  /** The parcels that are kept here for friends, the oldest first. Their content can't be read here. */
  "courier.parcels": {
    params: Record<string, never>;
    result: { parcels: Array<Parcel>; bytes: number };
  };
  /** Drops the parcels kept here that come from a friend or are for them. The senders are told, and send directly as before. */
  "courier.drop": {
    params: { contact: AccountId };
    result: { dropped: number };
  };
  /** The devices nearby that speak LocalSend, such as phones, with what they offer you and what you offer them. Finished offers stay for some minutes. */
  "guest.list": {
    params: { look?: boolean };
    result: { on: boolean; name: string; port: number | null; problem: string | null; devices: Array<GuestDevice>; offers: Array<GuestOffer>; given: Array<GuestOffer> };
  };
  /** Asks each address around this host whether a device is there, for networks that keep devices from finding each other. It answers when all addresses have had time to reply, up to a minute later; devices found meanwhile arrive as guest.changed. The same request during a scan waits for that scan's answer. */
  "guest.scan": {
    params: { address?: string };
    result: { asked: number; found: number };
  };
  /** Takes what a device offers. A text becomes a note at once. Files go to the download directory, one offer after another, and then appear in your notes. */
  "guest.take": {
    params: { offer: Uuid; items?: Array<number> };
    result: Record<string, never>;
  };
  /** Declines an offer, stops one whose files are coming in (those already here stay), or takes back an offer of yours. */
  "guest.decline": {
    params: { offer: Uuid };
    result: Record<string, never>;
  };
  /** Offers files or a text to a device, whose user is asked. Nothing is queued for a device that is away. What the device took appears in your notes. */
  "guest.give": {
    params: { device: string; text?: string; files?: Array<string>; names?: Array<string>; anyType?: boolean; pin?: string };
    result: GuestOffer;
  };
  /** Reads the QR codes in a picture, at most 16, for a client that can't read codes itself. The picture goes nowhere else. If a picture takes longer than two seconds, no codes are found. */
  "code.read": {
    params: { width: number; height: number; luma: string };
    result: { texts: Array<string> };
  };
  /** Imports a vCard file (2.1, 3.0 or 4.0) into the address book, all at once or not at all. Importing the same file again changes nothing. */
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
  /** Writes invitations as links that open a program for e-mail or SMS. */
  "invite.compose": {
    params: { entries: Array<Uuid>; via: "email" | "sms"; text?: string; subject?: string; evenOnKibo?: boolean; together?: boolean };
    result: { links: Array<string>; text: string; recipients: Array<{ entry: Uuid; name: string; to: string; text: string }>; failed: Array<{ entry: Uuid; name: string; reason: Reason; detail: string | null }> };
  };
  /** Sends invitations with the commands of `invite.emailCommand` and `invite.smsCommand`. */
  "invite.send": {
    params: { entries: Array<Uuid>; via: "email" | "sms"; text?: string; subject?: string; evenOnKibo?: boolean };
    result: { sent: number; recipients: Array<{ entry: Uuid; name: string; to: string; text: string }>; failed: Array<{ entry: Uuid; name: string; reason: Reason; detail: string | null }> };
  };
  /** The conversations: pinned ones first, then the others, the latest activity first. */
  "conversation.list": {
    params: { before?: string; limit?: number; archived?: boolean; query?: string };
    result: { conversations: Array<Conversation>; next?: string };
  };
  /** One conversation. */
  "conversation.get": {
    params: { id: Uuid };
    result: Conversation;
  };
  /** What is waiting in all conversations together; `totals.changed` reports changes. */
  "conversation.totals": {
    params: Record<string, never>;
    result: Totals;
  };
  /** The conversation with a friend or of a group, or the notes to oneself; created if there is none. */
  "conversation.open": {
    params: { contact?: AccountId; group?: Uuid };
    result: Conversation;
  };
  /** Remembers that the messages up to a given one were seen, and tells their senders. */
  "conversation.markRead": {
    params: { id: Uuid; upTo: Uuid; from?: Uuid; arrival?: number };
    result: Conversation;
  };
  /** Marks the last message from others as unread again, if nothing is unread; nobody is told. */
  "conversation.markUnread": {
    params: { id: Uuid };
    result: Conversation;
  };
  /** Pins, archives or mutes a conversation, or undoes that. */
  "conversation.update": {
    params: { id: Uuid; pinned?: boolean; archived?: boolean; muted?: boolean; mutedUntil?: Time; mentionsMuted?: boolean };
    result: Conversation;
  };
  /** Deletes a conversation and all its messages from this host; messages that are waiting in it are not sent. */
  "conversation.delete": {
    params: { id: Uuid; unread?: number };
    result: Record<string, never>;
  };
  /** Writes a conversation to a new file on this host, or to a file without a name. */
  "conversation.export": {
    params: { id: Uuid; path?: null; descriptor?: boolean; format?: "jsonl" };
    result: { path?: null; descriptor?: boolean; messages: number };
  };
  /** Sends a message, at once or when its recipient is online. It is stored by the time this answers. A note to oneself is `sent` at once, has no recipients, and leaves its files where they are. */
  "message.send": {
    params: { conversation?: Uuid; to?: string; text?: string; files?: Array<string>; names?: Array<string>; anyType?: boolean; replyTo?: Uuid; key?: string };
    result: Message;
  };
  /** Messages of a conversation in order, one page at a time. */
  "message.list": {
    params: { conversation: Uuid; before?: string; after?: string; at?: Time; limit?: number };
    result: { messages: Array<Message>; hasMore: boolean };
  };
  /** Messages of all conversations, the most recently stored first. */
  "message.recent": {
    params: { before?: string; limit?: number };
    result: { messages: Array<Message>; next?: string };
  };
  /** Messages of a conversation with pictures, files, links, audio or a pin, the most recently stored first. A pin is a 📌 reaction from anybody in the conversation. `link` finds messages with `http` or `https` as a word; those of the last moments may be missing. */
  "message.media": {
    params: { conversation: Uuid; has: "picture" | "file" | "link" | "sound" | "pin"; before?: string; limit?: number };
    result: { messages: Array<Message>; next?: string };
  };
  /** One message, with the previews of its attachments. */
  "message.get": {
    params: { id?: Uuid; prefix?: string };
    result: Message;
  };
  /** Changes the text of one's own message, for everybody. */
  "message.edit": {
    params: { id: Uuid; text: string };
    result: Message;
  };
  /** Deletes a message from this host, or one's own message for everybody, which leaves a tombstone without content. A note to oneself is gone in either case. */
  "message.delete": {
    params: { id: Uuid; for: "me" | "all" };
    result: Message;
  };
  /** Reacts to a message with one character, or takes that back. */
  "message.react": {
    params: { id: Uuid; emoji: string; remove?: boolean };
    result: Message;
  };
  /** Sends a failed message again; for one that is still waiting, looks for the recipient at once. */
  "message.retry": {
    params: { id: Uuid };
    result: Message;
  };
  /** Tells the story of a message: what happened to it, and what it waits for. Clients word it. */
  "message.why": {
    params: { id: Uuid };
    result: { steps: Array<{ at: Time; code: StoryStep; parameters: { [name: string]: Json } }>; now: Array<{ code: StoryState; parameters: { [name: string]: Json } }> };
  };
  /** Calls a friend or a group. If the friend's call is ringing here, or the group already has a call, takes that one. */
  "call.start": {
    params: { conversation: Uuid; media: "audio" | "video"; seat: Uuid; fingerprint: string };
    result: Call;
  };
  /** Answers a ringing call, or joins a group's running call, for a window. */
  "call.accept": {
    params: { id: Uuid; media: "audio" | "video"; seat: Uuid; fingerprint: string };
    result: Call;
  };
  /** Declines a ringing call, with a message if one is given. */
  "call.decline": {
    params: { id: Uuid; text?: string };
    result: Call;
  };
  /** Ends a call, or leaves a group's call. A call that still rings elsewhere is cancelled; one that rings here is declined. */
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
  /** The signals that the other side's windows sent to this one. Those up to `after` are forgotten. */
  "call.signals": {
    params: { id: Uuid; seat: Uuid; after?: number };
    result: { signals: Array<CallSignal>; next: number };
  };
  /** Gives the call's seat to this window: a different window, or the same one after a reload. */
  "call.take": {
    params: { id: Uuid; seat: Uuid; fingerprint: string };
    result: Call;
  };
  /** To be called every five seconds: says that the window is still there, and how its connections are doing. */
  "call.report": {
    params: { id: Uuid; seat: Uuid; peers: Array<{ [name: string]: Json }>; closes?: boolean };
    result: Record<string, never>;
  };
  /** The calls that haven't ended. */
  "call.list": {
    params: Record<string, never>;
    result: { calls: Array<Call> };
  };
  /** The records of past calls in all conversations, the most recently stored first. */
  "call.history": {
    params: { before?: string; limit?: number };
    result: { messages: Array<Message>; next?: string };
  };
  /** Creates a group with this account as its owner. Its conversation is in `conversation.list`. */
  "group.create": {
    params: { name: string; members: Array<AccountId>; description?: string; avatarPath?: string; history?: number };
    result: Group;
  };
  /** One group. */
  "group.get": {
    params: { id: Uuid };
    result: Group;
  };
  /** All groups, including those that this account is no longer a member of. */
  "group.list": {
    params: Record<string, never>;
    result: { groups: Array<Group> };
  };
  /** Changes what a group is called, what it is for, or what new members see. */
  "group.update": {
    params: { id: Uuid; name?: string; description?: string; avatarPath?: string; history?: number };
    result: Group;
  };
  /** Adds friends to a group, at once. Those who are already members stay as they are. */
  "group.add": {
    params: { id: Uuid; members: Array<AccountId> };
    result: Group;
  };
  /** Removes a member from a group. Members who know about it send nothing more to them. */
  "group.remove": {
    params: { id: Uuid; member: AccountId };
    result: Group;
  };
  /** Changes what a member may do. */
  "group.setRole": {
    params: { id: Uuid; member: AccountId; role: GroupRole };
    result: Group;
  };
  /** Leaves a group. Its messages stay here. If this account was the last owner, the longest-standing admin becomes owner, or, without admins, the longest-standing member. */
  "group.leave": {
    params: { id: Uuid };
    result: Group;
  };
  /** Finds messages with all these words in the text or in the names of files, the latest arrivals first. `"words in quotes"` must stand side by side; a star at the end (`wor*`) stands for any ending. In Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese any part of a sentence is found. */
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
  /** Takes an offered file or folder. */
  "transfer.accept": {
    params: { id: Uuid; path?: null; anyway?: boolean };
    result: Transfer;
  };
  /** Refuses an offered file or folder. */
  "transfer.decline": {
    params: { id: Uuid };
    result: Transfer;
  };
  /** Ends a transfer for both sides. */
  "transfer.cancel": {
    params: { id: Uuid };
    result: Transfer;
  };
  /** Pauses a transfer until this side resumes it; what has arrived stays. */
  "transfer.pause": {
    params: { id: Uuid };
    result: Transfer;
  };
  /** Ends this side's pause, or goes on with a transfer that has stopped or failed. If the file has changed on the sender's side, calling this there offers it again: the result is the new transfer. */
  "transfer.resume": {
    params: { id: Uuid };
    result: Transfer;
  };
  /** Opens a complete file for reading: one that was sent from here or has arrived. A file that was moved away, or that is a different one by now, is not found. */
  "transfer.open": {
    params: { id: Uuid; entry?: number };
    result: { name: string; size: Bytes; mediaType: string; modified: Time; descriptor: boolean };
  };
  /** The files in a transferred folder, without the folders in it. */
  "transfer.entries": {
    params: { id: Uuid; after?: number; limit?: number };
    result: { entries: Array<{ index: number; path: string; size: Bytes; kind: AttachmentKind }>; next?: number };
  };
  /** Shows a complete file or folder in the file manager of this host's desktop, without opening it. */
  "transfer.reveal": {
    params: { id: Uuid };
    result: Record<string, never>;
  };
  /** A JPEG made here from a picture. While the picture isn't here, and always for a video, it is made from the offer's preview. */
  "transfer.thumbnail": {
    params: { id: Uuid; entry?: number; side: "320" | "1280" };
    result: { width: number; height: number; descriptor: boolean };
  };
  /** Opens the picture of an account or a group for reading: a JPEG made here. */
  "picture.open": {
    params: { id: string };
    result: { size: Bytes; picture: string; descriptor: boolean };
  };
  /** Begins to hand a file or folder to the daemon. Its type, its size and the free space are checked now. It is removed after a day, unless a message uses it. */
  "upload.begin": {
    params: { name: string; size?: Bytes; folder?: boolean; purpose?: "message" | "picture" | "addressBook"; in?: Uuid; path?: string; anyType?: boolean };
    result: Upload;
  };
  /** Puts whole small files into a folder that is being uploaded, so that a folder with a thousand files takes only a few requests. They are checked as in `upload.begin`. A file that is already there with the same bytes stays as it is. If one can't be written, the ones before it stay. Without `in`, each file becomes a finished upload of its own, all of them or none. */
  "upload.put": {
    params: { in?: Uuid; paths: Array<string>; contents: Array<string>; anyType?: boolean };
    result: { leftOut: Array<string>; ids?: Array<Uuid> };
  };
  /** Gives a stream socket for the next bytes of an upload's file. Half-close it after the last of them; one byte then comes back: 0, everything is written; 1, more came than was announced, and none of it counts; 2, there is no space; 3, the file can't be written. The next open, finish or cancel of the upload takes what has come by then, and ends the socket. */
  "upload.open": {
    params: { id: Uuid };
    result: { received: Bytes; descriptor: boolean };
  };
  /** Says that everything has been sent: the size is compared, and the file is on the disk when this answers. A file of a folder is put into its place, and its own id ends. */
  "upload.finish": {
    params: { id: Uuid };
    result: Upload;
  };
  /** Removes an upload that no message uses; a folder goes with all its files. */
  "upload.cancel": {
    params: { id: Uuid };
    result: Record<string, never>;
  };
  /** The uploads that no message uses yet, the oldest first. */
  "upload.list": {
    params: Record<string, never>;
    result: { uploads: Array<Upload> };
  };
  /** Shows friends whether the user is here. */
  "presence.set": {
    params: { state: "online" | "away"; statusText?: string; idle?: boolean };
    result: { state: "online" | "away" };
  };
  /** Shows the friend in a conversation that the user is typing. Repeat it every 5 s while the user types. For notes to oneself nobody is told. */
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
  /** Changes a setting; it is in force when this answers. */
  "settings.set": {
    params: { key: string; value: Json };
    result: Setting;
  };
  /** Sends events on this connection from now on, starting with those that were missed. */
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

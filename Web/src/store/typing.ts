import { Store } from "../base/store";

/** Who is typing, by conversation. The daemon takes it back by itself; this is for a stream that broke meanwhile. */
export const typing = new Store<ReadonlyMap<string, ReadonlySet<string>>>(new Map());

export function takeTyping(conversation: string, account: string, types: boolean): void {
  typing.update((now) => {
    const accounts = new Set(now.get(conversation));
    if (types) accounts.add(account);
    else accounts.delete(account);
    return new Map(now).set(conversation, accounts);
  });
}

export const forgetTyping = (): void => typing.set(new Map());

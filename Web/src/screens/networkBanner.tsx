import { useEffect, useState } from "react";
import { useStore } from "../base/store";
import type { Contact } from "../contract/types";
import { Icon } from "../parts/icon";
import { self } from "../store/account";
import { contacts } from "../store/contacts";
import type { Table } from "../store/table";
import { t } from "../text/t";
import { call } from "../wire/rpc";

/** How often the page asks for the networks while no friend is online, in ms. */
const STEP = 5000;

const isSomebodyHere = (table: Table<Contact>): boolean => [...table.values()].some(({ presence }) => presence !== "offline");

/** Says that this computer is on no network. While a friend is online, it is on one: nothing is asked. */
export function NetworkBanner() {
  const isReady = useStore(self, ({ phase }) => phase === "ready");
  const isHeard = useStore(contacts, isSomebodyHere);
  /** How often in a row there was none. The first time, the daemon may only just be opening its sockets. */
  const [without, setWithout] = useState(0);
  useEffect(() => {
    setWithout(0);
    if (!isReady || isHeard) return;
    const look = () => {
      if (document.hidden) return;
      call("system.status").then(({ interfaces, locked }) => setWithout((count) => (interfaces.length > 0 || locked ? 0 : count + 1)), () => undefined);
    };
    look();
    const timer = setInterval(look, STEP);
    return () => clearInterval(timer);
  }, [isReady, isHeard]);
  return without < 2 ? null : (
    <div className="banner">
      <Icon name="alert" />
      <span className="grow">{t("banner.network")}</span>
    </div>
  );
}

import { useStore, useWhole } from "../base/store";
import { Button } from "../parts/button";
import { Icon } from "../parts/icon";
import { later } from "../parts/later";
import { disk } from "../store/disk";
import { laterWords } from "../text/language";
import { t } from "../text/t";
import { retryNow } from "../wire/events";
import { link } from "../wire/link";
import { NetworkBanner } from "./networkBanner";

const StartKibo = later(() => Promise.all([import("./startKibo"), laterWords()]).then(([part]) => part.default), { waiting: null });
const DiskBanner = later(() => import("./diskBanner").then((part) => part.default), { waiting: null });

/** One sentence about what is amiss with the way to the daemon, and what can be done. `isFirst`: nothing has come from it yet. */
export function Banner({ isFirst = false }: { isFirst?: boolean }) {
  const way = useWhole(link);
  const isShort = useStore(disk, ({ room }) => room !== "enough");
  if (way === "open" || way === "starting") return <div role="status">{isShort && <DiskBanner />}{way === "open" && <NetworkBanner />}</div>;
  return (
    <div role="status">
      <div className="banner">
        <Icon name="alert" />
        <span className="grow">{t(way === "out" && isFirst ? "banner.first" : `banner.${way}`)}</span>
        {way === "daemon" && <StartKibo />}
        {way !== "out" && <Button look="quiet" onClick={retryNow}>{t("banner.retry")}</Button>}
      </div>
    </div>
  );
}

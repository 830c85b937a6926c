import { Button } from "../parts/button";
import { Icon } from "../parts/icon";
import { disk } from "../store/disk";
import { useWhole } from "../store/store";
import { size } from "../text/format";
import { t } from "../text/t";
import { retryNow } from "../wire/events";
import { link } from "../wire/link";

/** What is wrong with the disk, how much is free, and what Kibo takes of it. */
function DiskBanner() {
  const { room, freeBytes, taken } = useWhole(disk);
  if (room === "enough") return null;
  return (
    <div className="banner">
      <Icon name="alert" />
      <span className="grow">
        {t(`banner.disk.${room}`)} {freeBytes !== undefined && t("banner.disk.free", { free: size(freeBytes), taken: size(taken) })}
      </span>
    </div>
  );
}

/** One sentence about what is amiss with the way to the daemon, and what can be done. `isFirst`: nothing has come from it yet. */
export function Banner({ isFirst = false }: { isFirst?: boolean }) {
  const way = useWhole(link);
  if (way === "open" || way === "starting") return <div role="status"><DiskBanner /></div>;
  return (
    <div role="status">
      <div className="banner">
        <Icon name="alert" />
        <span className="grow">{t(way === "out" && isFirst ? "banner.first" : `banner.${way}`)}</span>
        {way !== "out" && <Button look="quiet" onClick={retryNow}>{t("banner.retry")}</Button>}
      </div>
    </div>
  );
}

import { Icon } from "../parts/icon";
import { disk } from "../store/disk";
import { useWhole } from "../store/store";
import { size } from "../text/format";
import { t } from "../text/t";

/** What is wrong with the disk, how much is free, and what Kibo takes of it. */
export default function DiskBanner() {
  const { room, freeBytes, taken } = useWhole(disk);
  return (
    <div className="banner">
      <Icon name="alert" />
      <span className="grow">
        {t(room === "full" ? "banner.disk.full" : "banner.disk.short")} {freeBytes !== undefined && t("banner.disk.free", { free: size(freeBytes), taken: size(taken) })}
      </span>
    </div>
  );
}

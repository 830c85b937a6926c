import { useEffect, useState } from "react";
import { useWhole } from "../base/store";
import type { Result } from "../contract/methods";
import { Icon } from "../parts/icon";
import { disk } from "../store/disk";
import { size } from "../text/format";
import { t } from "../text/t";
import { call } from "../wire/rpc";

/** What is wrong with the disk, how much is free, and what Kibo takes of it. */
export default function DiskBanner() {
  const { room } = useWhole(disk);
  const [status, setStatus] = useState<Result<"system.status"> | null>(null);
  useEffect(() => void call("system.status").then(setStatus, () => undefined), [room]);
  const free = status?.disk.freeBytes;
  return (
    <div className="banner">
      <Icon name="alert" />
      <span className="grow">
        {t(room === "full" ? "banner.disk.full" : "banner.disk.short")} {status !== null && free !== undefined && t("banner.disk.free", { free: size(free), taken: size(status.databaseBytes) })}
      </span>
    </div>
  );
}

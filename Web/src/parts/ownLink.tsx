// The own account as a link and as a code, for others to add.
import { useEffect, useState } from "react";
import { t } from "../text/t";
import { call } from "../wire/rpc";
import { Button } from "./button";
import { Code } from "./qr";
import { Note, Spinner } from "./small";
import { useTask } from "./task";

/** How long a button says that something was copied, in ms. */
const COPIED = 2000;

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <Button icon={isCopied ? "check" : "copy"} onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true), () => undefined)}>
      <span aria-live="polite">{isCopied ? t("common.copied") : label}</span>
    </Button>
  );
}

export function OwnLink() {
  const [link, setLink] = useState<{ uri: string; qr: string } | null>(null);
  const task = useTask();
  const { run } = task;
  useEffect(() => {
    void run(async () => setLink(await call("account.link")));
  }, [run]);
  if (task.error !== null) return <Note look="danger">{task.error}</Note>;
  if (link === null) return <Spinner />;
  return (
    <div className="own-link">
      <Code text={link.qr} label={t("link.code")} />
      <div className="column grow">
        <p className="small quiet">{t("link.more")}</p>
        <p className="link-text" dir="ltr"><code>{link.uri}</code></p>
        <div className="row"><CopyButton text={link.uri} label={t("link.copy")} /></div>
      </div>
    </div>
  );
}

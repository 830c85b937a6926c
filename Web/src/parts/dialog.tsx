import { useEffect, useId, useRef, useState } from "react";
import type { FormEvent, ReactNode } from "react";
import { t } from "../text/t";
import { asRefused } from "../wire/refusal";
import { wording } from "../text/errors";
import { Button, IconButton } from "./button";
import { Note } from "./small";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Buttons below; the last one is the one to press. */
  foot?: ReactNode;
  wide?: boolean;
  onSubmit?: (() => void) | undefined;
}

/** What has the focus in a window that opens: its first field, else the first of its buttons, which takes nothing away. */
const FIRST = ".dialog-body :is(input:not([type=file], [type=range], [hidden]), textarea, select), .dialog-foot button:enabled";

/** A modal window. Escape and a click beside it close it; the focus goes back to where it was. */
export function Dialog({ title, onClose, children, foot, wide = false, onSubmit }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>(FIRST)?.focus();
    // A body that only scrolls must be reachable by Tab, too.
    const body = element?.querySelector<HTMLElement>(".dialog-body");
    if (body != null && body.querySelector("a, button, input, select, textarea") === null) body.tabIndex = 0;
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  // One that submits nothing may have forms in it, and a form can't stand in another one.
  const Form = onSubmit === undefined ? "div" : "form";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // This window may be inside the form of another one, which must not be submitted together with it.
    event.stopPropagation();
    onSubmit?.();
  };
  return (
    <dialog
      ref={dialog} className={`dialog${wide ? " dialog-wide" : ""}`} aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label={t("common.close")} onClick={onClose} />
      </header>
      <Form className="column dialog-form" {...(onSubmit === undefined ? {} : { onSubmit: submit, noValidate: true })}>
        <div className="dialog-body">{children}</div>
        {foot !== undefined && <footer className="dialog-foot">{foot}</footer>}
      </Form>
    </dialog>
  );
}

/** Asks once more before something that can't be taken back. */
export function Confirm({ title, children, action, danger = true, onConfirm, onClose }: {
  title: string;
  children?: ReactNode;
  /** The text of the button: a verb. */
  action: string;
  danger?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = () => {
    if (busy) return;
    setBusy(true);
    onConfirm().then(onClose, (problem: unknown) => {
      setBusy(false);
      setError(wording(asRefused(problem)));
    });
  };
  return (
    <Dialog
      title={title} onClose={onClose} onSubmit={run}
      foot={<>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button look={danger ? "danger" : "primary"} busy={busy} type="submit">{action}</Button>
      </>}
    >
      {children}
      {error !== null && <Note look="danger" alert>{error}</Note>}
    </Dialog>
  );
}

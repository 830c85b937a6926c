// Parts of the page whose script is fetched when they are first shown. It may not come: the gateway is away, or is of another version by now.
import { useEffect, useState } from "react";
import type { ComponentType } from "react";
import { t } from "../text/t";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Empty, Spinner } from "./small";

/** How long after a vain attempt a script is fetched once more, in ms. */
const MOMENT = 1000;

/** Fetches a script; once more after a moment if it does not come. */
export const twice = <T,>(load: () => Promise<T>): Promise<T> => load().catch(() => new Promise((done) => setTimeout(done, MOMENT)).then(load));

interface Options<P> {
  /** For a window: closes it. Then a missing script is reported in a window; otherwise in the place of the part. */
  close?: (props: P) => void;
  /** What is shown meanwhile. */
  waiting?: JSX.Element | null;
}

/** A part whose script is fetched when it is first shown. If the script does not come, that is said in the place of this part only. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>, { close, waiting = close === undefined ? <Spinner /> : null }: Options<P> = {}): ComponentType<P> {
  let Part: ComponentType<P> | undefined;
  return function Later(props: P) {
    const [turn, setTurn] = useState(0);
    /** The last turn that ended, well or not. */
    const [ended, setEnded] = useState(-1);
    useEffect(() => {
      let isShown = true;
      if (Part === undefined) {
        twice(load).then((found) => {
          Part = found;
        }, () => undefined).finally(() => {
          if (isShown) setEnded(turn);
        });
      }
      return () => {
        isShown = false;
      };
    }, [turn]);
    if (Part !== undefined) return <Part {...props} />;
    if (turn === 0 && ended < 0) return waiting;
    const buttons = (
      <>
        <Button onClick={() => location.reload()}>{t("app.reload")}</Button>
        <Button look="primary" icon="retry" busy={ended < turn} onClick={() => setTurn(turn + 1)}>{t("common.retry")}</Button>
      </>
    );
    return close === undefined
      ? <Empty icon="warn" title={t("app.missing")}><p>{t("app.missing.more")}</p>{buttons}</Empty>
      : <Dialog title={t("app.missing")} onClose={() => close(props)} foot={buttons}><p>{t("app.missing.more")}</p></Dialog>;
  };
}

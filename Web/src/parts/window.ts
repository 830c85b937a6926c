// Of a long list only the rows in sight, and some around them, are drawn. All rows are of one height.
import { useCallback, useEffect, useLayoutEffect, useState } from "react";
import type { RefObject } from "react";

/** Lists up to this length are drawn whole. */
const WHOLE = 150;
/** Rows beyond each edge that are drawn, too; the window moves in steps of so many. */
const MORE = 20;
/** The assumed height of a row until one is measured, in pixels. */
const GUESS = 60;

interface Range {
  from: number;
  to: number;
}

export interface Window extends Range {
  /** Brings a row that may not be drawn into sight. */
  reveal: (index: number) => void;
}

/** Which rows of a list to draw. The padding of the list stands for the others. */
export function useWindow(list: RefObject<HTMLUListElement>, count: number): Window {
  const isLong = count > WHOLE;
  const [range, setRange] = useState<Range>({ from: 0, to: WHOLE });
  const [height, setHeight] = useState(GUESS);

  const look = useCallback(() => {
    const scroller = list.current?.closest<HTMLElement>(".scroll");
    if (list.current === null || scroller == null) return;
    const above = scroller.getBoundingClientRect().top - list.current.getBoundingClientRect().top;
    const step = (row: number) => Math.floor(row / MORE) * MORE;
    const from = Math.max(0, step(above / height) - MORE);
    const to = step((above + scroller.clientHeight) / height) + 2 * MORE;
    setRange((now) => (now.from === from && now.to === to ? now : { from, to }));
  }, [list, height]);

  useEffect(() => {
    const scroller = list.current?.closest<HTMLElement>(".scroll");
    if (!isLong || scroller == null) return;
    const watch = new ResizeObserver(look);
    watch.observe(scroller);
    scroller.addEventListener("scroll", look, { passive: true });
    return () => {
      watch.disconnect();
      scroller.removeEventListener("scroll", look);
    };
  }, [list, isLong, look]);

  const from = isLong ? Math.min(range.from, Math.max(0, count - MORE)) : 0;
  const to = isLong ? Math.min(count, range.to) : count;
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    const row = element.firstElementChild?.getBoundingClientRect().height ?? 0;
    if (isLong && row > 0 && Math.abs(row - height) > 0.5) setHeight(row);
    element.style.setProperty("padding-block-start", isLong ? `${from * height}px` : "");
    element.style.setProperty("padding-block-end", isLong ? `${(count - to) * height}px` : "");
  }, [list, isLong, from, to, count, height]);

  const reveal = (index: number) => {
    const scroller = list.current?.closest<HTMLElement>(".scroll");
    if (!isLong || list.current === null || scroller == null) return;
    const top = list.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top + index * height;
    if (top < 0) scroller.scrollTop += top;
    else if (top + height > scroller.clientHeight) scroller.scrollTop += top + height - scroller.clientHeight;
    look();
  };
  return { from, to, reveal };
}

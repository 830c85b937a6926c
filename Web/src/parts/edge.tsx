import { useEffect, useRef } from "react";

/** So much before the end of a list comes into sight more is read, in pixels. */
const AHEAD = 600;

/** The end of a list that goes on: `onReach` reads more. With another `key` for each page, it is reached again if a page leaves it in sight. */
export function Edge({ onReach }: { onReach: () => void }) {
  const edge = useRef<HTMLDivElement>(null);
  const reach = useRef(onReach);
  reach.current = onReach;
  useEffect(() => {
    if (edge.current === null) return;
    const watch = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) reach.current();
    }, { root: edge.current.closest(".scroll"), rootMargin: `${AHEAD}px` });
    watch.observe(edge.current);
    return () => watch.disconnect();
  }, []);
  return <div ref={edge} className="history-edge"><span className="spinner" aria-hidden="true" /></div>;
}

/** Kibo's sign: two speech bubbles that meet. */
export const Logo = () => (
  <svg className="logo" viewBox="0 0 48 48" aria-hidden="true">
    <path className="logo-back" d="M20 6h18a6 6 0 0 1 6 6v12a6 6 0 0 1-6 6v6l-7-6H20a6 6 0 0 1-6-6V12a6 6 0 0 1 6-6Z" />
    <path className="logo-front" d="M10 16h16a6 6 0 0 1 6 6v10a6 6 0 0 1-6 6H17l-7 6v-6a6 6 0 0 1-6-6V22a6 6 0 0 1 6-6Z" />
    <path className="logo-dots" d="M12 27h.01M18 27h.01M24 27h.01" />
  </svg>
);

/** The heading of a page that has no other yet. */
export const heading = <h1 className="hidden-words">{"Kibo"}</h1>;

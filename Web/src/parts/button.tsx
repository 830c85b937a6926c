import { forwardRef } from "react";
import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Icon } from "./icon";
import type { IconName } from "./icon";

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "style" | "className"> {
  /** primary: the main action here; plain: other actions; danger: actions that can't be undone; quiet: without a frame */
  look?: "primary" | "plain" | "danger" | "quiet";
  icon?: IconName;
  /** What this button began is under way: it can't be pressed again. */
  busy?: boolean;
  wide?: boolean;
  children: ReactNode;
}

export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  { look = "plain", icon, busy = false, wide = false, disabled, children, ...rest }, ref,
) {
  return (
    <button
      type="button" {...rest} ref={ref} className={`button button-${look}${wide ? " button-wide" : ""}`}
      disabled={disabled === true || busy} aria-busy={busy || undefined}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon !== undefined && <Icon name={icon} size={18} />}
      <span className="cut">{children}</span>
    </button>
  );
});

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "style" | "className" | "children"> {
  icon: IconName;
  /** What it does, for the tooltip and for screen readers. */
  label: string;
  look?: "quiet" | "primary";
  small?: boolean;
  /** A class of the shell that hides it at some widths. */
  only?: "back-narrow" | "not-narrow" | undefined;
}

/** A button that shows an icon only. */
export const IconButton = forwardRef<HTMLButtonElement, IconButtonProps>(function IconButton(
  { icon, label, look = "quiet", small = false, only, ...rest }, ref,
) {
  return (
    <button
      type="button" title={label} aria-label={label} {...rest} ref={ref}
      className={`icon-button icon-button-${look}${small ? " icon-button-small" : ""}${only === undefined ? "" : ` ${only}`}`}
    >
      <Icon name={icon} size={small ? 16 : 20} />
    </button>
  );
});

import { useId } from "react";
import type { InputHTMLAttributes, ReactNode, TextareaHTMLAttributes } from "react";

interface Common {
  label: string;
  hint?: ReactNode;
  /** What is wrong with the value; shown in place of the hint and read out. */
  error?: string | undefined;
}

type InputProps = Common & Omit<InputHTMLAttributes<HTMLInputElement>, "style" | "className" | "id">;
type AreaProps = Common & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "style" | "className" | "id">;

function Frame({ id, label, hint, error, children }: Common & { id: string; children: ReactNode }) {
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>{label}</label>
      {children}
      {error !== undefined
        ? <p className="field-error" id={`${id}-more`} role="alert">{error}</p>
        : hint !== undefined && <p className="field-hint" id={`${id}-more`}>{hint}</p>}
    </div>
  );
}

/** A labelled line of text. */
export function Field({ label, hint, error, ...rest }: InputProps) {
  const id = useId();
  const more = hint !== undefined || error !== undefined ? `${id}-more` : undefined;
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input className="input" dir="auto" {...rest} id={id} aria-invalid={error !== undefined || undefined} aria-describedby={more} />
    </Frame>
  );
}

/** A labelled text of several lines. */
export function TextField({ label, hint, error, ...rest }: AreaProps) {
  const id = useId();
  const more = hint !== undefined || error !== undefined ? `${id}-more` : undefined;
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea className="input" dir="auto" {...rest} id={id} aria-invalid={error !== undefined || undefined} aria-describedby={more} />
    </Frame>
  );
}

/** A box to tick, with its words. */
export function Check({ checked, onChange, children, disabled }: {
  checked: boolean; onChange: (checked: boolean) => void; children: ReactNode; disabled?: boolean;
}) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} disabled={disabled} onChange={(event) => onChange(event.target.checked)} />
      <span className="grow">{children}</span>
    </label>
  );
}

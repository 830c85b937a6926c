import { useId } from "react";

/** A labelled choice of one. */
export function Select<V extends string>({ label, value, options, onChange, hint, disabled }: {
  label: string;
  value: V;
  options: ReadonlyArray<{ value: V; label: string }>;
  onChange: (value: V) => void;
  hint?: string;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>{label}</label>
      <select
        className="input select" id={id} value={value} disabled={disabled} aria-describedby={hint === undefined ? undefined : `${id}-more`}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value);
          if (chosen !== undefined) onChange(chosen.value);
        }}
      >
        {options.map((option) => <option key={option.value} value={option.value}>{option.label}</option>)}
      </select>
      {hint !== undefined && <p className="field-hint" id={`${id}-more`}>{hint}</p>}
    </div>
  );
}

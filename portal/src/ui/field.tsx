import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, useId } from 'react';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly fault?: string | undefined;
  readonly optional?: boolean;
  readonly children: (control: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': true | undefined;
  }) => ReactNode;
}

/** A control with its label, its hint and what is wrong with it. */
export function Field({ label, hint, fault, optional, children }: FieldProps) {
  const id = useId();
  const described = [fault && `${id}-fault`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div className="grid content-start gap-1.5">
      <label
        htmlFor={id}
        className="flex items-baseline justify-between gap-3 text-sm font-medium wrap-anywhere"
      >
        {label}
        {optional && <span className="shrink-0 font-normal text-faint">Optional</span>}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': fault ? true : undefined })}
      {fault && (
        <p id={`${id}-fault`} role="alert" className="text-sm text-bad wrap-anywhere">
          {fault}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

type Shared = Omit<FieldProps, 'children'>;

export function TextField({
  label,
  hint,
  fault,
  optional,
  className = '',
  ...input
}: Shared & Omit<InputHTMLAttributes<HTMLInputElement>, 'id'>) {
  return (
    <Field label={label} hint={hint} fault={fault} optional={optional ?? false}>
      {(control) => <input {...control} {...input} className={`input ${className}`} />}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  fault,
  optional,
  children,
  ...select
}: Shared & Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id'>) {
  return (
    <Field label={label} hint={hint} fault={fault} optional={optional ?? false}>
      {(control) => (
        <select {...control} {...select} className="input">
          {children}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  label,
  hint,
  fault,
  optional: _,
  ...input
}: Omit<Shared, 'label'> & { label: ReactNode } & Omit<InputHTMLAttributes<HTMLInputElement>, 'id'>) {
  const id = useId();
  return (
    <div className="flex gap-3">
      <input
        {...input}
        type="checkbox"
        id={id}
        aria-describedby={
          [fault && `${id}-fault`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined
        }
        aria-invalid={fault ? true : undefined}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <div className="min-w-0 wrap-anywhere">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )}
        {fault && (
          <p id={`${id}-fault`} role="alert" className="text-sm text-bad wrap-anywhere">
            {fault}
          </p>
        )}
      </div>
    </div>
  );
}

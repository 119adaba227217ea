import { TextField } from '../ui/field.tsx';

export const MIN_PASSWORD = 12;

export function NewPasswordField({
  value,
  onChange,
  fault,
  label = 'Password',
  autoFocus = false,
}: {
  value: string;
  onChange: (password: string) => void;
  fault?: string | undefined;
  label?: string;
  autoFocus?: boolean;
}) {
  const left = MIN_PASSWORD - [...value].length;
  const hint =
    value !== '' && left > 0
      ? `${left} more ${left === 1 ? 'character' : 'characters'}.`
      : `At least ${MIN_PASSWORD} characters. A few words that only you would put together are best.`;
  return (
    <TextField
      label={label}
      type="password"
      name="new-password"
      autoComplete="new-password"
      required
      minLength={MIN_PASSWORD}
      maxLength={200}
      autoFocus={autoFocus}
      value={value}
      hint={hint}
      fault={fault}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

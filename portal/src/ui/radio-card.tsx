import type { ReactNode } from 'react';

export function RadioCard({
  name,
  title,
  note,
  checked,
  choose,
  disabled = false,
}: {
  name: string;
  title: string;
  note: ReactNode;
  checked: boolean;
  choose: () => void;
  disabled?: boolean;
}) {
  return (
    <label
      className={`flex gap-3 ${disabled ? 'cursor-not-allowed' : 'cursor-pointer'} rounded-md border p-3 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-accent-ink ${checked ? 'border-accent bg-accent-soft' : `border-line bg-surface ${disabled ? '' : 'hover:border-edge'}`}`}
    >
      <input
        type="radio"
        name={name}
        checked={checked}
        disabled={disabled}
        onChange={choose}
        className="mt-1 size-4 shrink-0 accent-accent outline-none"
      />
      <span className="min-w-0 wrap-anywhere">
        <span className="block font-medium">{title}</span>
        <span className={`block text-sm ${checked ? 'text-ink' : 'text-muted'}`}>{note}</span>
      </span>
    </label>
  );
}

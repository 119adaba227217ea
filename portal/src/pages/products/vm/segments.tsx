/** A choice of few, side by side. Real radio buttons: the arrow keys move between them. */
export function Segments({
  name,
  label,
  options,
  chosen,
  choose,
}: {
  name: string;
  label: string;
  options: readonly (readonly [value: string, title: string])[];
  chosen: string;
  choose: (value: string) => void;
}) {
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="flex w-fit max-w-full flex-wrap rounded-md border border-line bg-sunken p-0.5"
    >
      {options.map(([value, title]) => (
        <label
          key={value}
          className={`cursor-pointer rounded px-3 py-1.5 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent-ink max-md:py-2.5 ${value === chosen ? 'bg-surface font-medium text-ink shadow-(--glow)' : 'text-muted hover:text-ink'}`}
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={value === chosen}
            onChange={() => choose(value)}
          />
          {title}
        </label>
      ))}
    </div>
  );
}

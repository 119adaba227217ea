import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Icon } from '../../ui/icons.tsx';

/** The words stand in the address, so a filtered list can be sent to somebody. */
export function useFilter() {
  const { q = '' } = useSearch({ strict: false }) as { q?: string };
  const asked = q.toLowerCase().split(/\s+/).filter(Boolean);
  return { words: q, matches: (text: string) => asked.every((word) => text.toLowerCase().includes(word)) };
}

export function Filter({ label, placeholder }: { label: string; placeholder: string }) {
  const { words } = useFilter();
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const isTyping = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <div className="relative mb-4 max-w-[440px]">
      <Icon
        name="search"
        className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-faint"
      />
      <input
        ref={field}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder}
        className="input pl-9"
        value={words}
        onChange={(event) => {
          const q = event.target.value;
          void navigate({
            to: '.',
            search: (before: Record<string, string>) => ({ ...before, q }),
            replace: true,
          });
        }}
      />
    </div>
  );
}

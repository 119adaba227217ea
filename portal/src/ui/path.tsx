import { Fragment } from 'react';

/** A path of the API. It breaks after a slash where it must, and within a name only if that alone is too long. */
export function Path({ children, className = '' }: { children: string; className?: string }) {
  const parts = children.split(/(?<=\/)/);
  return (
    <code className={`min-w-0 break-words ${className}`}>
      {parts.map((part, i) => (
        <Fragment key={parts.slice(0, i).join('')}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </code>
  );
}

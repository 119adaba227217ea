import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../data/http.ts';
import type { PersonCall, Resource } from '../data/product.ts';
import type { List } from '../data/types.ts';
import { Code } from '../ui/code.tsx';
import { Loaded } from '../ui/states.tsx';

interface Sample {
  readonly language: string;
  readonly text: string;
}

/** The language that was looked at last is shown first the next time. */
let preferred = 'curl';

export interface Props {
  readonly made: PersonCall;
  /** For a call that reads a resource: the resource, for Terraform. */
  readonly shown?: Resource;
}

export default function Samples({ made: { call, path, query = {}, body }, shown }: Props) {
  const [language, setLanguage] = useState(preferred);
  const asked = { operation_id: call.id, path, query, body, shown };
  const samples = useQuery({
    queryKey: ['samples', asked],
    queryFn: ({ signal }) =>
      send<List<Sample>>('/portal/v1/samples', { method: 'POST', body: asked, signal }),
    staleTime: 60_000,
  });
  return (
    <div className="mt-3">
      <Loaded query={samples} rows={1}>
        {({ data }) => {
          const shown = data.find((each) => each.language === language) ?? data[0];
          if (shown === undefined) return null;
          return (
            <Code title={shown.language} text={shown.text} wrap>
              <select
                aria-label="Language"
                className="rounded border border-line bg-surface px-1 py-0.5 text-sm"
                value={shown.language}
                onChange={(event) => {
                  preferred = event.target.value;
                  setLanguage(preferred);
                }}
              >
                {data.map((each) => (
                  <option key={each.language}>{each.language}</option>
                ))}
              </select>
            </Code>
          );
        }}
      </Loaded>
    </div>
  );
}

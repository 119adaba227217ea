import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { iacQuery } from '../../data/queries.ts';
import type { IacList, IacPart } from '../../data/types.ts';
import { Code } from '../../ui/code.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Loaded, PageHead, Section } from '../../ui/states.tsx';
import { Hash } from './hash.tsx';

const groups = [
  {
    tool: 'terraform',
    kind: 'scenario',
    title: 'Terraform scenarios',
    note: 'Whole configurations to begin with.',
  },
  { tool: 'terraform', kind: 'module', title: 'Terraform modules', note: 'One for each resource.' },
  { tool: 'ansible', kind: 'scenario', title: 'Ansible playbooks', note: 'Whole playbooks to begin with.' },
  { tool: 'ansible', kind: 'role', title: 'Ansible roles', note: 'One for each resource.' },
];

async function textOf(path: string, signal: AbortSignal): Promise<string> {
  const answer = await fetch(`/iac/${path}`, { signal });
  if (!answer.ok) throw new Error(`The file ${path} could not be read. Reload the page.`);
  return answer.text();
}

function Files({ part, list }: { part: IacPart; list: IacList }) {
  const paths = list.files.map(({ path }) => path).filter((path) => path.startsWith(`${part.path}/`));
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = chosen ?? paths.find((path) => path.endsWith('README.md')) ?? paths[0] ?? '';
  const query = useQuery({
    queryKey: ['iac', list.specification_sha256, shown],
    queryFn: ({ signal }) => textOf(shown, signal),
  });
  return (
    <div className="mt-4 grid gap-3">
      <SelectField label="File" value={shown} onChange={(event) => setChosen(event.target.value)}>
        {paths.map((path) => (
          <option key={path} value={path}>
            {path.slice(part.path.length + 1)}
          </option>
        ))}
      </SelectField>
      <Loaded query={query} rows={4}>
        {(text) => (
          <Code title={shown} text={text} tall>
            <a className="btn btn-quiet btn-small" href={`/iac/${shown}`} download>
              Download
            </a>
          </Code>
        )}
      </Loaded>
    </div>
  );
}

function Part({ part, list }: { part: IacPart; list: IacList }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="card p-5">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0 flex-1">
          <h3 className="text-base">
            {part.title} <code className="text-sm text-muted">{part.name}</code>
          </h3>
          <p className="text-sm text-muted">{part.text}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          <button
            type="button"
            className="btn btn-plain btn-small"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Hide' : 'View'}
          </button>
          <a
            className="btn btn-plain btn-small"
            href={part.archive ? `/iac/${part.archive}` : list.archive}
            download
          >
            Download
          </a>
          <Link
            className="btn btn-plain btn-small"
            to="/api/keys"
            search={{ create: part.permissions.join(',') }}
          >
            Create a key with just these {part.permissions.length} permissions
          </Link>
        </div>
      </div>
      {isOpen && <Files part={part} list={list} />}
    </li>
  );
}

export default function InfrastructureAsCode() {
  const query = useQuery(iacQuery);
  return (
    <>
      <PageHead
        title="Infrastructure as Code"
        act={
          <a className="btn btn-primary" href={query.data?.archive ?? '/iac/'} download>
            Download all
          </a>
        }
      >
        Made from the live specification at this moment. Give the key only in the environment.
      </PageHead>
      <Loaded query={query} rows={6}>
        {(list) => (
          <>
            {groups.map(({ tool, kind, title, note }) => {
              const parts = list.parts.filter((part) => part.tool === tool && part.kind === kind);
              return parts.length === 0 ? null : (
                <Section key={title} title={title} note={note}>
                  <ul className="grid gap-3">
                    {parts.map((part) => (
                      <Part key={part.path} part={part} list={list} />
                    ))}
                  </ul>
                </Section>
              );
            })}
            <Hash etag={list.specification_sha256} />
          </>
        )}
      </Loaded>
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { iacQuery } from '../../data/queries.ts';
import type { IacList, IacPart } from '../../data/reference-types.ts';
import { siteQuery } from '../../data/session.ts';
import { count } from '../../data/words.ts';
import { Code } from '../../ui/code.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Loaded, PageHead, Section } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Hash } from './hash.tsx';

interface Tool {
  readonly name: 'terraform' | 'ansible';
  /** By kind of part: the title of the list, and what it has. */
  readonly groups: readonly (readonly [string, string, string])[];
  readonly start: (base: string, archive: string) => string;
}

const terraform: Tool = {
  name: 'terraform',
  groups: [
    ['scenario', 'Scenarios', 'Whole configurations to begin with.'],
    ['module', 'Modules', 'One for each resource of the API.'],
  ],
  start: (base, archive) => `curl -fsS ${base}${archive} | tar xz
export TF_VAR_hostplane_api_key=hpk1_…   # only here: it is written nowhere
cd terraform/scenarios/web-machine       # its README says which values it asks for
tofu init && tofu apply`,
};

const ansible: Tool = {
  name: 'ansible',
  groups: [
    ['scenario', 'Playbooks', 'Whole playbooks to begin with, with their settings.'],
    ['role', 'Roles', 'One for each resource of the API.'],
  ],
  start: (base, archive) => `curl -fsS ${base}${archive} | tar xz
ansible-galaxy collection install ./ansible
export HOSTPLANE_URL=${base}
export HOSTPLANE_API_KEY=hpk1_…          # only here: no output shows it
cd ansible/playbooks/web-machine         # write your own values into settings.yml
ansible-playbook playbook.yml -e @settings.yml --check --diff`,
};

async function textOf(path: string, signal: AbortSignal): Promise<string> {
  const answer = await fetch(`/iac/${path}`, { signal });
  if (!answer.ok) throw new Error(`The file ${path} could not be read. Reload the page.`);
  return answer.text();
}

function Files({ part, list }: { part: IacPart; list: IacList }) {
  const paths = list.files
    .map(({ path }) => path)
    .filter((path) => path === part.path || path.startsWith(`${part.path}/`));
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = chosen ?? paths.find((path) => path.endsWith('README.md')) ?? paths[0] ?? '';
  const query = useQuery({
    queryKey: ['iac', list.specification_sha256, shown],
    queryFn: ({ signal }) => textOf(shown, signal),
  });
  return (
    <div className="mt-4 grid gap-3">
      {paths.length > 1 && (
        <SelectField label="File" value={shown} onChange={(event) => setChosen(event.target.value)}>
          {paths.map((path) => (
            <option key={path} value={path}>
              {path.slice(part.path.length + 1)}
            </option>
          ))}
        </SelectField>
      )}
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

/** The README has the rest. */
const firstSentence = (text: string): string => text.replaceAll('`', '').replace(/(?<=\w[.]) [\s\S]*/, '');

function Part({ part, list }: { part: IacPart; list: IacList }) {
  const [isOpen, setOpen] = useState(false);
  const { name, title, text, archive, permissions } = part;
  return (
    <li className="border-b border-line px-5 py-4 last:border-b-0">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-80">
          <h3 className="text-base">
            {title} <code className="text-sm font-normal text-muted">{name}</code>
          </h3>
          <p className="max-w-[68ch] text-sm text-muted">{firstSentence(text)}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          <button
            type="button"
            className="btn btn-plain btn-small"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Hide' : 'View'} <span className="sr-only">{name}</span>
          </button>
          {archive && (
            <a className="btn btn-plain btn-small" href={`/iac/${archive}`} download>
              Download <span className="sr-only">{name}</span>
            </a>
          )}
          <Link
            className="btn btn-plain btn-small"
            to="/api/keys"
            search={{ create: permissions.join(',') }}
            title={`Create a key with just these: ${permissions.join(', ')}`}
          >
            Create key with {count(permissions.length, 'permission')}
            <span className="sr-only"> for {name}</span>
          </Link>
        </div>
      </div>
      {isOpen && <Files part={part} list={list} />}
    </li>
  );
}

export default function InfrastructureAsCode() {
  const query = useQuery(iacQuery);
  const base = useQuery(siteQuery).data?.api_base_url ?? location.origin;
  const tool = useLocation().pathname.endsWith('/ansible') ? ansible : terraform;
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
        Made from the live specification at this moment. Each part needs a key with few permissions: its
        button chooses just these.
      </PageHead>
      <Tabs
        label="Tools"
        tabs={[
          ['Terraform and OpenTofu', '/api/iac'],
          ['Ansible', '/api/iac/ansible'],
        ]}
      />
      <Loaded query={query} rows={6}>
        {(list) => (
          <>
            <Section title="Start">
              <Code title="Shell" text={tool.start(base, list.archive)} />
            </Section>
            {tool.groups.map(([kind, title, note]) => (
              <Section key={title} title={title} note={note}>
                <ul className="card">
                  {list.parts
                    .filter((part) => part.tool === tool.name && part.kind === kind)
                    .map((part) => (
                      <Part key={part.path} part={part} list={list} />
                    ))}
                </ul>
              </Section>
            ))}
            <Hash etag={list.specification_sha256} />
          </>
        )}
      </Loaded>
    </>
  );
}

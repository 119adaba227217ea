import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type Client, clients, FIRST_QUESTION, toolSentences } from '../../../../src/surfaces/mcp/setup.ts';
import { siteQuery } from '../../data/session.ts';
import { Code } from '../../ui/code.tsx';
import { Empty, PageHead, Section } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';

/** The first program has the address of the page itself. */
const pathOf = ({ id }: Client): string => (id === clients[0]?.id ? '/api/mcp' : `/api/mcp/${id}`);

/** What stands between backticks is code. */
const Sentence = ({ text }: { text: string }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their places.
  text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));

const CreateKey = ({ className, children }: { className: string; children: string }) => (
  <Link className={className} to="/api/keys" search={{ create: 'preset ai-agent' }}>
    {children}
  </Link>
);

export default function Mcp() {
  const base = useQuery(siteQuery).data?.api_base_url ?? location.origin;
  const { client: asked } = useParams({ strict: false });
  const chosen = clients.find(({ id }) => id === (asked ?? clients[0]?.id));
  return (
    <>
      <PageHead
        title="AI assistants"
        act={<CreateKey className="btn btn-primary">Create a key for an assistant</CreateKey>}
      >
        An assistant finds the right call, shows what it costs, and makes it, by the Model Context Protocol
        (MCP).
      </PageHead>
      <div className="max-w-[860px]">
        <Section
          title="1. Give it a key of its own"
          note={
            <>
              The preset <CreateKey className="link">AI agent, careful</CreateKey> reads and writes, but
              deletes nothing, and the key ends after 7 days. Put its secret where the steps below say{' '}
              <code>hpk1_your_key</code>.
            </>
          }
        >
          {null}
        </Section>
        <Section
          title="2. Connect your program"
          note={
            <>
              With <code>/mcp/readonly</code> in place of <code>/mcp</code>, an assistant sees everything that
              its key may see, and changes nothing.
            </>
          }
        >
          <Tabs label="Programs" tabs={clients.map((each) => [each.name, pathOf(each)])} />
          {chosen === undefined ? (
            <Empty title="There are no steps for this program">
              <Link className="link" to="/api/mcp/$client" params={{ client: 'other' }}>
                See the settings for any program
              </Link>
            </Empty>
          ) : (
            <Steps client={chosen} base={base} />
          )}
        </Section>
        <Section title="3. Ask" note={`Begin with what changes nothing: “${FIRST_QUESTION}”`}>
          {null}
        </Section>
        <Section title="What the assistant gets" note="A few tools reach every operation of the API.">
          <dl className="card divide-y divide-line">
            {Object.entries(toolSentences).map(([name, sentence]) => (
              <div key={name} className="grid gap-x-4 px-4 py-2.5 sm:grid-cols-[200px_minmax(0,1fr)]">
                <dt>
                  <code className="text-sm">{name}</code>
                </dt>
                <dd className="text-sm text-muted">
                  <Sentence text={sentence} />
                </dd>
              </div>
            ))}
          </dl>
        </Section>
        <Section title="What it cannot do alone">
          <p className="max-w-[68ch] text-muted">
            A call that destroys something, loses something for good or loosens a protection is rehearsed
            first, and changes nothing until the assistant confirms exactly what the rehearsal showed. With a
            key of the preset, such a call also waits until a person allows it under{' '}
            <Link className="link" to="/approvals">
              Approvals
            </Link>
            .
          </p>
        </Section>
      </div>
    </>
  );
}

function Steps({ client, base }: { client: Client; base: string }) {
  return (
    <ol className="grid list-decimal gap-5 pl-5 marker:text-muted">
      {client.steps(base).map(({ text, code }) => (
        <li key={text} className="min-w-0 pl-1">
          <p className="max-w-[68ch]">{text}</p>
          {code && (
            <div className="mt-2">
              <Code title={code.title} text={code.text} />
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

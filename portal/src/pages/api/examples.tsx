import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { installCommand, npmCommand } from '../../../../src/surfaces/cli-package/commands.ts';
import { FIRST_QUESTION, setups } from '../../../../src/surfaces/mcp/setup.ts';
import { siteQuery } from '../../data/session.ts';
import { Code } from '../../ui/code.tsx';
import { PageHead, Section } from '../../ui/states.tsx';
import { ciJob, curlTour, webhookReceiver } from './example-texts.ts';

export default function Examples() {
  const base = useQuery(siteQuery).data?.api_base_url ?? location.origin;
  return (
    <>
      <PageHead title="Examples">Ready to copy, with the address of this server in them.</PageHead>
      <div className="max-w-[860px]">
        <Section title="curl" note="Who am I, what would it cost, create, wait: the whole way in a shell.">
          <Code title="Shell" text={curlTour(base)} tall />
        </Section>
        <Section
          title="The command line"
          note={
            <>
              Every call is a command. It needs Node.js, installs without root, and runs on Linux and macOS;
              on Windows, use the line with npm.
            </>
          }
        >
          <Code
            title="Shell"
            text={`${installCommand(base)}\n# or: ${npmCommand(base)}\nhostplane login --url ${base}\nhostplane vm ls`}
          />
        </Section>
        <Section
          title="An AI assistant (MCP)"
          note={
            <>
              Create a key with the preset{' '}
              <Link className="link" to="/api/keys" search={{ create: 'preset ai-agent' }}>
                AI agent, careful
              </Link>
              , put it into one of these settings, and ask first: “{FIRST_QUESTION}”
            </>
          }
        >
          <div className="grid gap-4">
            {setups(base).map(({ title, settings }) => (
              <Code key={title} title={title} text={JSON.stringify(settings, null, 2)} />
            ))}
          </div>
        </Section>
        <Section
          title="A CI job"
          note={
            <>
              Store a key as the secret <code>HOSTPLANE_API_KEY</code>. The preset{' '}
              <Link className="link" to="/api/keys" search={{ create: 'preset ci-deploy' }}>
                CI deploy
              </Link>{' '}
              creates and changes, but cannot delete.
            </>
          }
        >
          <Code title=".github/workflows/deploy.yml" text={ciJob(base)} tall />
        </Section>
        <Section
          title="A webhook receiver"
          note={
            <>
              Verifies the signature before it believes a message. Declare it with{' '}
              <Link className="link" to="/api/reference/$operation" params={{ operation: 'setWebhook' }}>
                setWebhook
              </Link>
              , which answers with the secret.
            </>
          }
        >
          <Code title="receiver.mjs" text={webhookReceiver} tall />
        </Section>
      </div>
    </>
  );
}

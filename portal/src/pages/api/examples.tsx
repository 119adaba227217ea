import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { installCommand, npmCommand } from '../../../../src/surfaces/cli-package/commands.ts';
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
          title="An AI assistant"
          note={
            <>
              Claude, Cursor, VS Code and others connect by MCP:{' '}
              <Link className="link" to="/api/mcp">
                steps for each program
              </Link>
              .
            </>
          }
        >
          {null}
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

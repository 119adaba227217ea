import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { keyOptionsQuery, keysQuery } from '../../data/queries.ts';
import { chooseAccount, maySee, useAccount, useMe } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { Copy } from '../../ui/code.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Empty, Loaded, PageHead } from '../../ui/states.tsx';
import { AllowForm } from './allow-form.tsx';
import { addressBack, type Question, readQuestion } from './question.ts';

/** Kept for the tab: if the browser cannot reach the command line, the button "Back" shows the code again. */
const kept = (question: Question | null): string => `hp-cli-login ${question?.challenge}`;

export default function CliLogin() {
  const { challenge, computer } = useSearch({ strict: false }) as { challenge?: string; computer?: string };
  const { port, state } = useSearch({ strict: false }) as { port?: string; state?: string };
  const question = readQuestion({ challenge, computer, port, state });
  const [code, setCode] = useState(() => sessionStorage.getItem(kept(question)));
  const account = useAccount();
  if (question === null)
    return (
      <>
        <PageHead title="Log in at the command line" />
        <Empty title="This address is not complete">
          Run <code>hostplane login</code> in a terminal. It opens this page with all that is needed.
        </Empty>
      </>
    );
  const allowed = (given: string): void => {
    sessionStorage.setItem(kept(question), given);
    setCode(given);
    if (question.back !== null) location.assign(addressBack(question.back, { code: given }));
  };
  return (
    <div className="max-w-[720px]">
      <PageHead title="Log in at the command line">
        A command line on the computer <Quoted text={question.computer} /> asks for an API key.
      </PageHead>
      {code === null ? (
        <Asked question={question} account={account} allowed={allowed} />
      ) : (
        <AllowedCode code={code} question={question} />
      )}
    </div>
  );
}

/** Text of a stranger: it stays apart from the words of the page, and breaks anywhere. */
const Quoted = ({ text }: { text: string }) => (
  <span className="font-medium [overflow-wrap:anywhere] text-ink">
    “<bdi>{text}</bdi>”
  </span>
);

interface Props {
  readonly question: Question;
  readonly account: Account;
  readonly allowed: (code: string) => void;
}

function Asked({ question, account, allowed }: Props) {
  const accounts = useMe()?.accounts ?? [];
  const options = useQuery({ ...keyOptionsQuery(account), enabled: maySee(account) });
  const keys = useQuery({ ...keysQuery(account), enabled: maySee(account) });
  return (
    <>
      <div className="mb-6">
        <Notice tone="warn">
          Go on only if you have just run <code>hostplane login</code> yourself, on that computer. Whoever
          gets the key can act for you.
        </Notice>
      </div>
      <div className="mb-5">
        <SelectField
          label="Account"
          hint="The key works in this account only."
          value={account.id}
          onChange={(event) => chooseAccount(event.target.value)}
        >
          {accounts.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
      {maySee(account) ? (
        <Loaded query={options}>
          {(choices) => (
            <Loaded query={keys}>
              {({ data }) => (
                <AllowForm
                  question={question}
                  account={account}
                  options={choices}
                  keys={data}
                  allowed={allowed}
                />
              )}
            </Loaded>
          )}
        </Loaded>
      ) : (
        <Notice tone="warn">The role billing may not own keys.</Notice>
      )}
    </>
  );
}

function AllowedCode({ code, question }: { code: string; question: Question }) {
  return (
    <>
      <div className="mb-4">
        <Notice tone="good">
          Allowed.{' '}
          {question.back === null
            ? 'Enter this code in your terminal within two minutes.'
            : 'Your terminal goes on by itself. If it does not, enter this code there within two minutes.'}
        </Notice>
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-3 rounded-lg border border-accent bg-accent-soft p-3.5">
        <code data-secret className="min-w-0 flex-1 font-medium break-all text-accent-ink">
          {code}
        </code>
        <Copy text={code} label="Copy the code" className="btn btn-primary" />
      </div>
      <p className="mt-3 text-sm text-muted">
        The code works once, and only in the terminal that asked. Give it to nobody: no provider asks for it.
      </p>
    </>
  );
}

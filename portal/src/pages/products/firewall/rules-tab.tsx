import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../data/http.ts';
import { perform, refreshNouns, rehearse } from '../../../data/product.ts';
import { useAccount } from '../../../data/session.ts';
import type { Foreseen } from '../../../data/types.ts';
import { useFaults } from '../../../form/faults.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Button } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { Leaving } from '../../../ui/leaving.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { ProblemNotice } from '../../../ui/notice.tsx';
import { Table } from '../../../ui/rows.tsx';
import { Empty } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useAct } from '../../../ui/use-act.ts';
import { AllFields } from './all-fields.tsx';
import { ApplyDialog } from './apply-dialog.tsx';
import { Conflict } from './conflict.tsx';
import { RuleRow } from './rule-row.tsx';
import {
  changeOf,
  type Draft,
  type Edits,
  editsOf,
  type FirewallRow,
  isSameWall,
  markOf,
  newDraft,
  presets,
  type Rule,
} from './rules.ts';

const MOST_RULES = 100;
const COLUMNS = ['Rule', 'Direction', 'Action', 'Protocol', 'Ports', 'Other side', 'Description', 'Acts'];

const CHANGED = 412;
const NOT_VALID = 422;

/** All rules at once: nothing is sent until people have read what it would do. */
export default function RulesTab({ found: { row, noun, path, acts } }: { found: Found }) {
  const firewall = row as unknown as FirewallRow;
  const account = useAccount();
  const client = useQueryClient();
  // The firewall that the edits begin with. While nothing is edited, it is the newest one.
  const [start, setStart] = useState(firewall);
  const [edits, setEdits] = useState<Edits>(() => editsOf(firewall));
  const [foreseen, setForeseen] = useState<Foreseen | null>(null);
  const [opened, setOpened] = useState<string | null>(null);
  const body = changeOf(start, edits);
  const isEdited = Object.keys(body).length > 0;
  const isNewer = firewall.updated_at > start.updated_at;
  const begin = (from: FirewallRow): void => {
    setStart(from);
    setEdits(editsOf(from));
  };
  if (isNewer && !isEdited) begin(firewall);
  // Another name or attachment is nobody's conflict.
  const etag = isSameWall(start, firewall) ? firewall.etag : start.etag;
  const made = { call: noun.update!, path, body, etag };
  const review = useAct(async () => setForeseen(await rehearse(account, made)));
  const apply = useAct(async () => {
    try {
      begin((await perform(account, made)) as unknown as FirewallRow);
    } catch (error) {
      // Its place is above the table: there people see what they can do.
      if (isConflict(error)) setForeseen(null);
      throw error;
    } finally {
      refreshNouns(client, account.id);
    }
    setForeseen(null);
    toast(`The rules of ${firewall.name} are applied`);
  });
  const faults = useFaults(review.error);
  const hasConflict =
    isEdited && (isConflict(review.error ?? apply.error) || (isNewer && !isSameWall(start, firewall)));
  const forget = (): void => {
    review.clear();
    apply.clear();
  };
  const set = (drafts: readonly Draft[]): void => setEdits({ ...edits, drafts });
  const add = (rules: readonly Partial<Draft>[]): void =>
    set([...edits.drafts, ...rules.map((each) => newDraft(each))]);
  const changeAt = (at: number, values: Partial<Draft>): void => {
    for (const member of Object.keys(values)) faults.changed(`/rules/${at}/${member}`);
    set(edits.drafts.map((draft, i) => (i === at ? { ...draft, ...values, isNew: false } : draft)));
  };
  const faultAt = (at: number) => (member: string) => {
    const pointer = `/rules/${at}${member === '' ? '' : `/${member}`}`;
    const inside = Array.from({ length: MOST_RULES }, (_, i) => `${pointer}/${i}`);
    return [pointer, ...(member === '' ? [] : inside)].map(faults.faults).find((text) => text !== undefined);
  };
  const why = acts.find(({ call }) => call.id === noun.update?.id)?.why;
  const isFull =
    edits.drafts.length >= MOST_RULES ? `A firewall has ${MOST_RULES} rules at most.` : undefined;
  const openAt = edits.drafts.findIndex(({ key }) => key === opened);
  const opening = edits.drafts[openAt];
  const addRules = (
    <div className="flex flex-wrap gap-2">
      <Button why={why ?? isFull} onClick={() => add([{}])}>
        <Icon name="plus" />
        Add rule
      </Button>
      {why === undefined && isFull === undefined && (
        <Menu
          label="Add a common rule"
          align="left"
          className="btn btn-plain"
          items={presets.map(({ label, rules }) => ({ label, run: () => add(rules) }))}
        >
          <span aria-hidden="true">Common</span>
          <Icon name="down" />
        </Menu>
      )}
    </div>
  );
  return (
    <>
      <Leaving
        title="Leave without applying the rules?"
        text="Your edits are only on this page. They are lost when you leave it."
        isEdited={() => isEdited}
      />
      {hasConflict && (
        <Conflict
          firewall={firewall}
          compare={() => {
            setStart(firewall);
            forget();
          }}
          drop={() => {
            begin(firewall);
            forget();
          }}
        />
      )}
      <fieldset disabled={why !== undefined} className="min-w-0">
        <legend className="sr-only">Rules and defaults of {firewall.name}</legend>
        <p className="mb-3 text-muted">
          A rule lets connections through or drops them, and is in force for all machines at once. What no
          rule is about goes by the defaults.
        </p>
        <div className="mb-5 grid max-w-[560px] gap-4 sm:grid-cols-2">
          <Default
            label="Arriving, by default"
            value={edits.default_in}
            change={(default_in) => setEdits({ ...edits, default_in })}
          />
          <Default
            label="Outgoing, by default"
            value={edits.default_out}
            change={(default_out) => setEdits({ ...edits, default_out })}
          />
        </div>
        {why && <p className="mb-4 text-sm text-muted">{why}</p>}
        {edits.drafts.length === 0 ? (
          <Empty title="No rules" act={addRules}>
            The defaults above are about every connection.
          </Empty>
        ) : (
          <>
            {/* On a small screen that is wide enough for a table, its fields need the room between them. */}
            <div className="lg:max-xl:[&_td]:px-1.5 lg:max-xl:[&_th]:px-1.5">
              <Table label="Rules" columns={COLUMNS}>
                {edits.drafts.map((draft, at) => (
                  <RuleRow
                    key={draft.key}
                    draft={draft}
                    number={at + 1}
                    mark={markOf(start, draft)}
                    fault={faultAt(at)}
                    change={(values) => changeAt(at, values)}
                    open={() => setOpened(draft.key)}
                    duplicate={() => set(edits.drafts.toSpliced(at + 1, 0, newDraft(draft)))}
                    remove={() => set(edits.drafts.toSpliced(at, 1))}
                  />
                ))}
              </Table>
            </div>
            <div className="mt-4">{addRules}</div>
          </>
        )}
      </fieldset>
      {isEdited && (
        <div className="sticky bottom-0 z-10 -mx-1 mt-5 flex flex-wrap items-center gap-3 rounded-lg border border-line bg-raised px-4 py-3 shadow-(--lift) max-md:bottom-2">
          <div className="min-w-0 flex-1 basis-[180px]">
            <p role="status">{summaryOf(start, edits)}</p>
            {!hasConflict && <Refusal error={review.error} count={faults.count} />}
          </div>
          <div className="flex gap-2">
            <Button
              onClick={() => {
                begin(firewall);
                forget();
              }}
            >
              Drop edits
            </Button>
            <Button
              kind="primary"
              busy={review.busy}
              why={why ?? (hasConflict ? 'Choose above what happens to your edits first.' : undefined)}
              onClick={() => {
                apply.clear();
                void review.run();
              }}
            >
              Apply
            </Button>
          </div>
        </div>
      )}
      {opening && (
        <AllFields
          draft={opening}
          number={openAt + 1}
          path={path}
          change={(draft) => changeAt(openAt, draft)}
          close={() => setOpened(null)}
        />
      )}
      {foreseen && (
        <ApplyDialog
          firewall={firewall}
          foreseen={foreseen}
          busy={apply.busy}
          error={apply.error}
          apply={() => void apply.run()}
          close={() => setForeseen(null)}
        />
      )}
    </>
  );
}

const isConflict = (error: unknown): boolean => error instanceof Problem && error.status === CHANGED;
const isAtFields = (error: unknown): boolean => error instanceof Problem && error.status === NOT_VALID;

/** What is wrong with a field stands there. */
function Refusal({ error, count: left }: { error: unknown; count: number }) {
  if (!isAtFields(error)) return <ProblemNotice error={error} />;
  return left === 0 ? null : (
    <p role="alert" className="text-sm text-bad">
      Not valid yet: see what is marked above.
    </p>
  );
}

function summaryOf(start: FirewallRow, { default_in, default_out, drafts }: Edits): string {
  const marks = drafts.map((draft) => markOf(start, draft));
  const left = new Set(drafts.map(({ key }) => key));
  const counts = [
    [marks.filter((mark) => mark === 'new').length, 'new'],
    [marks.filter((mark) => mark === 'changed').length, 'changed'],
    [start.rules.filter(({ id }) => !left.has(id)).length, 'removed'],
  ] as const;
  const parts = counts.filter(([each]) => each > 0).map(([each, word]) => `${each} ${word}`);
  const hasDefaults = default_in !== start.default_in || default_out !== start.default_out;
  return `Not applied yet: ${[...parts, ...(hasDefaults ? ['other defaults'] : [])].join(', ')}.`;
}

function Default(props: { label: string; value: Rule['action']; change: (value: Rule['action']) => void }) {
  return (
    <SelectField
      label={props.label}
      value={props.value}
      onChange={({ target }) => props.change(target.value as Rule['action'])}
    >
      <option value="allow">Allow</option>
      <option value="drop">Drop</option>
    </SelectField>
  );
}

import { allowlistModes } from '../../../kernel/access/tables.ts';
import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { OneOf, Shape, Time, Type } from '../../../kernel/schema.ts';
import { addAllowlistEntry, removeAllowlistEntry } from '../../../portal-api/allowlist/entries.ts';
import { setAllowlistMode } from '../../../portal-api/allowlist/mode.ts';
import { previewEnforce, showAllowlist } from '../../../portal-api/allowlist/view.ts';
import { Line } from '../../../portal-api/input.ts';
import { namesOf } from '../../../portal-api/members/names.ts';
import { act } from '../act.ts';
import { Allowlist, AllowlistShape, Preview, PreviewShape } from '../answers.ts';
import { EntryShape, Nothing, Warnings } from '../shapes.ts';
import { renamed } from './keys.ts';

const PATH = '/accounts/{account_id}/allowlist';

export const allowlistActs = [
  act({
    id: 'getIpAllowlist',
    method: 'GET',
    path: PATH,
    summary: 'See the IP allowlist of the account',
    input: Nothing,
    answer: AllowlistShape,
    authority: 'reader',
    reauthentication: false,
    audit: 'none',
    async handle({ services, accountId, context }) {
      const { mode_changed, entries, ...list } = await showAllowlist(services.db, accountId);
      const labels = [mode_changed?.by ?? null, ...entries.map(({ created }) => created.by)];
      const nameOf = await namesOf(services.db, accountId, labels);
      return {
        ...list,
        mode_changed: mode_changed && { ...mode_changed, by: nameOf(mode_changed.by) },
        entries: entries.map((entry) => ({
          ...entry,
          created: { ...entry.created, by: nameOf(entry.created.by) },
        })),
        my_address: context.clientIp,
      };
    },
  }),
  act({
    id: 'previewEnforce',
    method: 'GET',
    path: `${PATH}/enforce-preview`,
    summary: 'See whom Enforce would cut off',
    input: Nothing,
    answer: PreviewShape,
    authority: 'reader',
    reauthentication: false,
    audit: 'none',
    handle: ({ services, accountId }) => previewEnforce(services.db, accountId),
  }),
  act({
    id: 'addIpAllowlistEntry',
    method: 'POST',
    path: `${PATH}/entries`,
    summary: 'Add an address range to the IP allowlist',
    input: Shape({
      cidr: Type.String({ minLength: 1, maxLength: 64, ...addressFor('caller_range') }),
      note: Type.Optional(Line(0, 100)),
      expires_at: Type.Optional(Time),
    }),
    answer: Shape({ entry: EntryShape, warnings: Warnings }),
    status: 201,
    authority: 'admin',
    reauthentication: true,
    audit: 'account',
    handle: ({ services, actor, accountId }, input) =>
      addAllowlistEntry(services.db, actor, { account_id: accountId, ...input }, services.provider.catalogue),
  }),
  act({
    id: 'removeIpAllowlistEntry',
    method: 'DELETE',
    path: `${PATH}/entries/{entry_id}`,
    summary: 'Remove an address range from the IP allowlist',
    input: Nothing,
    answer: EntryShape,
    authority: 'admin',
    reauthentication: true,
    audit: 'account',
    handle: ({ services, actor, accountId, params }) =>
      removeAllowlistEntry(services.db, actor, {
        account_id: accountId,
        entry_id: params['entry_id'] ?? '',
      }),
  }),
  act({
    id: 'setIpAllowlistMode',
    method: 'PUT',
    path: `${PATH}/mode`,
    summary: 'Switch the IP allowlist to Off, Report only or Enforce',
    input: Shape({
      mode: OneOf(allowlistModes),
      /** How many pairs of key and address the person has seen in the preview. */
      confirm_cut_off: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
    answer: Shape({ ...Allowlist, ...Preview }),
    authority: 'admin',
    reauthentication: true,
    audit: 'account',
    async handle({ services, actor, accountId, context }, { mode, confirm_cut_off: confirm }) {
      const input = { account_id: accountId, mode, ...(confirm === undefined ? {} : { confirm }) };
      const changed = await setAllowlistMode(services.db, actor, input).catch((error: unknown) => {
        throw renamed(error, '/confirm', '/confirm_cut_off');
      });
      return { ...changed, my_address: context.clientIp };
    },
  }),
];

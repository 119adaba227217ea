/** Fills forms that are made from the document as people do: by the labels of the fields, with what they offer. */
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { Resolve, Schema } from '../../../portal/src/form/document.ts';
import { type Kind, kindOf } from '../../../portal/src/form/kinds.ts';
import { membersOf, requiredOf } from '../../../portal/src/form/when.ts';
import { labelOf, localTime, valuesOf } from '../../../portal/src/form/words.ts';

type Obj = Readonly<Record<string, unknown>>;

interface Member {
  /** The form, or the part of it that has the field. */
  readonly scope: Locator;
  readonly label: string;
  readonly schema: Schema;
  readonly value: unknown;
  readonly resolve: Resolve;
}

/** The whole name of a field, which may say that it is optional. */
const named = (label: string): RegExp =>
  new RegExp(`^${label.replaceAll(/[^\w ]/g, (sign) => `\\${sign}`)}\\s*(Optional)?$`);

const fieldOf = ({ scope, label }: Member): Locator => scope.getByLabel(named(label)).first();
const boxOf = ({ scope, label }: Member): Locator =>
  scope.getByRole('group', { name: named(label), includeHidden: true }).first();

/** Opens what the field is folded in. */
async function unfold(field: Locator): Promise<void> {
  const folds = field.locator('xpath=ancestor::details[not(@open)]');
  if ((await folds.count()) > 0) await folds.first().locator('summary').first().click();
}

/** Picks one of those that are offered: what is not offered cannot be picked. */
async function pick(field: Locator, value: string): Promise<void> {
  await unfold(field);
  await expect.poll(() => field.isDisabled()).toBe(false);
  const isList = (await field.evaluate((control) => control.nodeName)) === 'SELECT';
  if (isList) {
    await field.selectOption(value);
    return;
  }
  await field.fill(value);
  await field.press('Enter');
}

async function fillRows(member: Member, texts: readonly (readonly [label: string, text: string][])[]) {
  const box = boxOf(member);
  await unfold(box);
  for (const row of texts) {
    await box.getByRole('button', { name: `Add to ${member.label}` }).click();
    for (const [label, text] of row) await box.getByLabel(label, { exact: true }).last().fill(text);
  }
}

const alternativesOf = (schema: Schema): readonly [by: string, mapping: Readonly<Record<string, string>>] => {
  const { propertyName, mapping } = schema['discriminator'] as {
    propertyName: string;
    mapping: Record<string, string>;
  };
  return [propertyName, mapping];
};

async function choose(box: Locator, at: number, field: Locator, value: string): Promise<void> {
  if ((await box.getByRole('radio').count()) > 0) await box.getByRole('radio').nth(at).check();
  else await field.selectOption(value);
}

const type = async (member: Member): Promise<void> => {
  const field = fieldOf(member);
  await unfold(field);
  await field.fill(String(member.value));
};

const fillers: Readonly<Record<Kind, (member: Member) => Promise<void>>> = {
  text: type,
  'long-text': type,
  secret: type,
  number: type,
  time: (member) => type({ ...member, value: localTime(member.value) }),
  reference: (member) => pick(fieldOf(member), String(member.value)),
  async references(member) {
    for (const each of member.value as readonly string[]) await pick(fieldOf(member), each);
  },
  async events(member) {
    for (const each of member.value as readonly string[]) await pick(fieldOf(member), each);
  },
  async choice(member) {
    const box = boxOf(member);
    const at = valuesOf(member.schema).findIndex(({ value }) => value === member.value);
    await choose(box, at, fieldOf(member), String(member.value));
  },
  async choices(member) {
    for (const each of member.value as readonly string[])
      await boxOf(member)
        .getByRole('checkbox', { name: new RegExp(`^${each}`) })
        .check();
  },
  async flag(member) {
    const field = fieldOf(member);
    await unfold(field);
    const isList = (await field.evaluate((control) => control.nodeName)) === 'SELECT';
    if (isList) await field.selectOption(String(member.value));
    else await field.setChecked(member.value === true);
  },
  texts: (member) =>
    fillRows(
      member,
      (member.value as readonly unknown[]).map((each, i) => [[`${member.label} ${i + 1}`, String(each)]]),
    ),
  pairs: (member) => fillRows(member, pairsOf(member)),
  settings: (member) => fillRows(member, pairsOf(member)),
  async group(member) {
    const box = boxOf(member);
    if ((await box.count()) === 0)
      await member.scope.getByRole('button', { name: member.label, exact: true }).click();
    await unfold(box);
    await fillForm(box, member.schema, member.value as Obj, member.resolve);
  },
  async alternatives({ scope, label, schema, value, resolve }) {
    const box = boxOf({ scope, label, schema, value, resolve });
    const [by, mapping] = alternativesOf(schema);
    const { [by]: chosen, ...others } = value as Obj;
    const at = Object.keys(mapping).indexOf(String(chosen));
    await choose(box, at, box.getByLabel(named(labelOf(by, {}))), String(chosen));
    await fillForm(box, resolve({ $ref: mapping[String(chosen)] }), others, resolve);
  },
  async items(member) {
    const box = boxOf(member);
    await unfold(box);
    const item = member.resolve(member.schema['items'] as Schema);
    for (const [i, each] of (member.value as readonly Obj[]).entries()) {
      await box.getByRole('button', { name: `Add to ${member.label}` }).click();
      const one = box.getByRole('group', { name: new RegExp(` ${i + 1}$`) }).first();
      await fillForm(one, item, each, member.resolve);
    }
  },
};

const pairsOf = ({ value }: Member): [string, string][][] =>
  Object.entries(value as Obj).map(([key, text], i) => [
    [`Name ${i + 1}`, key],
    [`Value ${i + 1}`, String(text)],
  ]);

/** Fills the field of each member of the value. Members that the form does not have fail. */
export async function fillForm(scope: Locator, schema: Schema, value: Obj, resolve: Resolve): Promise<void> {
  const members = Object.entries(membersOf(schema)).filter(([name]) => value[name] !== undefined);
  for (const [name, each] of members) {
    const found = resolve(each);
    const kind = kindOf(found, resolve) ?? 'text';
    const member = { scope, label: labelOf(name, found), schema: found, value: value[name], resolve };
    await fillers[kind](member);
  }
}

const GROUPS: readonly Kind[] = ['group', 'alternatives', 'items', 'texts', 'pairs', 'settings', 'choices'];

/** The field, or the group of fields, that the document describes. */
export function fieldNamed(scope: Locator, name: string, schema: Schema, resolve: Resolve): Locator {
  const found = resolve(membersOf(schema)[name] ?? {});
  const kind = kindOf(found, resolve) ?? 'text';
  const member = { scope, label: labelOf(name, found), schema: found, value: undefined, resolve };
  if (kind === 'choice') return fieldOf(member).or(boxOf(member));
  return GROUPS.includes(kind) ? boxOf(member) : fieldOf(member);
}

/** Of a value, what the schema requires, and the members that are asked for. */
export function neededOf(
  schema: Schema,
  value: unknown,
  resolve: Resolve,
  asked: readonly string[] = [],
): unknown {
  const found = resolve(schema);
  if (Array.isArray(value))
    return value
      .slice(0, Math.max(1, Number(found['minItems'] ?? 1)))
      .map((each) => neededOf((found['items'] ?? {}) as Schema, each, resolve));
  if (typeof value !== 'object' || value === null) return value;
  if (found['discriminator'] !== undefined) {
    const [by, mapping] = alternativesOf(found);
    return neededOf({ $ref: mapping[String((value as Obj)[by])] }, value, resolve);
  }
  const members = membersOf(found);
  if (Object.keys(members).length === 0) return value;
  const isNeeded = (name: string): boolean => requiredOf(found).includes(name) || asked.includes(name);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => isNeeded(name))
      .map(([name, each]) => [name, neededOf(members[name] ?? {}, each, resolve)]),
  );
}

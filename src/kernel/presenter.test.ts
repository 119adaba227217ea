import { describe, expect, it } from 'vitest';
import { etagOf } from './etag.ts';
import { presenter, type Viewer } from './presenter.ts';
import { CreatedAt, Etag, Labels, Nullable, OwnId, Shape, Time, Type } from './schema.ts';

const Tool = Shape({
  id: OwnId('tool'),
  labels: Labels,
  sizes: Type.Array(Type.Integer()),
  is_sharp: Type.Boolean(),
  used_at: Nullable(Time),
  etag: Etag,
  created_at: CreatedAt,
});

interface ToolRow {
  readonly id: string;
  readonly version: number;
  readonly labels: Record<string, string>;
  readonly sizes: readonly number[];
  readonly sharpness: number;
  readonly used_at: Date | null;
  readonly created_at: Date;
}

const call = { now: new Date(), services: {} } as unknown as Viewer;
const row: ToolRow = {
  id: 'tool_1',
  version: 3,
  labels: { env: 'prod' },
  sizes: [1, 2],
  sharpness: 7,
  used_at: null,
  created_at: new Date('2026-03-01T10:00:00Z'),
};

describe('a presenter', () => {
  const present = presenter(Tool, { compute: ({ sharpness }: ToolRow) => ({ is_sharp: sharpness > 5 }) });

  it('shows columns by their name, times as text, the etag and what is computed, and no other column', () => {
    expect(present(call, row)).toEqual({
      id: 'tool_1',
      labels: { env: 'prod' },
      sizes: [1, 2],
      is_sharp: true,
      used_at: null,
      etag: etagOf('tool_1', 3),
      created_at: '2026-03-01T10:00:00.000Z',
    });
  });

  it('keeps the order of the schema, so that answers read like their documentation', () => {
    expect(Object.keys(present(call, row))).toEqual(Object.keys(Tool.properties));
  });

  it('prefers what is computed to the column of the same name', () => {
    const other = presenter(Tool, {
      compute: (each: ToolRow) => ({ is_sharp: false, used_at: each.created_at.toISOString() }),
    });
    expect(other(call, row)).toMatchObject({ is_sharp: false, used_at: '2026-03-01T10:00:00.000Z' });
  });

  it('does not compile without a computed member', () => {
    // @ts-expect-error `is_sharp` is neither a column nor computed.
    presenter(Tool, { compute: (_: ToolRow) => ({}) });
    // @ts-expect-error There is something to compute.
    presenter<typeof Tool, ToolRow>(Tool, {});
    // @ts-expect-error The column of this name is a number, not a boolean.
    presenter(Tool, { compute: (_: Omit<ToolRow, 'sharpness'> & { is_sharp: number }) => ({}) });
  });
});

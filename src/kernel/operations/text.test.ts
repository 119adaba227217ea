import { expect, it } from 'vitest';
import { exampleOperation } from '../../families/account/operations/example.ts';
import type { OperationView } from './schema.ts';
import { operationText } from './text.ts';

const linesOf = (values: Partial<OperationView>): string[] =>
  operationText({ ...(exampleOperation as OperationView), id: 'op_1', type: 'vm.resize', ...values })
    .trimEnd()
    .split('\n');

const resource = { type: 'vm', id: 'vm_1', name: 'web' };
const failed = { resource, status: 'failed' } as const;

it('says what failed, why, and what to do next, each in a line of its own', () => {
  const error = { code: 'engine_failed', detail: 'The disk is broken.', retryable: false };
  expect(linesOf({ ...failed, error })).toEqual([
    'The operation vm.resize of web has failed (engine_failed)',
    'The disk is broken.',
    'Change what you asked for, or ask your provider about op_1.',
    'Operation op_1',
  ]);
});

it('gives the next step of the catalogue for a problem, unless the same may succeed now', () => {
  const error = { code: 'not_found', detail: 'It is gone.', retryable: false };
  expect(linesOf({ ...failed, error })[2]).toContain('Check the id');
  expect(linesOf({ ...failed, error: { ...error, retryable: true } })[2]).toBe('Try the same again.');
});

it('says what an operation does that has not failed', () => {
  const running = {
    resource: { ...resource, name: null },
    status: 'running',
    step: 'copy',
    error: null,
  } as const;
  expect(linesOf(running)[0]).toBe('The operation vm.resize of vm_1 is running: copy');
  expect(linesOf({ ...running, status: 'cancelled' })[0]).toBe(
    'The operation vm.resize of vm_1 was cancelled',
  );
});

import type { EventType, NewEvent } from '../kernel/events/event.ts';
import { Shape, Type } from '../kernel/schema.ts';

const endings = ['created', 'updated', 'deleted'] as const;

export const widgetEvents: readonly EventType[] = endings.map((ending) => ({
  type: `widget.${ending}`,
  severity: 'info',
  when: `A widget was ${ending}.`,
  data: Shape({ size: Type.Integer() }),
}));

export function widgetEvent(
  ending: (typeof endings)[number],
  { id, name, size }: { readonly id: string; readonly name: string; readonly size: number },
): NewEvent {
  const resource = { type: 'widget', id, name };
  return { type: `widget.${ending}`, resource, message: `The widget ${name} was ${ending}.`, data: { size } };
}

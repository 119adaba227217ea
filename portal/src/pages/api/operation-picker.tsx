import type { OperationIndex } from '../../data/reference-types.ts';
import { SelectField } from '../../ui/field.tsx';

export function OperationPicker({
  index,
  value,
  choose,
}: {
  index: OperationIndex;
  value: string;
  choose: (id: string) => void;
}) {
  return (
    <div className="w-full max-w-[440px]">
      <SelectField label="Operation" value={value} onChange={(event) => choose(event.target.value)}>
        {index.families.flatMap(({ name, resources }) =>
          resources.map(({ name: id, title, operations }) => (
            <optgroup key={`${name} ${id}`} label={`${name} · ${title}`}>
              {operations.map((operation) => (
                <option key={operation.id} value={operation.id}>
                  {operation.summary} ({operation.id})
                </option>
              ))}
            </optgroup>
          )),
        )}
      </SelectField>
    </div>
  );
}

import type { Resource } from '../../../data/product.ts';
import { formatNumber } from '../../../data/sizes.ts';
import { spoken } from '../../../data/words.ts';
import type { Schema } from '../../../form/document.ts';
import { ObjectForm } from '../../../form/form.tsx';
import type { Creation } from '../../../resource/create.tsx';
import { PriceText } from '../../../resource/value.tsx';
import { isPrice } from '../../../resource/values.ts';
import { cheapest, monthlyOf, soldHere } from './choose.ts';
import { Segments } from './segments.tsx';

const CUSTOM = 'custom';

const titles: Readonly<Record<string, string>> = { [CUSTOM]: 'Own size' };

interface Props {
  readonly creation: Creation;
  readonly plans: readonly Resource[];
  readonly set: (members: Resource) => void;
}

export function Plans({ creation, plans, set }: Props) {
  const { described, body } = creation;
  const categories = [...new Set(plans.map(({ category }) => String(category)))].toSorted(
    (a, b) => Number(a === CUSTOM) - Number(b === CUSTOM),
  );
  const chosen = plans.find(({ slug }) => slug === body['plan']);
  const category = body['custom_size'] === undefined ? String(chosen?.['category'] ?? categories[0]) : CUSTOM;
  const inCategory = plans
    .filter((plan) => plan['category'] === category)
    .toSorted((a, b) => monthlyOf(a) - monthlyOf(b));
  const custom = plans.find((plan) => plan['category'] === CUSTOM);
  const show = (next: string): void => {
    if (next === CUSTOM) {
      const { vcpus, memory_mb, disk_gb } = custom ?? {};
      set({ plan: undefined, disk_gb: undefined, custom_size: { vcpus, memory_mb, disk_gb } });
    } else {
      const first = cheapest(plans.filter((plan) => plan['category'] === next));
      set({ custom_size: undefined, plan: first?.['slug'] });
    }
  };
  const properties = (described.body?.['properties'] ?? {}) as Record<string, Schema>;
  return (
    <>
      {categories.length > 1 && (
        <Segments
          name="category"
          label="Kind of plan"
          options={categories.map((each) => [each, titles[each] ?? spoken(each)])}
          chosen={category}
          choose={show}
        />
      )}
      {category === CUSTOM ? (
        <ObjectForm
          schema={described.resolve(properties['custom_size'] ?? {})}
          value={body['custom_size']}
          change={(next) => set({ custom_size: next })}
          pointer="/custom_size"
        />
      ) : (
        <div className="card divide-y divide-line overflow-hidden">
          {inCategory.map((plan) => (
            <Plan
              key={String(plan['slug'])}
              plan={plan}
              checked={plan === chosen}
              choose={() => set({ plan: plan['slug'] })}
            />
          ))}
          {inCategory.length === 0 && (
            <p className="px-4 py-3 text-muted">No plan of this kind fits the location and the system.</p>
          )}
        </div>
      )}
    </>
  );
}

function Plan({ plan, checked, choose }: { plan: Resource; checked: boolean; choose: () => void }) {
  const sold = soldHere(plan);
  const isFull = sold?.available !== true;
  const vcpus = Number(plan['vcpus']);
  return (
    <label
      className={`flex items-center gap-3 px-4 py-2.5 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent-ink ${isFull ? 'cursor-not-allowed text-muted' : 'cursor-pointer'} ${checked ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
    >
      <input
        type="radio"
        name="plan"
        checked={checked}
        disabled={isFull}
        onChange={choose}
        className="size-4 shrink-0 accent-accent outline-none"
      />
      <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-4">
        <span className="w-[150px] font-medium">{String(plan['name'])}</span>
        <span className={`flex flex-wrap gap-x-4 text-sm ${checked ? 'text-ink' : 'text-muted'}`}>
          <span className="w-[72px]">
            {vcpus} {vcpus === 1 ? 'vCPU' : 'vCPUs'}
          </span>
          <span className="md:w-[64px]">{formatNumber(Number(plan['memory_mb']), 'MB')}</span>
          <span className="md:w-[86px]">{formatNumber(Number(plan['disk_gb']), 'GB')} disk</span>
          <span>{formatNumber(Number(plan['traffic_gb_per_month']), 'GB')} traffic</span>
        </span>
      </span>
      <span className="shrink-0 text-right">
        {isFull ? 'No room now' : isPrice(sold?.price) ? <PriceText price={sold.price} /> : null}
      </span>
    </label>
  );
}

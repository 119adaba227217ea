import { useState } from 'react';
import type { Network } from '../../../../../src/families/flexible-vps/networks/schema.ts';
import { useWhyNot } from '../../../data/access.ts';
import { nounNamed } from '../../../data/nouns.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Reference } from '../../../resource/value.tsx';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Acts, Cell, Row, Table } from '../../../ui/rows.tsx';
import { Section } from '../../../ui/states.tsx';
import { Attach } from './attach.tsx';
import { Detach } from './detach.tsx';
import { type Member, membersOf } from './members.ts';

const kinds = { vm: 'Machine', vpn_gateway: 'VPN gateway', gateway: 'Gateway of the network' } as const;

/** As many addresses as the API shows of one network. */
const MOST_SHOWN = 500;

/** Who is in the network, with their addresses there. */
export default function MembersTab({ found: { row, families, acts, perform } }: { found: Found }) {
  const network = row as unknown as Network;
  const whyNot = useWhyNot();
  const [attaches, setAttaches] = useState(false);
  const [leaving, setLeaving] = useState<Member | null>(null);
  const noun = nounNamed(families, 'interface');
  const uses = network.in_use ?? [];
  const change = acts.find(({ call }) => call.id === 'updateVpsNetwork');
  const isHere = network.status === 'active' ? undefined : 'The network is not active.';
  const { ipv4_total: total, ipv4_used: used } = network.addresses;
  return (
    <>
      <div className="card mb-6 grid gap-2 px-4 py-3 md:px-5">
        <p>
          <strong className="font-medium">{total - used} addresses are free</strong>{' '}
          <span className="text-muted">
            in <code>{network.ipv4_cidr}</code>: {used} of {total} are in use.
          </span>
        </p>
        <progress className="bar max-w-[420px]" aria-label="Addresses in use" max={total} value={used} />
      </div>
      <Section
        title="Members"
        act={
          <Button
            kind="primary"
            why={whyNot(noun?.create?.id ?? '') ?? isHere}
            onClick={() => setAttaches(true)}
          >
            <Icon name="plus" />
            Attach machine
          </Button>
        }
      >
        <Table label="Members" columns={['Member', 'Kind', 'Addresses', 'Acts']}>
          {membersOf(uses).map((member) => (
            <Row key={member.key}>
              <Cell wide free>
                <span className="max-lg:mr-12 max-lg:block">
                  {member.type === 'gateway' ? network.name : <Reference id={member.id} />}
                </span>
              </Cell>
              <Cell label="Kind">{kinds[member.type]}</Cell>
              <Cell label="Addresses" free>
                <span className="flex flex-wrap gap-x-4">
                  {member.addresses.map((address) => (
                    <code key={address} className="break-all">
                      {address}
                    </code>
                  ))}
                </span>
              </Cell>
              <Acts>
                {member.interfaceId !== null && (
                  <Menu
                    label={`Acts on ${member.addresses[0]}`}
                    items={[
                      {
                        label: 'Detach',
                        danger: true,
                        why: whyNot(noun?.delete?.id ?? ''),
                        run: () => setLeaving(member),
                      },
                    ]}
                  />
                )}
              </Acts>
            </Row>
          ))}
        </Table>
        {uses.length >= MOST_SHOWN && (
          <p className="mt-2 text-sm text-muted">The first {MOST_SHOWN} addresses are shown.</p>
        )}
      </Section>
      <Section
        title="Routes"
        note="Ways to other networks, which the machines get."
        act={
          change && (
            <Button why={change.why} onClick={() => perform(change)}>
              Change
            </Button>
          )
        }
      >
        {network.routes.length === 0 ? (
          <p className="text-muted">There are none.</p>
        ) : (
          <Table label="Routes" columns={['Destination', 'By way of', 'Description']}>
            {network.routes.map(({ destination, next_hop, description }) => (
              <Row key={`${destination} ${next_hop}`}>
                <Cell label="Destination">
                  <code className="break-all">{destination}</code>
                </Cell>
                <Cell label="By way of">
                  <code className="break-all">{next_hop}</code>
                </Cell>
                <Cell label="Description" wide free>
                  {description}
                </Cell>
              </Row>
            ))}
          </Table>
        )}
      </Section>
      {attaches && noun?.create && (
        <Attach network={network} noun={noun} call={noun.create} close={() => setAttaches(false)} />
      )}
      {leaving && noun?.delete && (
        <Detach network={network} call={noun.delete} member={leaving} close={() => setLeaving(null)} />
      )}
    </>
  );
}

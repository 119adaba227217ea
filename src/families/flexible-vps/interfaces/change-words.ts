/** What an interface connects, and whether it is protected. */
import type { ChangeWords, ForeseenChange, Telling } from '../../../kernel/change-words/change-words.ts';
import { changeOf, loosensBy, says } from '../../../kernel/change-words/change-words.ts';
import { reachesOthers } from './reach/store.ts';
import { type AddressedInterface, readInterface, readInterfaces } from './store.ts';

/** The IPv6 address of a new interface is made from its hardware address, which differs from one dry run to the next. */
function addressesOf({ addresses: { ipv4, ipv6, aliases } }: AddressedInterface): string {
  const held = [ipv4, ...aliases].filter((address) => address !== null);
  const words = [...held, ...(ipv6 === null ? [] : ['an IPv6 address'])];
  return words.length === 0 ? '' : ` with ${words.join(' and ')}`;
}

const firewallsOf = ({ firewall_ids }: AddressedInterface): string =>
  firewall_ids.length === 0 ? 'no firewall' : firewall_ids.map((id) => `the firewall ${id}`).join(', ');

/** The machine and those in the network reach each other from now on. An empty network, such as a new one, opens nothing. */
async function creationWords(id: string, { db }: Telling): Promise<ForeseenChange[]> {
  const row = await readInterface(db, id);
  const shown = row && (await readInterfaces(db, [row.vm_id])).find((each) => each.id === id);
  if (shown === undefined) return [];
  const { vm_id, network_id } = shown;
  const where = network_id === null ? 'the internet' : `the private network ${network_id}`;
  const text = `connects the machine ${vm_id} to ${where}${addressesOf(shown)}`;
  return [
    (await reachesOthers(db, id))
      ? loosensBy(`${text}, under ${firewallsOf(shown)}`)
      : says(`${text}, in which nobody else is`),
  ];
}

export const interfaceWords: ChangeWords = {
  members: ['anti_spoofing'],
  saysWhole: true,
  say(effect, telling) {
    if (effect.action === 'create') return effect.id === null ? [] : creationWords(effect.id, telling);
    const spoofing = changeOf<boolean>(effect, 'anti_spoofing');
    if (spoofing === undefined) return [];
    return [
      spoofing.after
        ? says(`protects ${telling.subject} against spoofed addresses`)
        : loosensBy(`takes the protection against spoofed addresses from ${telling.subject}`),
    ];
  },
};

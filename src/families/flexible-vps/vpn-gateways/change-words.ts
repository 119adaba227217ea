/** Which networks the peers of a gateway reach after a change. */
import type { ChangeWords } from '../../../kernel/change-words/change-words.ts';
import { changeOf, loosensBy, says } from '../../../kernel/change-words/change-words.ts';

export const gatewayWords: ChangeWords = {
  members: ['network_ids'],
  say(effect, { subject }) {
    const networks = changeOf<readonly string[]>(effect, 'network_ids');
    if (networks === undefined) return [];
    const { before, after } = networks;
    const added = after.filter((id) => !before.includes(id));
    const gone = before.filter((id) => !after.includes(id));
    if (added.length + gone.length === 0) return [says(`changes the order of the networks of ${subject}`)];
    return [
      ...added.map((id) => loosensBy(`lets the peers of ${subject} into the network ${id}`)),
      ...gone.map((id) => says(`takes the network ${id} from the peers of ${subject}`)),
    ];
  },
};

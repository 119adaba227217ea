import type { ChangeWords } from '../../../kernel/change-words/change-words.ts';
import { changeOf, loosensBy, says } from '../../../kernel/change-words/change-words.ts';

export const interfaceWords: ChangeWords = {
  members: ['anti_spoofing'],
  say(effect, { subject }) {
    const spoofing = changeOf<boolean>(effect, 'anti_spoofing');
    if (spoofing === undefined) return [];
    return [
      spoofing.after
        ? says(`protects ${subject} against spoofed addresses`)
        : loosensBy(`takes the protection against spoofed addresses from ${subject}`),
    ];
  },
};

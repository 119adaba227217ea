/** Shows texts that strangers wrote. */

const TURNING = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Characters that turn the direction of text are shown by their code: they could make a call look like another. */
export const unturned = (text: string): string =>
  text.replaceAll(TURNING, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * The mails that Hostplane writes to people. A template is plain sentences and one link; `letter.ts` makes the text and
 * the HTML form of it. Names that customers chose pass through `quoted`, because mails go to people who may not know
 * the customer.
 */
import { template } from './template.ts';
import { ticketTemplates } from './ticket-templates.ts';
import { at, quoted, type Time } from './words.ts';

/** A change to the security of a person: when and from where it was made. */
interface Change {
  readonly name: string;
  readonly at: Time;
  readonly address: string;
  /** The page on which the person checks and undoes it. */
  readonly link: string;
}

const happened = (change: Change): string =>
  `This happened on ${at(change.at)}, from the address ${quoted(change.address)}.`;
const IGNORE = 'If you did not ask for this, ignore this mail. Nothing changes.';
const NOT_YOU =
  'If this was not you, open your security page now: change your password and end all other sessions.';

const factorChanges = {
  totp_added: 'A one-time password app was added to your sign-in.',
  totp_removed: 'The one-time password app was removed from your sign-in.',
  passkey_added: 'A passkey was added to your sign-in.',
  passkey_removed: 'A passkey was removed from your sign-in.',
  recovery_codes_replaced: 'New recovery codes were made. The old codes no longer work.',
} as const;

export const templates = {
  verify_email: template<{ name: string; link: string; expires_at: Time }>({
    byStrangers: true,
    write: ({ name, link, expires_at }, { provider }) => ({
      subject: `Confirm your e-mail address for ${provider}`,
      paragraphs: [
        `Hello ${quoted(name)},`,
        `somebody signed up at ${provider} with this e-mail address. If it was you, confirm the address to go on.`,
        `The link works once, until ${at(expires_at)}.`,
      ],
      button: { label: 'Confirm the address', link },
      unexpected: IGNORE,
    }),
  }),

  already_registered: template<{ name: string; link: string }>({
    byStrangers: true,
    write: ({ name, link }, { provider }) => ({
      subject: `You already have a sign-in at ${provider}`,
      paragraphs: [
        `Hello ${quoted(name)},`,
        `somebody tried to sign up at ${provider} with this e-mail address, but it is already in use.`,
        'If it was you, sign in instead. If you forgot your password, you can choose a new one there.',
      ],
      button: { label: 'Sign in', link },
      unexpected: IGNORE,
    }),
  }),

  recover_password: template<{ name: string; link: string; expires_at: Time }>({
    byStrangers: true,
    write: ({ name, link, expires_at }, { provider }) => ({
      subject: `Choose a new password for ${provider}`,
      paragraphs: [
        `Hello ${quoted(name)},`,
        `somebody asked for a new password for your sign-in at ${provider}.`,
        `The link works once, until ${at(expires_at)}. A new password ends all your sessions.`,
      ],
      button: { label: 'Choose a new password', link },
      unexpected: 'If you did not ask for this, ignore this mail. Your password stays as it is.',
    }),
  }),

  recovery_unknown: template<{ link: string }>({
    byStrangers: true,
    write: ({ link }, { provider }) => ({
      subject: `No sign-in at ${provider} uses this address`,
      paragraphs: [
        `Somebody asked for a new password at ${provider} with this e-mail address, but no sign-in uses it.`,
        'If it was you, you may have signed up with another address.',
      ],
      button: { label: `Open ${provider}`, link },
      unexpected: IGNORE,
    }),
  }),

  /** `waits_until`: the recovery takes effect only then, because the person has lost the second factor. */
  recovery_used: template<Change & { waits_until: Time | null }>({
    write: (change, { provider }) => ({
      subject:
        change.waits_until === null
          ? `Your password for ${provider} was changed by recovery`
          : `A recovery of your sign-in at ${provider} has begun`,
      paragraphs: [
        `Hello ${quoted(change.name)},`,
        change.waits_until === null
          ? 'a recovery link was used to choose a new password. All your sessions were ended.'
          : `a recovery link was used without a second factor. Open the link again after ${at(change.waits_until)} to choose a new password. To stop this, sign in before then.`,
        happened(change),
      ],
      button: { label: 'Check your security', link: change.link },
      unexpected: NOT_YOU,
    }),
  }),

  invitation: template<{
    inviter: string;
    account_name: string;
    role: string;
    link: string;
    expires_at: Time;
  }>({
    byStrangers: true,
    write: ({ inviter, account_name, role, link, expires_at }, { provider }) => ({
      subject: `Invitation to ${quoted(account_name)} at ${provider}`,
      paragraphs: [
        `${quoted(inviter)} invites you to the account "${quoted(account_name)}" at ${provider}, with the role ${quoted(role)}.`,
        `You can accept or decline until ${at(expires_at)}.`,
      ],
      button: { label: 'See the invitation', link },
      unexpected: 'If you do not know the sender, ignore this mail. Nothing changes.',
    }),
  }),

  welcome: template<{ name: string; account_name: string; link: string }>({
    write: ({ name, account_name, link }, { provider }) => ({
      subject: `Welcome to ${provider}`,
      paragraphs: [
        `Hello ${quoted(name)},`,
        `your account "${quoted(account_name)}" is ready. The portal leads you through the first steps: create an API key, and make the first call with it.`,
        'Add a passkey or a second factor soon. Then your password alone opens nothing.',
      ],
      button: { label: 'Open your account', link },
      unexpected: IGNORE,
    }),
  }),

  address_null_routed: template<{
    name: string;
    account_name: string;
    address: string;
    reason: string;
    until: Time;
    link: string;
  }>({
    write: ({ name, account_name, address, reason, until, link }, { provider }) => ({
      subject: `${provider} drops the traffic to one of your addresses`,
      paragraphs: [
        `Hello ${quoted(name)},`,
        `${provider} drops all traffic to the address ${quoted(address)} of the account "${quoted(account_name)}", until ${at(until)}.`,
        `The reason: ${quoted(reason)}`,
        'What has the address keeps running, and its other addresses still work. The traffic comes back by itself.',
      ],
      button: { label: 'See the address', link },
      unexpected: 'If you do not know why, answer your provider or open the address in the portal.',
    }),
  }),

  second_factor_changed: template<Change & { change: keyof typeof factorChanges; passkey_name?: string }>({
    write: (change, { provider }) => ({
      subject: `Your second factor at ${provider} was changed`,
      paragraphs: [
        `Hello ${quoted(change.name)},`,
        factorChanges[change.change],
        ...(change.passkey_name === undefined ? [] : [`Its name is "${quoted(change.passkey_name)}".`]),
        happened(change),
      ],
      button: { label: 'Check your security', link: change.link },
      unexpected: NOT_YOU,
    }),
  }),

  password_changed: template<Change>({
    write: (change, { provider }) => ({
      subject: `Your password for ${provider} was changed`,
      paragraphs: [
        `Hello ${quoted(change.name)},`,
        'your password was changed. All your other sessions were ended.',
        happened(change),
      ],
      button: { label: 'Check your security', link: change.link },
      unexpected: NOT_YOU,
    }),
  }),

  recovery_code_used: template<Change & { left: number }>({
    write: (change, { provider }) => ({
      subject: `A recovery code was used at ${provider}`,
      paragraphs: [
        `Hello ${quoted(change.name)},`,
        `one of your recovery codes was used to sign in. Codes left: ${change.left}.`,
        happened(change),
        'If you lost your second factor, remove it and add a new one.',
      ],
      button: { label: 'Check your security', link: change.link },
      unexpected: NOT_YOU,
    }),
  }),

  /** `device` names browser and system as far as they are known. */
  sign_in_from_new_device: template<Change & { device: string }>({
    write: (change, { provider }) => ({
      subject: `New sign-in at ${provider}`,
      paragraphs: [
        `Hello ${quoted(change.name)},`,
        `you signed in with a browser that we have not seen before: ${quoted(change.device)}.`,
        happened(change),
      ],
      button: { label: 'See your sessions', link: change.link },
      unexpected: NOT_YOU,
    }),
  }),

  /** `call` says what the key wants to do, such as "Delete a machine". */
  approval_requested: template<{
    name: string;
    account_name: string;
    key_name: string;
    call: string;
    link: string;
    expires_at: Time;
  }>({
    write: ({ name, account_name, key_name, call, link, expires_at }, { provider }) => ({
      subject: `An API key asks for your approval at ${provider}`,
      paragraphs: [
        `Hello ${quoted(name)},`,
        `the API key "${quoted(key_name)}" of the account "${quoted(account_name)}" asks for approval: ${quoted(call)}.`,
        `You can decide until ${at(expires_at)}. Nothing happens before that.`,
      ],
      button: { label: 'See the request', link },
      unexpected: 'If you do not know what this key is used for, deny the request and suspend the key.',
    }),
  }),
  ...ticketTemplates,
} as const;

export type TemplateName = keyof typeof templates;
export type MailData<T extends TemplateName> = Parameters<(typeof templates)[T]['write']>[0];

/** What people call questions to the provider, in English and German. */
import type { Table } from '../phrases.ts';

export const support: Table = [
  [
    'ticket',
    'ticket|tickets|support ticket|support tickets|support request|support requests|support case|support cases|case with support|support contact|contact support|call support|ask support|talk to support|talk to a human|technical support|customer support|customer service|helpdesk|help desk|hotline|trouble ticket|incident report|service request|zendesk|freshdesk|' +
      'anfrage|support anfrage|supportanfrage|support kontaktieren|support anrufen|kundendienst|kundenservice|support fall|störungsmeldung|hilfe vom anbieter',
  ],
  [
    'ticket +create?',
    'open ~ ticket|open ~ case|report ~ problem|ticket öffnen|ticket aufmachen|ticket erstellen|störung melden|problem melden',
  ],
  ['ticket +update?', 'close ~ ticket|reopen ~ ticket|ticket schließen|ticket wieder öffnen'],
  [
    'ticket message',
    'ticket message|ticket messages|message in ~ ticket|messages of ~ ticket|message of ~ ticket|answer of support|answer from support|support answered|support replied|conversation with support|ticket conversation|ticket attachment|attachment of ~ ticket|file in ~ ticket|' +
      'antwort vom support|antwort des supports|nachricht im ticket|nachrichten im ticket|anhang',
  ],
  [
    'ticket message +create',
    'reply to ~ ticket|reply to support|answer ~ ticket|write ~ ticket message|send ~ support|auf ~ ticket antworten|ticket beantworten',
  ],
];

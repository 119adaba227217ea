/** The page of a ticket, which is read like a conversation, in a real browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey, type TestKey } from '../../../testing/accounts.ts';
import { whyNoBrowser } from '../../../testing/browser/chromium.ts';
import { inspect, openWide } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';

const title = 'tickets in the portal';
const TICKETS = '/support/v1/tickets';

describe.skipIf(whyNoBrowser !== null)(whyNoBrowser === null ? title : `${title}: ${whyNoBrowser}`, () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let key: TestKey;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
    key = await createKey(portal.t.services.db, seeded.account, { name: 'works' });
  });
  afterAll(() => portal.close());

  const post = async (url: string, payload: object): Promise<{ id: string }> => {
    const answer = await portal.t.call({ method: 'POST', url, payload, key: key.key });
    expect(answer.statusCode, answer.body).toBe(201);
    return answer.json();
  };

  it('shows the conversation with code and files, runs nothing that is in it, and leads to a reply', async () => {
    const { id } = await post(TICKETS, {
      subject: 'The application loses its database',
      body: 'Since this morning it answers only *sometimes*.\n\nThe log says:\n\n```\nconnection refused <img src=x onerror=alert(1)> and a line that is much wider than any telephone that people hold in one hand\n```\n\nWhat can we do?',
      category: 'technical',
    });
    const content_base64 = Buffer.from('connection refused\n').toString('base64');
    await post(`${TICKETS}/${id}/messages`, {
      body: 'Here is the log.',
      attachments: [{ filename: 'app.log', content_type: 'text/plain', content_base64 }],
    });
    const tab = await portal.tab({ token: seeded.token });
    try {
      await openWide(tab, `/portal/p/support/tickets/${id}`);
      const conversation = tab.page.getByRole('region', { name: 'Conversation' });
      await conversation.getByText('Since this morning').waitFor();
      await conversation.locator('pre').getByText('connection refused <img').waitFor();
      const file = conversation.getByRole('link', { name: 'app.log' });
      expect(await file.getAttribute('href')).toContain('/downloads/att_');
      await inspect(tab);
      await tab.page.setViewportSize({ width: 1440, height: 900 });
      await conversation.getByRole('link', { name: 'Reply' }).click();
      await tab.page.getByLabel('Message').waitFor();
      expect(tab.complaints).toEqual([]);
    } finally {
      await tab.close();
    }
  });
});

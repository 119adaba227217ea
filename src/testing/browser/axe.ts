/**
 * Looks for barriers with axe. It runs in a world of its own beside the page, so that the page's content security policy
 * stays in force.
 */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Nothing in the portal plays sound or turns the screen, so axe need not load the style sheets for those rules. */
const RUN = `axe.run(document, { resultTypes: ['violations'], preload: false })
  .then(({ violations }) => JSON.stringify(violations))`;

/** `find` returns one line for each serious or critical barrier of the page as it is then. */
export async function withAxe(
  page: Page,
  look: (find: () => Promise<string[]>) => Promise<void>,
): Promise<void> {
  const session = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: 'axe',
    });
    await session.send('Runtime.evaluate', { expression: axe.source, contextId });
    await look(async () => {
      const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
        expression: RUN,
        contextId,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
      return barriersIn(JSON.parse(String(result.value)) as Violation[]);
    });
  } finally {
    await session.detach();
  }
}

const barriersIn = (violations: readonly Violation[]): string[] =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );

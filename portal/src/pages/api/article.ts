/** What an article of the reference can do in the browser; the server has written everything that it says. */
import { Problem } from '../../data/http.ts';
import { copyText } from '../../ui/code.tsx';
import { unturned } from '../../ui/unturned.ts';

/** Fetching a document runs no scripts in it. Null: there is no such page. */
export function fetchArticle(path: string): Promise<Element | null> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', path);
    request.responseType = 'document';
    request.onload = () => resolve(request.responseXML?.querySelector('article.ref') ?? null);
    request.onerror = () =>
      reject(
        new Problem(0, {
          title: 'The server did not answer',
          next_step: 'Check your connection, then try again.',
        }),
      );
    request.send();
  });
}

/** Opens everything that hides what the address points to, and shows it. */
function reveal(article: Element): void {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id === '' ? null : article.querySelector(`[id="${CSS.escape(id)}"]`);
  if (target === null) return;
  for (let at: Element | null = target; at !== null; at = at.parentElement)
    if (at instanceof HTMLDetailsElement) at.open = true;
  target.scrollIntoView({ block: 'start' });
}

/** How far the list beside the article was scrolled: it stays there from operation to operation. */
let listTop = 0;

/** The list is open where it stands beside the article. Returns what ends that. */
function openList(article: Element): () => void {
  const list = article.querySelector('.ref-list');
  const details = list?.querySelector('details');
  if (!list || !details) return () => undefined;
  let wasBeside: boolean | null = null;
  const observer = new ResizeObserver(() => {
    const isBeside = getComputedStyle(list).position === 'sticky';
    if (isBeside === wasBeside) return;
    wasBeside = isBeside;
    details.open = isBeside;
    if (!isBeside) return;
    list.scrollTop = listTop;
    const current = list.querySelector<HTMLElement>('[aria-current]');
    if (current === null) return;
    const { top, bottom } = current.getBoundingClientRect();
    const frame = list.getBoundingClientRect();
    if (top < frame.top || bottom > frame.bottom) list.scrollTop += top - frame.top - frame.height / 3;
  });
  observer.observe(article);
  const keep = (): void => {
    listTop = list.scrollTop;
  };
  list.addEventListener('scroll', keep);
  return () => {
    observer.disconnect();
    list.removeEventListener('scroll', keep);
  };
}

function copyFrom(button: Element): void {
  void copyText(button.closest('figure')?.querySelector('pre')?.textContent ?? '').then((worked) => {
    button.textContent = worked ? 'Copied' : 'Press Ctrl C';
  });
}

/** The link to another page of the portal that a click follows. */
function linkOf(event: MouseEvent): HTMLAnchorElement | null {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="/portal/api/"]');
  const isLeft = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  return link && isLeft && !link.pathname.endsWith('.md') ? link : null;
}

/** Makes the article work while it is shown. Returns what ends that. */
export function bringToLife(article: Element, go: (path: string) => void): () => void {
  for (const button of article.querySelectorAll('[data-copy]')) button.removeAttribute('hidden');
  const language = localStorage.getItem('hp-language');
  const wanted = article.querySelector<HTMLInputElement>(`input[value="${CSS.escape(language ?? '')}"]`);
  if (wanted) wanted.checked = true;
  const onClick = (event: Event): void => {
    const button = (event.target as Element).closest('[data-copy]');
    if (button) copyFrom(button);
    const link = linkOf(event as MouseEvent);
    if (link === null) return;
    event.preventDefault();
    go(link.pathname.replace(/^\/portal/, ''));
  };
  const onChange = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    if (input.name === 'language') localStorage.setItem('hp-language', input.value);
  };
  const onHash = (): void => reveal(article);
  article.addEventListener('click', onClick);
  article.addEventListener('change', onChange);
  addEventListener('hashchange', onHash);
  const closeList = openList(article);
  reveal(article);
  return () => {
    article.removeEventListener('click', onClick);
    article.removeEventListener('change', onChange);
    removeEventListener('hashchange', onHash);
    closeList();
  };
}

/** Says in each sample which key its variable is for. Returns what takes that back. */
export function nameKey(article: Element, name: string): () => void {
  const lines = [...article.querySelectorAll<HTMLElement>('[data-language]')].map((sample) => {
    const { comment = '#', keyVariable = '' } = sample.dataset;
    const line = document.createElement('span');
    line.className = 'c-c';
    line.textContent = `${comment} ${keyVariable} is your key ${unturned(name).replaceAll(/\s+/g, ' ')}\n`;
    sample.querySelector('pre code')?.prepend(line);
    return line;
  });
  return () => {
    for (const line of lines) line.remove();
  };
}

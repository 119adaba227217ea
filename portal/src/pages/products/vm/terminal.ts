/** A terminal on the console of a machine. Loaded only when somebody opens a console. */
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { CONSOLE_PROTOCOL, TOKEN_PREFIX } from '../../../../../src/kernel/console-protocol.ts';
import { defineTerminalSheet } from './terminal-sheet.ts';

/** What the call that opens a console answers. */
export interface ConsoleSession {
  readonly url: string;
  readonly token: string;
}

export interface OpenTerminal {
  focus(): void;
  /** The text that is marked. */
  marked(): string;
  paste(text: string): void;
  close(): void;
}

interface Setting {
  readonly label: string;
  /** The id of the text that explains its keys. */
  readonly describedBy: string;
  readonly opened: () => void;
  /** Why it has ended, in words. */
  readonly ended: (why: string) => void;
  /** The person wants to leave the terminal by keyboard. */
  readonly leave: () => void;
}

/** Of a message to the server, in bytes. */
const MOST = 32 * 1024;
const SCROLLBACK = 5000;
/** In pixels: the terminal draws it over the last column. */
const SCROLL_BAR = 14;

/** Consoles are dark in both themes: what machines print counts on it. */
const theme = {
  background: '#0e1116',
  foreground: '#e8ebf0',
  cursor: '#a3b2ff',
  cursorAccent: '#0e1116',
  selectionBackground: '#3a4a8f',
};

/**
 * The server that answers the portal also relays consoles, so the address is that of the page: the policy of the page
 * allows no other, and the API may have a name of its own.
 */
const addressOf = ({ url }: ConsoleSession): string =>
  `${location.origin.replace(/^http/, 'ws')}${new URL(url).pathname}`;

const ENDED = 1000;
const FORBIDDEN = 1008;

function wordsFor({ code, reason }: CloseEvent, wasOpen: boolean): string {
  if (!wasOpen) return 'The console could not be reached. Open it again.';
  if (code === ENDED) return 'The machine ended the console.';
  if (code === FORBIDDEN) return `Your right to this console has ended. ${reason}`;
  return reason === '' ? 'The connection was lost.' : reason;
}

const isPlatformKey = (event: KeyboardEvent): boolean => event.ctrlKey || event.metaKey;

/** True: the key is for the machine. */
function isForMachine(event: KeyboardEvent, terminal: Terminal, leave: () => void): boolean {
  if (event.type !== 'keydown' || !isPlatformKey(event)) return true;
  if (event.shiftKey && ['ArrowUp', 'Escape'].includes(event.key)) {
    event.preventDefault();
    leave();
    return false;
  }
  // The browser then pastes, and the terminal hears of it.
  if (event.key.toLowerCase() === 'v') return false;
  const copies = event.key.toLowerCase() === 'c' && (terminal.hasSelection() || event.shiftKey);
  if (copies) {
    event.preventDefault();
    void navigator.clipboard.writeText(terminal.getSelection());
    terminal.clearSelection();
  }
  return !copies;
}

/** As many rows and columns as fit into the box. */
function fillBox(terminal: Terminal, box: HTMLElement): void {
  const screen = box.querySelector('.xterm-screen');
  if (screen === null || box.clientWidth === 0) return;
  const { width, height } = screen.getBoundingClientRect();
  const style = getComputedStyle(box);
  const inside = (size: number, ...paddings: string[]): number =>
    paddings.reduce((left, padding) => left - Number.parseFloat(padding), size);
  const columns =
    inside(box.clientWidth - SCROLL_BAR, style.paddingLeft, style.paddingRight) / (width / terminal.cols);
  const rows = inside(box.clientHeight, style.paddingTop, style.paddingBottom) / (height / terminal.rows);
  if (Number.isFinite(columns) && Number.isFinite(rows))
    terminal.resize(Math.max(20, Math.floor(columns)), Math.max(4, Math.floor(rows)));
}

export function openTerminal(box: HTMLElement, session: ConsoleSession, setting: Setting): OpenTerminal {
  defineTerminalSheet();
  const terminal = new Terminal({
    theme,
    fontFamily: getComputedStyle(box).fontFamily,
    fontSize: 13,
    lineHeight: 1.2,
    scrollback: SCROLLBACK,
    minimumContrastRatio: 4.5,
    screenReaderMode: true,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
  });
  terminal.open(box);
  terminal.textarea?.setAttribute('aria-label', setting.label);
  terminal.textarea?.setAttribute('aria-describedby', setting.describedBy);
  terminal.attachCustomKeyEventHandler((event) => isForMachine(event, terminal, setting.leave));
  fillBox(terminal, box);
  const sizes = new ResizeObserver(() => fillBox(terminal, box));
  sizes.observe(box);
  const socket = new WebSocket(addressOf(session), [CONSOLE_PROTOCOL, `${TOKEN_PREFIX}${session.token}`]);
  socket.binaryType = 'arraybuffer';
  let wasOpen = false;
  let isClosed = false;
  const send = (bytes: Uint8Array): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    for (let at = 0; at < bytes.length; at += MOST) socket.send(bytes.slice(at, at + MOST));
  };
  terminal.onData((text) => send(new TextEncoder().encode(text)));
  terminal.onBinary((text) => send(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
  socket.addEventListener('open', () => {
    wasOpen = true;
    setting.opened();
    terminal.focus();
  });
  socket.addEventListener('message', ({ data }) => terminal.write(new Uint8Array(data as ArrayBuffer)));
  socket.addEventListener('close', (event) => {
    if (isClosed) return;
    terminal.options.disableStdin = true;
    terminal.options.cursorBlink = false;
    setting.ended(wordsFor(event, wasOpen));
  });
  return {
    focus: () => terminal.focus(),
    marked: () => terminal.getSelection(),
    paste: (text) => terminal.paste(text),
    close() {
      isClosed = true;
      sizes.disconnect();
      socket.close();
      terminal.dispose();
    },
  };
}

import type { BuiltInCommand } from './built-in.ts';
import { api } from './commands/api.ts';
import { completionCommands } from './commands/completion.ts';
import { console } from './commands/console.ts';
import { contextCommands } from './commands/contexts.ts';
import { estimate } from './commands/estimate.ts';
import { events } from './commands/events.ts';
import { how } from './commands/how.ts';
import { iac } from './commands/iac.ts';
import { login, logout } from './commands/login.ts';
import { mcp } from './commands/mcp.ts';
import { open } from './commands/open.ts';
import { ssh } from './commands/ssh.ts';

/** All commands that are not made from the document, in the order in which help shows them. */
export const builtIns: readonly BuiltInCommand[] = [
  login,
  logout,
  ...contextCommands,
  how,
  api,
  events,
  estimate,
  console,
  ssh,
  open,
  iac,
  mcp,
  ...completionCommands(() => builtIns),
];

import type { BuiltInCommand } from './built-in.ts';
import { api } from './commands/api.ts';
import { contextCommands } from './commands/contexts.ts';
import { login, logout } from './commands/login.ts';

/** All commands that are not made from the document, in the order in which help shows them. */
export const builtIns: readonly BuiltInCommand[] = [login, logout, ...contextCommands, api];

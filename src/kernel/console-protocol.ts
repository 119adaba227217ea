/** How a client asks for a console: for the server and for its own clients. */

export const CONSOLE_PATH = '/console/';

/** A client offers two WebSocket subprotocols: this one, and the token with its prefix. So no URL holds the token. */
export const CONSOLE_PROTOCOL = 'hostplane.console';
export const TOKEN_PREFIX = 'hostplane.token.';

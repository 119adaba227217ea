/** What people type to install the command line, for the pages, the portal and the documentation. */

export const installCommand = (url: string): string => `curl -fsSL ${url}/cli.sh | sh`;

export const npmCommand = (url: string): string => `npm install --global ${url}/cli.tgz`;

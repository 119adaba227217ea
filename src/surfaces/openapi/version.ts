import manifest from '../../../package.json' with { type: 'json' };

/** Of the program, and so of the document it publishes. */
export const { version } = manifest;

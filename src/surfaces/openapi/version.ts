import manifest from '../../../package.json' with { type: 'json' };

/** The version of Hostplane, which is also the version of the OpenAPI document. */
export const { version } = manifest;

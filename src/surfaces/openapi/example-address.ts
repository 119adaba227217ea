/** The address of the API in examples, which are written before it is known. Pages for people show the real one. */
export const EXAMPLE_ADDRESS = 'https://api.host.example';

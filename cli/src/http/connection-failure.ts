/** Why there is no answer, in one sentence, and what to do about it. */
import { exitCodes } from '../exit-codes.ts';
import { Failure } from '../failure.ts';

export class ConnectionFailure extends Failure {
  /** Whether the server may have received the request. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, mayHaveArrived: boolean) {
    super(message, exitCodes.noConnection);
    this.mayHaveArrived = mayHaveArrived;
  }
}

const CHECK = 'Check the address: hostplane contexts shows it, and HOSTPLANE_URL overrides it.';

const untrusted = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
];

export function connectionFailure(url: string, error: Error & { code?: string }): Error {
  if (error.name === 'AbortError' || error instanceof ConnectionFailure) return error;
  const { host } = new URL(url);
  const before = (message: string): Failure => new ConnectionFailure(message, false);
  const { code = '' } = error;
  if (untrusted.includes(code))
    return before(
      `The certificate of ${host} is not signed by an authority that this computer trusts. If you trust it, name the file with the authority's certificate: --ca-file authority.pem (or NODE_EXTRA_CA_CERTS=authority.pem).`,
    );
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return before(`The certificate of ${host} is for another name. ${CHECK}`);
  if (code === 'CERT_HAS_EXPIRED')
    return before(`The certificate of ${host} has expired. Tell your provider; do not send your key there.`);
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return before(`${host} does not speak HTTPS at this port. ${CHECK}`);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return before(`The name ${host} was not found. ${CHECK} Then check your network.`);
  if (code === 'ECONNREFUSED') return before(`Nothing answers at ${url}. ${CHECK} Then check that it runs.`);
  if (['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL'].includes(code))
    return before(`There is no way to ${host} from here (${code}). Check your network.`);
  if (code === 'ETIMEDOUT')
    return new ConnectionFailure(`${host} did not answer in time. Check your network, then repeat.`, true);
  return new ConnectionFailure(
    `The connection to ${host} broke (${code || error.message}). Check your network, then repeat.`,
    true,
  );
}

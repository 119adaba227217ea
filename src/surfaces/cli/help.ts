/** The text that `hostplane admin --help` prints after the list of commands: examples, environment, data folder. */
export const afterHelp = `
Examples:
  hostplane admin                                             run the server
  hostplane admin doctor                                      check this installation
  hostplane admin accounts create --name "Example GmbH" --owner-name Ada --owner-email ada@example.com
  hostplane admin keys create --name ci --preset ci-deploy --expires-in 30d
  hostplane admin keys create --name dns --permission ip-management:reverse-records:*
  hostplane admin keys roll ci --overlap 1h                   a new secret; the old one works for one more hour
  hostplane admin allowlist add 203.0.113.0/24 --note Office
  hostplane admin allowlist mode enforce                      first lists the callers it would refuse
  hostplane admin keys list --json | jq -r '.[].public_id'

Environment (takes precedence over the configuration file):
  HOSTPLANE_CONFIG           the configuration file
  HOSTPLANE_DATA             the data folder (./data)
  HOSTPLANE_DATABASE_URL     a PostgreSQL server, 15 or newer, instead of the embedded one
  HOSTPLANE_REDIS_URL        a Redis server that counts requests exactly across several processes
  HOSTPLANE_SECRET_KEY       encrypts secrets in the database (else a key file in the data folder)
  HOSTPLANE_HOST             the address to listen on (127.0.0.1)
  HOSTPLANE_PORT             the port to listen on (8080)
  HOSTPLANE_WORKER_PORT      the port of a worker for probes and metrics (none)
  HOSTPLANE_BASE_URL         the URL under which clients reach the server
  HOSTPLANE_TRUSTED_PROXIES  address ranges whose X-Forwarded-For is trusted, separated by commas

Where the data is:
  In the data folder, as a PostgreSQL database that Hostplane runs by itself; or in the server that
  HOSTPLANE_DATABASE_URL names. Commands work beside a running server, and a change made here reaches
  it within a second.

Every change of an account is written to its audit log under your user name. Harmful changes ask
for confirmation; in scripts, pass --yes. Exit codes: 0 done, 1 refused or failed, 2 usage error.`;

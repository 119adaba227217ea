import { requireCapability } from '../../../engines/engine-call.ts';
import { bearerColumns, hashBearerToken, newBearerToken } from '../../../kernel/access/bearer.ts';
import { CONSOLE_PROTOCOL, TOKEN_PREFIX } from '../../../kernel/console-protocol.ts';
import { consoleUrl } from '../../../kernel/consoles.ts';
import { idPrefix } from '../../../kernel/ids.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { created, endpoint } from '../../../kernel/record.ts';
import { advanced, byProvider, label, Named, OneOf, Shape, Time, Type } from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, VmId } from '../vms/schema.ts';
import { lockVm } from '../vms/store.ts';
import { Password, returnedBefore } from './schema.ts';
import { countOpenSessions, insertSession } from './store.ts';

export const newSessionId = idPrefix('console_session', 'con');
const TTL_SECONDS = 300;

type ConsoleType = 'graphical' | 'serial';

const ConsoleSession = Named(
  'ConsoleSession',
  Shape({
    url: Type.String({
      ...byProvider,
      format: 'uri',
      description: 'The URL of the WebSocket to connect to.',
    }),
    token: Password,
    protocol: OneOf(
      {
        spice: 'SPICE, a graphical console.',
        vnc: 'VNC (RFB), a graphical console.',
        serial: 'The bytes of the serial console, as a terminal shows them.',
      },
      { description: 'The protocol inside the binary messages of the WebSocket.' },
    ),
    expires_at: { ...Time, description: 'Connect before this time; the token is not accepted later.' },
    ...returnedBefore,
  }),
);

/** The default is a graphical console if the location offers one, otherwise a serial console. */
function chooseType({ compute }: Services, location: string, asked: ConsoleType | undefined): ConsoleType {
  const hasScreen = compute.at(location)?.capabilities.graphicalConsole === true;
  return asked ?? (hasScreen ? 'graphical' : 'serial');
}

function protocolOf(services: Services, location: string, type: ConsoleType) {
  if (type === 'graphical')
    return requireCapability(services.compute, location, 'graphicalConsole').graphicalProtocol;
  requireCapability(services.compute, location, 'serialConsole');
  return type;
}

export const createVmConsoleSession = endpoint({
  id: 'createVmConsoleSession',
  method: 'POST',
  path: '/flexible-vps/v1/vms/{id}/console-sessions',
  summary: 'Open a console of a machine',
  description: `Connect to \`url\` with a WebSocket and the subprotocols \`${CONSOLE_PROTOCOL}\` and \`${TOKEN_PREFIX}<token>\`: in a browser \`new WebSocket(url, ['${CONSOLE_PROTOCOL}', '${TOKEN_PREFIX}' + token])\`. This keeps the token out of URLs, which often end up in logs. The token is valid for one connection. You have to connect before \`expires_at\`; the connection then lasts until either side closes it.\n\nThe console belongs to the API key that made this call. If the key may no longer make this call, the token does not work any more, and an open connection is closed with the code 1008 and the problem code as the reason. Examples: the key expired or was revoked, or the allowlist does not contain the address of the WebSocket's client.`,
  permission: 'flexible-vps:vm-access:write',
  access: 'write',
  sensitive: true,
  resource: { name: 'vm', role: 'action' },
  params: VmId,
  body: Shape({
    type: Type.Optional(
      OneOf(
        { graphical: 'The screen of the machine.', serial: 'The serial console, which is text.' },
        {
          description:
            'Which console to open. Default: graphical if the location offers it, otherwise serial.',
        },
      ),
    ),
    ttl_seconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 3600,
        default: TTL_SECONDS,
        'x-unit': 'seconds',
        ...label('Token valid for'),
        ...advanced,
        description: 'How long you can connect with the token.',
      }),
    ),
  }),
  answers: { 201: ConsoleSession },
  problems: [
    'operation_in_progress',
    'resource_suspended',
    'vm_not_running',
    'quota_exceeded',
    'capability_missing',
  ],
  example: {
    params: { id: exampleVm.id },
    body: { type: 'serial', ttl_seconds: 300 },
    answer: {
      status: 201,
      body: {
        url: 'wss://api.host.example/console/con_01jqzv2m7xe9rs5d3k8w4t6y0b',
        token: 'Zk0mq3w2c9T1hVb7Zk0mq3w2c9T1hVb7Zk0mq3w2c9T',
        protocol: 'serial',
        expires_at: '2026-03-01T10:05:00.000Z',
      },
    },
  },
  async handle(call) {
    const { db, caller, params, body, services, now, effect, event } = call;
    const row = await lockVm(db, caller.account.id, params.id);
    const operation = (await pendingOn(db, [row.id])).get(row.id);
    vmLife.require('createVmConsoleSession', row.status, { code: 'vm_not_running', operation });
    const type = chooseType(services, row.location, body.type);
    const protocol = protocolOf(services, row.location, type);
    await requireRoomIn(call, 'flexible-vps.console-sessions-per-vm', row.id, {
      before: await countOpenSessions(db, row.id),
    });
    const id = newSessionId();
    const token = newBearerToken();
    const expires_at = new Date(now.getTime() + (body.ttl_seconds ?? TTL_SECONDS) * 1000);
    await insertSession(db, {
      id,
      account_id: row.account_id,
      vm_id: row.id,
      ...bearerColumns(caller),
      type,
      token_hash: hashBearerToken(token),
      expires_at,
      opened_at: null,
      seen_at: null,
    });
    effect({ action: 'start', verb: 'opens a console of', ...vms.ref(row) });
    const message = `A ${type} console session for the machine ${row.name} was created.`;
    event(vms.event('console_opened', row, { message }));
    return created({
      url: consoleUrl(services.baseUrl, id),
      token,
      protocol,
      expires_at: expires_at.toISOString(),
    });
  },
});

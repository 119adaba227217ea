/** The examples that people copy. Each is complete: it runs as it stands, with a key in the environment. */

export const curlTour = (base: string): string => `export HOSTPLANE_API_KEY=hpk1_...

# Which key is this, and what may it do?
curl -s -H "X-API-Key: $HOSTPLANE_API_KEY" ${base}/account/v1/whoami

# What would it cost? A dry run checks everything and changes nothing.
curl -s -X POST -H "X-API-Key: $HOSTPLANE_API_KEY" -H "Content-Type: application/json" \\
  '${base}/flexible-vps/v1/vms?dry_run=true' \\
  -d '{"name":"web-1","location":"fra1","plan":"flex-2-4","source":{"type":"image","image_id":"ubuntu-24.04"}}'

# Create it, and wait up to 60 seconds until it runs. The Idempotency-Key makes repeating safe.
curl -s -X POST -H "X-API-Key: $HOSTPLANE_API_KEY" -H "Content-Type: application/json" \\
  -H "Prefer: wait=60" -H "Idempotency-Key: create-web-1" \\
  ${base}/flexible-vps/v1/vms \\
  -d '{"name":"web-1","location":"fra1","plan":"flex-2-4","source":{"type":"image","image_id":"ubuntu-24.04"}}'
`;

export const ciJob = (base: string): string => `name: Deploy
on: { push: { branches: [main] } }
jobs:
  deploy:
    runs-on: ubuntu-latest
    env:
      HOSTPLANE_API_KEY: \${{ secrets.HOSTPLANE_API_KEY }}
    steps:
      - name: A snapshot before the change
        run: |
          curl --fail-with-body -sS -X POST \\
            -H "X-API-Key: $HOSTPLANE_API_KEY" -H "Content-Type: application/json" \\
            -H "Prefer: wait=60" -H "Idempotency-Key: snapshot-\${{ github.run_id }}" \\
            "${base}/flexible-vps/v1/vms/\${{ vars.VM_ID }}/snapshots" \\
            -d '{"name":"before-\${{ github.run_id }}"}'
      - name: Restart
        run: |
          curl --fail-with-body -sS -X POST \\
            -H "X-API-Key: $HOSTPLANE_API_KEY" -H "Content-Type: application/json" \\
            -H "Prefer: wait=60" -H "Idempotency-Key: restart-\${{ github.run_id }}" \\
            "${base}/flexible-vps/v1/vms/\${{ vars.VM_ID }}/actions" \\
            -d '{"type":"restart"}'
`;

export const webhookReceiver = `// node receiver.mjs, with the secret of the webhook in WEBHOOK_SECRET
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = Buffer.from(process.env.WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
const seen = new Set();

function isGenuine(headers, body) {
  const id = headers['webhook-id'];
  const time = headers['webhook-timestamp'];
  if (Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const own = createHmac('sha256', secret).update(\`\${id}.\${time}.\`).update(body).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .map((part) => Buffer.from(part.replace(/^v1,/, ''), 'base64'))
    .some((given) => given.length === own.length && timingSafeEqual(given, own));
}

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  response.writeHead(204).end();
  const id = request.headers['webhook-id'];
  if (seen.has(id)) return;
  seen.add(id);
  const event = JSON.parse(body);
  console.log(event.type, event.message ?? '');
}).listen(3000);
`;

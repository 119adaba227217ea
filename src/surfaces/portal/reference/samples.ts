/** The same call in curl, TypeScript and Python. The key comes from the environment and stands in no sample. */
import type { Entry, Resolver } from '../../openapi/resolved.ts';

export interface Sample {
  readonly language: string;
  readonly text: string;
}

interface Call {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
}

const KEY = 'HOSTPLANE_API_KEY';

function callOf(entry: Entry, resolver: Resolver): Call {
  const parameters = (entry.operation.parameters ?? []).map((parameter) => resolver.parameter(parameter));
  const path = entry.path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    const example = parameter?.example ?? resolver.schema(parameter?.schema ?? {})['example'];
    return typeof example === 'string' ? example : whole;
  });
  const needed = parameters.filter((each) => each.in === 'query' && each.required);
  const query = new URLSearchParams(
    needed.map(({ name, example }): [string, string] => [name, String(example ?? '')]),
  ).toString();
  const media = entry.operation.requestBody?.content['application/json'];
  const [server] = resolver.document.servers;
  return {
    method: entry.method,
    url: `${server?.url ?? ''}${path}${query === '' ? '' : `?${query}`}`,
    body: media === undefined ? undefined : resolver.example(media),
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curl({ method, url, body }: Call): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${/[?&{}]/.test(url) ? quoted(url) : url}`,
    `  -H "X-API-Key: $${KEY}"`,
    ...(body === undefined
      ? []
      : ['  -H "Content-Type: application/json"', `  -d ${quoted(JSON.stringify(body, null, 2))}`]),
  ];
  return lines.join(' \\\n');
}

const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

function typescript({ method, url, body }: Call): string {
  const lines = [
    `const response = await fetch('${url}', {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    `    'X-API-Key': process.env.${KEY}!,`,
    ...(body === undefined ? [] : ["    'Content-Type': 'application/json',"]),
    '  },',
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2), '  ')}),`]),
    '});',
    'if (!response.ok) throw new Error((await response.json()).next_step);',
    'console.log(await response.json());',
  ];
  return lines.join('\n');
}

const pythonWords: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

function python({ method, url, body }: Call): string {
  const literal = indented(JSON.stringify(body ?? null, null, 4), '    ').replaceAll(
    /("(?:[^"\\]|\\.)*")|\b(true|false|null)\b/g,
    (whole, string?: string) => (string === undefined ? (pythonWords[whole] ?? whole) : whole),
  );
  const lines = [
    'import os, requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    "${url}",`,
    `    headers={"X-API-Key": os.environ["${KEY}"]},`,
    ...(body === undefined ? [] : [`    json=${literal},`]),
    '    timeout=30,',
    ')',
    'response.raise_for_status()',
    'print(response.json())',
  ];
  return lines.join('\n');
}

export function samplesOf(entry: Entry, resolver: Resolver): Sample[] {
  const call = callOf(entry, resolver);
  return [
    { language: 'curl', text: curl(call) },
    { language: 'TypeScript', text: typescript(call) },
    { language: 'Python', text: python(call) },
  ];
}

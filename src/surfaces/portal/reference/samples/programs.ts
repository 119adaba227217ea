/** The call in curl and in programming languages. */
import { type Call, KEY, shellQuoted } from './call.ts';

export function curl({ method, url, body }: Call): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(url)}`,
    `  -H "X-API-Key: $${KEY}"`,
    ...(body === undefined
      ? []
      : ['  -H "Content-Type: application/json"', `  -d ${shellQuoted(JSON.stringify(body, null, 2))}`]),
  ];
  return lines.join(' \\\n');
}

const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

export function typescript({ method, url, body, answersJson }: Call): string {
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
    `console.log(${answersJson ? 'await response.json()' : 'response.status'});`,
  ];
  return lines.join('\n');
}

const pythonWords: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

export function python({ method, url, body, answersJson }: Call): string {
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
    `print(response.${answersJson ? 'json()' : 'status_code'})`,
  ];
  return lines.join('\n');
}

/** A text of Go: between backticks if it has none, because nothing is escaped there. */
const goText = (text: string): string => (text.includes('`') ? JSON.stringify(text) : `\`${text}\``);

export function go({ method, url, body }: Call): string {
  const packages = ['fmt', 'io', 'log', 'net/http', 'os', ...(body === undefined ? [] : ['strings'])];
  const content = body === undefined ? 'nil' : `strings.NewReader(${goText(JSON.stringify(body, null, 2))})`;
  const failing = ['\tif err != nil {', '\t\tlog.Fatal(err)', '\t}'];
  const lines = [
    'package main',
    '',
    'import (',
    ...packages.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    `\trequest, err := http.NewRequest("${method}", "${url}", ${content})`,
    ...failing,
    `\trequest.Header.Set("X-API-Key", os.Getenv("${KEY}"))`,
    ...(body === undefined ? [] : ['\trequest.Header.Set("Content-Type", "application/json")']),
    '\tresponse, err := http.DefaultClient.Do(request)',
    ...failing,
    '\tdefer response.Body.Close()',
    '\tanswer, err := io.ReadAll(response.Body)',
    ...failing,
    '\tfmt.Println(response.Status, string(answer))',
    '}',
  ];
  return lines.join('\n');
}

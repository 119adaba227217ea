/** Reads Server-Sent Events. */
interface Message {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

/** The messages in a stream of bytes. */
export async function* messagesIn(stream: AsyncIterable<Buffer>): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of stream) {
    text += decoder.decode(part, { stream: true });
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = block
        .split(/\r?\n/)
        .filter((line) => line !== '' && !line.startsWith(':'))
        .map((line) => /^([^:]*):? ?(.*)$/.exec(line) ?? [])
        .map(([, name = '', value = '']) => [name, value] as const);
      const data = fields.filter(([name]) => name === 'data').map(([, value]) => value);
      if (data.length === 0) continue;
      yield { ...Object.fromEntries(fields), data: data.join('\n') };
    }
  }
}

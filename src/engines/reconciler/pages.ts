const PAGE = 500;

/** Reads all rows in the order of their ids, one page at a time. */
export async function* inPages<Row extends { readonly id: string }>(
  readPage: (afterId: string, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after = ''; ; ) {
    const rows = await readPage(after, PAGE);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.id;
  }
}

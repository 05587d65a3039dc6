import { Auditor, type AuditReport } from '../../src/application/auditor.ts';
import { Reader } from '../../src/application/ports/reader.ts';
import { Storage } from '../../src/application/ports/storage.ts';
import { compose } from '../../src/composition/compose.ts';
import { optionsWith } from '../../src/composition/options.ts';

/** The contents of a store. */
export interface Kept {
  readonly findings: AuditReport['findings'];
  readonly orders: ReadonlyMap<
    number,
    { readonly petId: number; readonly quantity: number; readonly complete: boolean }
  >;
}

/** Reads a store by opening it in this process. */
export async function inspect(databaseUrl: string): Promise<Kept> {
  const container = await compose(optionsWith({ databaseUrl, logLevel: 'silent' }));
  const storage = container.get(Storage);
  await storage.open();
  try {
    const { findings } = await container.get(Auditor).audit();
    const reader = container.get(Reader);
    const orders = new Map<number, { petId: number; quantity: number; complete: boolean }>();
    for (let after: { key: string | number | null; id: number } | undefined; ; ) {
      const { rows, next } = await reader.orders({}, { sort: { by: 'id' }, limit: 100, after });
      for (const { id, petId, quantity, complete } of rows) orders.set(id, { petId, quantity, complete });
      if (!next) return { findings, orders };
      after = next;
    }
  } finally {
    await storage.close();
  }
}

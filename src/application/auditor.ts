import { type AuditFinding, auditStock, auditSummary } from '../domain/audit.ts';
import type { Reader } from './ports/reader.ts';

/** The result of an audit of the whole store: the number of pets, and every broken rule. */
export interface AuditReport {
  readonly pets: number;
  readonly findings: readonly AuditFinding[];
}

/** Recomputes the rules of stock for the whole store. */
export class Auditor {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  async audit(): Promise<AuditReport> {
    let pets = 0;
    const findings: AuditFinding[] = [];
    for await (const record of this.#reader.stockRecords()) {
      pets += 1;
      findings.push(...auditStock(record));
    }
    findings.push(...auditSummary(await this.#reader.summaryRecord()));
    return { pets, findings };
  }
}

import { PET_STATUSES, type PetStatus, statusOf } from './pet-status.ts';

/** Everything that a storage holds about the stock of one pet, from each place where it is stored. */
export interface StockRecord {
  readonly petId: number;
  readonly quantity: number;
  readonly reserved: number;
  readonly held: boolean;
  /** The status as it is shown on the pet and on its inventory entry. */
  readonly petStatus: PetStatus;
  readonly inventoryStatus: PetStatus;
  /** The sum of the quantities of the pet's open orders. */
  readonly openOrders: number;
  /** The sums of the pet's movements. */
  readonly ledgerQuantity: number;
  readonly ledgerReserved: number;
}

type Summary = Readonly<Record<PetStatus, { readonly pets: number; readonly units: number }>>;

/** The summary as the storage has it, and as it is when the pets are counted. */
export interface SummaryRecord {
  readonly stored: Summary;
  readonly counted: Summary;
}

/** A rule of the store that is broken: by a pet, or by the store as a whole. */
export interface AuditFinding {
  readonly petId?: number;
  readonly rule:
    | 'reserved_within_quantity'
    | 'reserved_is_open_orders'
    | 'status_is_derived'
    | 'ledger_adds_up'
    | 'summary_adds_up';
  readonly message: string;
}

/** Recomputes the rules of stock for one pet. Returns every rule that it violates. */
export function auditStock(record: StockRecord): AuditFinding[] {
  const { petId, quantity, reserved, openOrders, ledgerQuantity, ledgerReserved } = record;
  const status = statusOf(record);
  const findings: AuditFinding[] = [];
  if (!(0 <= reserved && reserved <= quantity)) {
    findings.push({
      petId,
      rule: 'reserved_within_quantity',
      message: `${reserved} units are reserved, ${quantity} are on hand`,
    });
  }
  if (reserved !== openOrders) {
    findings.push({
      petId,
      rule: 'reserved_is_open_orders',
      message: `${reserved} units are reserved, but the open orders add up to ${openOrders}`,
    });
  }
  if (record.petStatus !== status || record.inventoryStatus !== status) {
    findings.push({
      petId,
      rule: 'status_is_derived',
      message: `the pet shows ${record.petStatus} and its inventory ${record.inventoryStatus}, but its stock implies ${status}`,
    });
  }
  if (quantity !== ledgerQuantity || reserved !== ledgerReserved) {
    findings.push({
      petId,
      rule: 'ledger_adds_up',
      message: `${quantity} on hand and ${reserved} reserved, but the ledger adds up to ${ledgerQuantity} and ${ledgerReserved}`,
    });
  }
  return findings;
}

/** Compares the summary with the pets, and returns a finding for each status whose figures are wrong. */
export function auditSummary({ stored, counted }: SummaryRecord): AuditFinding[] {
  return PET_STATUSES.flatMap((status): AuditFinding[] => {
    const [is, should] = [stored[status], counted[status]];
    if (is.pets === should.pets && is.units === should.units) return [];
    const message = `the summary has ${is.pets} ${status} pets with ${is.units} units, but there are ${should.pets} with ${should.units}`;
    return [{ rule: 'summary_adds_up', message }];
  });
}

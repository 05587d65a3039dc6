import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { auditStock } from '../../src/domain/audit.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { InventoryItem } from '../../src/domain/inventory-item.ts';
import { PET_STATUSES, type PetStatus, type Stock, statusOf } from '../../src/domain/pet-status.ts';
import { DomainError, type Refusal } from '../../src/domain/refusals.ts';
import { MOVEMENT_KINDS, type StockMovement } from '../../src/domain/stock-movement.ts';

const page = readFileSync(new URL('../../docs/domain.md', import.meta.url), 'utf8');

type Row = Record<string, string>;

/** The rows of the one table whose header is these columns, each under its column's name. Fails if there is no row. */
function table(...columns: readonly string[]): Row[] {
  const lines = page.split('\n').map((line) => line.trim());
  const header = lines.indexOf(`| ${columns.join(' | ')} |`);
  expect(header, `a table of ${columns.join(', ')}`).to.be.at.least(0);

  const rows: Row[] = [];
  for (const line of lines.slice(header + 2)) {
    if (!line.startsWith('|')) break;
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    expect(cells, line).to.have.length(columns.length);
    rows.push(Object.fromEntries(columns.map((column, place) => [column, cells[place] ?? ''])));
  }
  expect(rows, `the table of ${columns.join(', ')}`).to.have.length.above(0);
  return rows;
}

/** What stands in code marks in a cell. */
function coded(cell: string | undefined): string[] {
  return [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '');
}

/** Every stock of up to `most` units. */
function* stocks(most: number): Iterable<Stock> {
  for (let quantity = 0; quantity <= most; quantity++) {
    for (let reserved = 0; reserved <= quantity; reserved++) {
      for (const held of [false, true]) yield { quantity, reserved, held };
    }
  }
}

/** Every verb of an entry that can be refused or change something, with every number that could matter to a small stock. */
const numbers = [0, 1, 2, 3, 4, 5];
const verbs: readonly (readonly [string, (item: InventoryItem) => StockMovement | undefined])[] = [
  ...numbers.slice(1).flatMap(
    (units) =>
      [
        ['reserve', (item: InventoryItem) => item.reserve(units)],
        ['reserveMore', (item: InventoryItem) => item.reserveMore(units)],
        ['release', (item: InventoryItem) => item.release(units)],
        ['ship', (item: InventoryItem) => item.ship(units)],
      ] as const,
  ),
  ...numbers.map((quantity) => ['count', (item: InventoryItem) => item.count(quantity)] as const),
  ...PET_STATUSES.map((status) => ['mark', (item: InventoryItem) => item.setStatus(status)] as const),
];

interface Step {
  readonly verb: string;
  readonly from: PetStatus;
  readonly to: PetStatus;
  readonly movement: StockMovement | undefined;
}

/** Every step that the code allows from a small stock. */
function steps(): Step[] {
  const taken: Step[] = [];
  for (const stock of stocks(4)) {
    for (const [verb, act] of verbs) {
      const item = InventoryItem.recall({ petId: 1, ...stock });
      const from = item.status;
      try {
        const movement = act(item);
        taken.push({ verb, from, to: item.status, movement });
      } catch (error) {
        if (!(error instanceof DomainError || error instanceof RangeError)) throw error;
      }
    }
  }
  return taken;
}

/** What comes of setting a status by hand, in the words of the page. */
function marked(stock: Stock, to: PetStatus): { status: PetStatus; movement: string; refusal: string } {
  const item = InventoryItem.recall({ petId: 1, ...stock });
  try {
    const movement = item.setStatus(to);
    return { status: item.status, movement: movement ? `\`${movement.kind}\`` : '–', refusal: '–' };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { status: item.status, movement: '–', refusal: `\`${error.code}\`` };
  }
}

function sign(number: number): string {
  if (number === 0) return '0';
  return number > 0 ? '+' : '−';
}

describe('The page about the rules of the store', () => {
  it('shows the status of every small stock as the code does', () => {
    const rows = table('quantity', 'reserved', 'held', 'status').map(({ quantity, reserved, held, status }) => {
      expect(held).to.be.oneOf(['yes', 'no']);
      return { quantity: Number(quantity), reserved: Number(reserved), held: held === 'yes', status };
    });

    expect(rows).to.deep.equal([...stocks(2)].map((stock) => ({ ...stock, status: statusOf(stock) })));
  });

  it('draws exactly the transitions between statuses that the code allows', () => {
    const picture = /```mermaid\nstateDiagram-v2\n(.*?)```/s.exec(page)?.[1] ?? '';
    const lines = picture
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    const drawn = lines.map((line) => {
      const [, from = '', to = '', names = ''] = /^(\S+) --> (\S+): (.+)$/.exec(line) ?? [];
      return { from, to, verbs: names.split(', ').sort() };
    });

    const arrows = new Map<string, { from: string; to: string; verbs: string[] }>();
    for (const status of PET_STATUSES) {
      const { item } = InventoryItem.open(1, status);
      arrows.set(`[*] ${item.status}`, { from: '[*]', to: item.status, verbs: ['open'] });
    }
    for (const { verb, from, to } of steps()) {
      if (from === to) continue;
      const arrow = arrows.get(`${from} ${to}`) ?? { from, to, verbs: [] };
      arrows.set(`${from} ${to}`, { ...arrow, verbs: [...new Set([...arrow.verbs, verb])].sort() });
    }

    expect(drawn).to.have.length.above(0);
    expect(drawn).to.have.deep.members([...arrows.values()]);
  });

  it('says which status can be set by hand, when, with which movement, and how it is refused otherwise', () => {
    const conditions: Record<string, (stock: Stock) => boolean> = {
      always: () => true,
      never: () => false,
      '`reserved = 0`': ({ reserved }) => reserved === 0,
      '`free > 0`': ({ quantity, reserved }) => quantity > reserved,
    };
    const rows = table('from', 'to', 'allowed when', 'what it does', 'movement', 'otherwise refused with');

    expect(rows.map(({ from, to }) => ({ from, to }))).to.deep.equal(
      PET_STATUSES.flatMap((from) => PET_STATUSES.map((to) => ({ from, to }))),
    );
    for (const row of rows) {
      const to = PET_STATUSES.find((status) => status === row['to']) ?? expect.fail(`no status ${row['to']}`);
      const allowed = conditions[row['allowed when'] ?? ''] ?? expect.fail(`no condition ${row['allowed when']}`);
      const from = [...stocks(4)].filter((stock) => statusOf(stock) === row['from']);

      for (const stock of from) {
        const expected = allowed(stock)
          ? { status: to, movement: row['movement'], refusal: '–' }
          : { status: row['from'], movement: '–', refusal: row['otherwise refused with'] };
        expect(marked(stock, to), JSON.stringify({ row, stock })).to.deep.equal(expected);
      }
      if (from.every(allowed)) expect(row['otherwise refused with'], `${row['from']} to ${to}`).to.equal('–');
      if (!from.some(allowed)) expect(row['movement'], `${row['from']} to ${to}`).to.equal('–');
    }
  });

  it('names every kind of movement, and in which direction it moves stock', () => {
    const rows = table('kind', 'quantity', 'reserved', 'when').map(({ kind, quantity, reserved }) => ({
      kind: coded(kind)[0],
      quantity: quantity?.split(' or ').sort(),
      reserved: reserved?.split(' or ').sort(),
    }));
    const opened = PET_STATUSES.map((status) => InventoryItem.open(1, status).opened);
    const movements = [...opened, ...steps().flatMap(({ movement }) => movement ?? [])];
    const signs = (kind: string, column: 'quantity' | 'reserved') => [
      ...new Set(movements.filter((movement) => movement.kind === kind).map((movement) => sign(movement[column]))),
    ];

    expect(rows).to.deep.equal(
      MOVEMENT_KINDS.map((kind) => ({
        kind,
        quantity: signs(kind, 'quantity').sort(),
        reserved: signs(kind, 'reserved').sort(),
      })),
    );
  });

  it('names every event and its data', () => {
    const events: Record<DomainEvent['type'], string> = {
      'pet.created': 'pet',
      'pet.updated': 'pet',
      'pet.status_changed': 'pet',
      'pet.deleted': 'pet',
      'category.created': 'category',
      'category.updated': 'category',
      'category.deleted': 'category',
      'order.placed': 'order',
      'order.updated': 'order',
      'order.completed': 'order',
      'order.cancelled': 'order',
      'inventory.counted': 'inventory entry',
      'inventory.written_off': 'inventory entry',
      'inventory.restocked': 'inventory entry',
    };

    const rows = table('event', 'data', 'when').map(({ event, data }) => [coded(event)[0], data]);

    expect(rows).to.have.deep.members(Object.entries(events));
  });

  it('names every refusal, and none that does not exist', () => {
    const refusals: Record<Refusal, true> = {
      category_not_found: true,
      pet_not_found: true,
      order_not_found: true,
      webhook_not_found: true,
      delivery_not_found: true,
      unknown_category: true,
      unknown_pet: true,
      category_name_taken: true,
      category_in_use: true,
      pet_has_orders: true,
      pet_not_available: true,
      insufficient_stock: true,
      stock_below_reserved: true,
      order_already_complete: true,
      invalid_status_transition: true,
      status_managed_by_orders: true,
      precondition_failed: true,
    };
    const rows = table('operation', 'requires', 'otherwise refused with', 'effect');
    const named = rows.flatMap((row) => coded(row['otherwise refused with']));

    expect(named).to.have.length.above(0);
    expect(Object.keys(refusals)).to.include.members(named);
    for (const refusal of Object.keys(refusals)) expect(page).to.include(`\`${refusal}\``);
  });

  it('names every rule that the audit knows', () => {
    const broken = auditStock({
      petId: 1,
      quantity: 1,
      reserved: 2,
      held: false,
      petStatus: 'sold',
      inventoryStatus: 'sold',
      openOrders: 0,
      ledgerQuantity: 0,
      ledgerReserved: 0,
    });

    expect(broken).to.have.length(4);
    for (const { rule } of broken) expect(page).to.include(`\`${rule}\``);
  });
});

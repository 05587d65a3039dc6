import type { Operation } from '../operation.ts';
import { categoryId, orderId, petId } from '../schemas/schema-values.ts';
import { deliveryId, webhookId } from '../schemas/webhook-schemas.ts';
import type { Json } from './schema-objects.ts';

/** The identifiers that parameters have, by the names of the parameters. */
const IDS: Readonly<Record<string, unknown>> = { petId, categoryId, orderId, webhookId, deliveryId };

/** The links of a response: for each identifier among its fields, the parameter of that kind that another operation has. */
export function linkObjects({ response: answer }: Operation, operations: readonly Operation[]): Json | undefined {
  if (!answer.links) return undefined;
  const fields = Object.entries((answer.schema?.['properties'] ?? {}) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(
    Object.entries(answer.links).map(([operationId, description]) => {
      const parameters = parametersOf(operations.find((target) => target.operationId === operationId))
        .map((name) => [name, fields.find(([, schema]) => schema !== undefined && schema === IDS[name])?.[0]])
        .filter(([, field]) => field !== undefined)
        .map(([name, field]) => [name, `$response.body#/${field}`]);
      return [
        operationId,
        { operationId, description, ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }) },
      ];
    }),
  );
}

/** The names of the parameters in the path and the query. */
function parametersOf(operation: Operation | undefined): string[] {
  if (!operation) return [];
  const inPath = Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  return [...inPath, ...Object.keys(operation.query ?? {})];
}

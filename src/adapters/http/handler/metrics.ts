import type { Operation } from '../../../api/operation.ts';

/** Upper bounds of the latency histogram, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The maximum number of callers counted by name; further ones are counted together. */
const MOST_CALLERS = 1000;

interface Series {
  readonly buckets: number[];
  sum: number;
  count: number;
}

/** Counts requests and their durations, per operation and status, for the text format of Prometheus (version 0.0.4). */
export class Metrics {
  readonly #series = new Map<string, Map<number, Series>>();
  readonly #deprecated = new Map<string, Map<string, number>>();

  /** `caller` is absent if it is unknown. */
  observe({ operationId, deprecation }: Operation, status: number, seconds: number, caller = 'unknown'): void {
    let statuses = this.#series.get(operationId);
    if (!statuses) this.#series.set(operationId, (statuses = new Map()));
    let series = statuses.get(status);
    if (!series) statuses.set(status, (series = { buckets: BOUNDS.map(() => 0), sum: 0, count: 0 }));
    series.sum += seconds;
    series.count += 1;
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
    if (deprecation) this.#countDeprecated(operationId, caller);
  }

  /** The exposition, with the figures that are read at this moment. */
  print(
    gauges: readonly {
      readonly name: string;
      readonly help: string;
      readonly type?: 'gauge' | 'counter';
      readonly values: Readonly<Record<string, number>>;
    }[],
  ): string {
    const name = 'petstore_http_request_duration_seconds';
    const lines = [
      `# HELP ${name} Time from the end of the request headers to the response, in seconds.`,
      `# TYPE ${name} histogram`,
    ];
    for (const [operation, statuses] of this.#series) {
      for (const [status, { buckets, sum, count }] of statuses) {
        const labels = `operation="${operation}",status="${status}"`;
        let upTo = 0;
        buckets.forEach((inBucket, i) => {
          upTo += inBucket;
          lines.push(`${name}_bucket{${labels},le="${BOUNDS[i]}"} ${upTo}`);
        });
        lines.push(`${name}_bucket{${labels},le="+Inf"} ${count}`);
        lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`);
      }
    }
    const calls = 'petstore_deprecated_calls_total';
    lines.push(`# HELP ${calls} Calls of deprecated operations, by caller.`, `# TYPE ${calls} counter`);
    for (const [operation, callers] of this.#deprecated) {
      for (const [caller, count] of callers) {
        lines.push(`${calls}{operation="${operation}",caller="${labelValue(caller)}"} ${count}`);
      }
    }
    for (const { name: gauge, help, type = 'gauge', values } of gauges) {
      lines.push(`# HELP ${gauge} ${help}`, `# TYPE ${gauge} ${type}`);
      for (const [labels, value] of Object.entries(values)) lines.push(`${gauge}${labels && `{${labels}}`} ${value}`);
    }
    return `${lines.join('\n')}\n`;
  }

  #countDeprecated(operationId: string, caller: string): void {
    let callers = this.#deprecated.get(operationId);
    if (!callers) this.#deprecated.set(operationId, (callers = new Map()));
    const label = callers.has(caller) || callers.size < MOST_CALLERS ? caller : 'others';
    callers.set(label, (callers.get(label) ?? 0) + 1);
  }
}

/** The text format escapes these three (Prometheus, exposition formats). */
function labelValue(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

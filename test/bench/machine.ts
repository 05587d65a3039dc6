import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { median } from './report.ts';

export interface Machine {
  readonly cores: number;
  readonly model: string;
  readonly memory: number;
  readonly system: string;
  readonly node: string;
  readonly date: string;
  /** The time of a durable write of 4 KiB, in milliseconds: a lower bound for an order. */
  readonly sync: number;
}

/** This machine; `file` is on the disk that is measured. */
export function thisMachine(file: string): Machine {
  return {
    cores: availableParallelism(),
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memory: totalmem(),
    system: `${platform()} ${release().split('-', 1)[0]} ${arch()}`,
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
    sync: syncTime(file),
  };
}

function syncTime(file: string): number {
  const descriptor = openSync(file, 'w');
  const block = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 100 }, () => {
    const started = performance.now();
    writeSync(descriptor, block);
    fdatasyncSync(descriptor);
    return performance.now() - started;
  });
  closeSync(descriptor);
  return median(times);
}

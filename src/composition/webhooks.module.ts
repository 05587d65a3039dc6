import { ContainerModule } from 'inversify';
import { HttpWebhookSender } from '../adapters/webhooks/http-webhook-sender.ts';
import { eventSource, pingMessage, toCloudEvent } from '../api/cloud-events.ts';
import { Clock } from '../application/ports/clock.ts';
import { EventLog } from '../application/ports/event-log.ts';
import { Log } from '../application/ports/log.ts';
import { Reader } from '../application/ports/reader.ts';
import { Secrets } from '../application/ports/secrets.ts';
import { UnitOfWork } from '../application/ports/unit-of-work.ts';
import { WebhookSender } from '../application/ports/webhook-sender.ts';
import { WebhookDispatcher } from '../application/webhook-dispatcher.ts';
import type { PetstoreOptions } from './options.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The delivery of events to webhooks. Where it is not loaded, webhooks exist and nothing is delivered. */
export function webhooksModule({ publicUrl, webhooksAllowPrivate, webhookLogDays }: PetstoreOptions): ContainerModule {
  const source = eventSource({ publicUrl });
  return new ContainerModule(({ bind }) => {
    bind(WebhookSender)
      .toResolvedValue(() => new HttpWebhookSender({ allowPrivate: webhooksAllowPrivate }))
      .inSingletonScope();
    bind(WebhookDispatcher)
      .toDynamicValue(
        (context) =>
          new WebhookDispatcher({
            work: context.get(UnitOfWork),
            reader: context.get(Reader),
            eventLog: context.get(EventLog),
            clock: context.get(Clock),
            sender: context.get(WebhookSender),
            log: context.get(Log),
            bodies: {
              event: (event) => JSON.stringify(toCloudEvent(event, source)),
              ping: (delivery) => JSON.stringify(pingMessage(delivery, source)),
            },
            holder: context.get(Secrets).make(),
            random: Math.random,
            retention: webhookLogDays * DAY_MS,
          }),
      )
      .inSingletonScope();
  });
}

import { onOff, type SettingsOf, whole } from './setting.ts';

/** The delivery of webhooks. */
export interface WebhookOptions {
  readonly webhooksAllowPrivate: boolean;
  readonly webhookLogDays: number;
}

export const WEBHOOK_SETTINGS = {
  webhooksAllowPrivate: {
    variable: 'PETSTORE_WEBHOOKS_ALLOW_PRIVATE',
    default: false,
    about: 'Whether webhooks may be delivered to this machine and to private networks.',
    ...onOff,
  },
  webhookLogDays: {
    variable: 'PETSTORE_WEBHOOK_LOG_DAYS',
    default: 7,
    expects: 'a whole number of days from 2 to 365',
    about: 'How long the deliveries of webhooks are kept.',
    read: (text) => whole(text, 2, 365),
  },
} satisfies SettingsOf<WebhookOptions>;

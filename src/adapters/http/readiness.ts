/** Whether the service takes work: it has started, and is not shutting down. */
export class Readiness {
  isOpen = false;
}

await new Promise(() => undefined);

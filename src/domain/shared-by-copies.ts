const SHARED = Symbol.for('petstore-service.shared-classes');

/**
 * Returns the one class of this name in the process. A project may load several copies of this package, such as that of a service
 * and that of an adapter: each declares the class, the first one is the class of all, so that `instanceof` and the tokens
 * of Inversify do not depend on the copy that a module imports.
 */
export function sharedByCopies<Class extends abstract new (...parts: never) => object>(
  name: string,
  own: Class,
): Class {
  const holder = globalThis as { [SHARED]?: Map<string, unknown> };
  const classes = (holder[SHARED] ??= new Map());
  if (!classes.has(name)) classes.set(name, Object.defineProperty(own, 'name', { value: name }));
  return classes.get(name) as Class;
}
